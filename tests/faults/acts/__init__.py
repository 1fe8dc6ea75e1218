"""The acts of the web and of the workers, each with the commits it passes.

``prepare`` brings a house to the moment before; ``do`` is what the program does that is killed,
started again, and must do no harm when it is done twice. What several files use stands in
``moments``.
"""

from tests.faults.acts import company, hosts, players, series, tables, talk, workers
from tests.faults.acts.moments import Act, Place

__all__ = ["ACTS", "Act", "Place"]

ACTS: dict[str, Act] = {
    **players.ACTS,
    **hosts.ACTS,
    **workers.ACTS,
    **tables.ACTS,
    **talk.ACTS,
    **company.ACTS,
    **series.ACTS,
}
