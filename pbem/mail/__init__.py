"""Mail: made from the match as it stands, handed to the relay, kept in the embedded mailbox."""
