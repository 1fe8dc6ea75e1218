"""When a turn ends and when to remind: pure functions of instants and policies."""
