"""The condition of a man, and what he has.

What he carries and what lies on the ground (``things``), wounds and first aid (``wounds``), what he
can still do (``able``), who carries him (``carrying``), and his morale (``morale``).
"""
