"""What becomes of a man: wounds and the aid he gets (``wounds``), what they let him do (``able``),
who carries him (``carrying``), and his nerve (``morale``).
"""
