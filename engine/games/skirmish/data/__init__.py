"""The data files, of the source and ours, and ``library``, which reads and checks them once."""
