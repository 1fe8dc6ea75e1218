"""Everything that changes a match: one function an act (see ``pbem.acts.writing``)."""
