"""The rules: pure functions over typed values."""
