"""A match from its beginning to its end: forces (``building``), places (``deploying``), all that is
before turn 1 (``setting_up``), turns and activations (``activation``), the score (``scoring``).
"""
