"""The orders of an activation.

Filling in what is left out (``defaults``), checking and carrying out (``acts``), a sample of legal
orders (``sampling``), and invariants of their effects (``soundness``).
"""
