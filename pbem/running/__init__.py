"""What an operator runs: supervisor, broker, doctor, backup, heartbeats."""
