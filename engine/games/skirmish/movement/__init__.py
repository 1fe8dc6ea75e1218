"""Ways: what they cost and walking them (``movement``), the ground within reach (``reach``), and
moves that the rules make (``flight``).
"""
