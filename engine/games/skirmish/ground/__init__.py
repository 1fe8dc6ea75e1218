"""The table: its shapes, and what is on it.

Lengths and shapes (``geometry``), shadows on a move (``sweeps``), the terrain of a battlefield
(``terrain``), random tables (``generator``), and what is on a table now (``scene``).
"""
