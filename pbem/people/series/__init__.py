"""Leagues and tournaments: players enter, rounds are drawn, matches open by themselves.

In reading order: ``pairing`` draws a round and ``points`` scores one, both pure; ``acts`` is what
hosts and players do; ``rows`` reads a series with all its rows; ``rounds`` is what the sweep does.
"""
