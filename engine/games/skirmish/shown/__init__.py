"""What pages and mails show of a view.

The drawing (``picture``), the expected effect of an order (``planning``), and what a man can do
(``man``).
"""
