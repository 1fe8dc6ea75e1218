"""The service: doors, acts, tables and mail around the engine."""
