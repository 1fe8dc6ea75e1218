"""The games: a folder each, all laid out alike, and the registry that finds them."""
