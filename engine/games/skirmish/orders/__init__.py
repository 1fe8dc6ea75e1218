"""Orders: what one leaves out (``defaults``), checked and carried out (``acts``), a sample of those
that are legal (``sampling``), and what can never come of one (``soundness``).
"""
