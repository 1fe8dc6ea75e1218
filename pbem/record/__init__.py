"""Checks of a finished match, offline. ``verify_dice`` needs Python and nothing else."""
