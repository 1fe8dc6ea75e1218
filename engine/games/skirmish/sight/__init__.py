"""Line of sight (``sight``), and what a side knows from it (``spotting``)."""
