"""The table: lengths and shapes (``geometry``), what a battlefield comes to (``terrain``), and
tables at random (``generator``).
"""
