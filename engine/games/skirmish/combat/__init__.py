"""Fighting: a shot's chance (``chances``) and the shot (``fire``), what bursts (``blasts``), houses
that fall (``structures``), hand to hand (``close``), what is set and triggered (``devices``), and
fire in the enemy's activation (``watching``).
"""
