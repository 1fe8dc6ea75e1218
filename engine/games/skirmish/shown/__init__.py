"""What pages and mails show of a view: the drawing (``picture``), what an order would come to
(``planning``), and what a man can do (``man``).
"""
