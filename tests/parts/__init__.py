"""Real parts for tests: servers that are started here, and stopped again."""
