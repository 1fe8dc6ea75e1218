"""A place to come back to: what people have besides their matches.

It stands on matches: nothing that a match needs knows of this room, so nothing here can stall one.
What it must notice, it finds by a sweep of its own (``pbem.people.sweep``).
"""
