"""Mail: made from the match as it is now, handed to the relay or put into the embedded mailbox."""
