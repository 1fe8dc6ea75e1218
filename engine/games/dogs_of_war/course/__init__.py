"""The course of a match: its setup, its years, the outcome of battles, the scores."""
