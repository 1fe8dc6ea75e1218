"""What pages and mails show of a view: the drawing (``picture``), what an order would come to
(``planning``), and what can be done now (``helping``).
"""
