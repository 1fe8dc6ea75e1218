"""What pages and mails show of a view.

The drawing (``picture``), how far AP take a man (``contours``), the expected effect of an order
(``planning``), and what a man can do (``man``).
"""
