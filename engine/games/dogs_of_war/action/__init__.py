"""An action turn: what its player knows, what may be played, why not, and what it does."""
