"""One pass over what is due in this room. Beat rings it; several workers may run it at once.

Each part looks whether anything is due before it takes a lock, does at most ``most`` rows, and
leaves the rest to the next pass.
"""

from __future__ import annotations

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
from pbem.people.series import rounds
from pbem.service import Service
from pbem.store import once
from pbem.store.models import Device


def sweep(service: Service, most: int = 50) -> int:
    """Does what is due; returns how much it was."""
    return (
        proofs.forget(service, most)
        + privacy.forget_due(service, most)
        + open_tables.forget(service, most)
        + watches.tell_due(service, most)
        + talk_mails.owe_due(service, most)
        + rematches.settle_due(service, most)
        + results.enter_due(service, most)
        + pools.rate_due(service, most)
        + _sign_out(service, most)
        + rounds.care_due(service, most)
        + digests.owe_due(service, most)
    )


def _sign_out(service: Service, most: int) -> int:
    """Deletes devices that have been signed in for as long as a device is; returns how many."""
    over = select(Device.id).where(col(Device.expires_at) <= service.now()).limit(most)
    with service.database.ask() as session:
        if session.exec(over.limit(1)).first() is None:
            return 0
    with service.database.write("devices.forget") as session:
        return once.changed(session, delete(Device).where(col(Device.id).in_(over)))
