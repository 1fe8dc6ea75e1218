"""Orders as lines of text: how they are written, and how each kind is read."""
