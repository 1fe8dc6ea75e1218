"""What becomes of a man: his wounds and the aid he gets (``wounds``), his nerve (``morale``)."""
