"""Line of sight (``sight``), what a side knows from it (``spotting``), and how it changes on a move
(``passing``).
"""
