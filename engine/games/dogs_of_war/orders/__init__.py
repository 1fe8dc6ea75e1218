"""Orders as lines of text: formatting them, and parsing each kind."""
