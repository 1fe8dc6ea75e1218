"""Fighting: one module for each part of it.

Weapons in hand (``arms``), a shot's chance (``chances``), the shot (``fire``), throws
(``grenades``), mines and charges (``devices``), hand-to-hand combat (``close``), fire in the
enemy's activation (``watching``, and on a move ``crossing``), explosions (``blasts``), collapsing
buildings (``structures``), and cause and effect (``consequences``).
"""
