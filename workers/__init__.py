"""Celery: the application, its schedule, and tasks that name an act and call it."""
