"""The table: lengths and shapes (``geometry``), what a battlefield comes to (``terrain``), tables
at random (``generator``), and what stands on one now (``scene``).
"""
