"""What ``pbem bench`` measures, a module each, holding ``measure``.

A bench makes what it needs in a scratch directory, measures for about so many seconds, and answers
figures by name, the unit in the name. A figure is for comparing one version, option or machine with
another; no test depends on it.
"""
