"""Movement, and the ground within reach.

The cost of paths (``movement``), walking them (``walking``), reachable ground (``reach``), and
moves that the rules make (``flight``).
"""
