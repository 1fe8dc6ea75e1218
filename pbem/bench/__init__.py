"""The benches of ``pbem bench``: a module for each, with a function ``measure``.

``measure`` makes what it needs in a scratch directory, measures for about so many seconds, and
returns figures by name, with the unit in the name. The figures compare versions, options or
machines; no test depends on them.
"""
