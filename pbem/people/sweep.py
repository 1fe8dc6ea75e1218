"""One pass over what is due in this room. Beat rings it; several workers may run it at once.

Each part looks whether anything is due before it takes a lock, does at most ``most`` rows, and
leaves the rest to the next pass.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlmodel import col, delete, select

from pbem.people import (
    digests,
    open_tables,
    pools,
    privacy,
    proofs,
    rematches,
    results,
    talk_mails,
    watches,
)
from pbem.people.apart import apart
from pbem.people.series import rounds
from pbem.service import Service
from pbem.store import statements
from pbem.store.models import Device


def _sign_out(service: Service, most: int) -> int:
    """Deletes devices that have been signed in for as long as a device is; returns how many."""
    over = select(Device.id).where(col(Device.expires_at) <= service.now()).limit(most)
    with service.database.ask() as session:
        if session.exec(over.limit(1)).first() is None:
            return 0
    with service.database.write("devices.forget") as session:
        return statements.rowcount(session, delete(Device).where(col(Device.id).in_(over)))


#: The parts, in the order in which they are done.
_PARTS: tuple[Callable[[Service, int], int], ...] = (
    proofs.forget,
    privacy.forget_due,
    open_tables.forget,
    watches.tell_due,
    talk_mails.owe_due,
    rematches.settle_due,
    results.enter_due,
    pools.rate_due,
    _sign_out,
    rounds.care_due,
    digests.owe_due,
)


def sweep(service: Service, most: int = 50) -> int:
    """Does what is due; returns how much it was. A part that fails keeps no other from its work."""
    done = 0
    for part in _PARTS:
        with apart(f"{part.__module__.rpartition('.')[2]}.{part.__name__}"):
            done += part(service, most)
    return done
