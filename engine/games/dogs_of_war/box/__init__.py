"""The components of the box, and their names."""
