"""Who sees whom (``sight``), and what a side knows from it (``spotting``)."""
