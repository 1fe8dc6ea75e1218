"""An action turn: what its player knows, the legal actions, why not, and the effects."""
