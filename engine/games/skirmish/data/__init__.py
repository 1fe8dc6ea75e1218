"""The data files of the source and of ours, and ``library``, which reads and checks them once."""
