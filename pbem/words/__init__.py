"""Languages, texts that people write, and the environment of the templates."""
