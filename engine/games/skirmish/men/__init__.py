"""The condition of a man.

Wounds and first aid (``wounds``), what he can still do (``able``), who carries him (``carrying``),
and his morale (``morale``).
"""
