"""What can be seen of matches: functions that only read, and return values."""
