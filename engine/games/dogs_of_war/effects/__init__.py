"""What moves change: a step in the making, and the rewards."""
