"""The stages of a match.

Forces (``building``), places (``deploying``), everything before turn 1 (``setting_up``), turns and
activations (``activation``), the score (``scoring``).
"""
