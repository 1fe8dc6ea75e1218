"""Movement, and the ground within reach.

The cost of paths and walking them (``movement``), reachable ground (``reach``), and moves that the
rules make (``flight``).
"""
