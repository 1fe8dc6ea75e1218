"""What can be seen of matches: reads only, and answers with values."""
