"""What the box holds, and what its things are called."""
