"""People play all games while processes are killed and parts go away: ``__main__`` says how."""
