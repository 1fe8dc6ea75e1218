"""What is kept: database, tables, the log of a match, the audit log, links and keys."""
