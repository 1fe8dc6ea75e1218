"""A match from its beginning to its end: forces (``building``), setting up (``deploying``), turns
and activations (``activation``), and the score (``scoring``).
"""
