"""Fighting: weapons in hand (``arms``), a shot's chance (``chances``), the shot (``fire``), throws
(``grenades``), what is set and triggered (``devices``), hand to hand (``close``), fire in the
enemy's activation (``watching``), what bursts (``blasts``), houses that fall (``structures``), and
what follows from what (``consequences``).
"""
