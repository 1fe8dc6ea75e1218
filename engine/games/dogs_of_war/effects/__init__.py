"""The effects of moves: a step under construction, and the rewards."""
