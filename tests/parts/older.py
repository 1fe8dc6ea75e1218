"""A match as versions kept it whose log held names itself."""

from __future__ import annotations

import json

from sqlmodel import select

from pbem.store import match_log
from pbem.store.models import Match, Ply, Seat
from tests.parts.cast import House


def with_names_in_the_log(house: House, match: Match) -> Match:
    """Makes a match, which is not packed, what it would be if it had begun in an older version."""
    with house.service.database.write("test") as session:
        row = session.get_one(Match, match.id)
        seats = session.exec(select(Seat).where(Seat.match_id == match.id)).all()
        plies = session.exec(select(Ply).where(Ply.match_id == match.id).order_by(Ply.ply)).all()
        names = [seat.name for seat in sorted(seats, key=lambda seat: seat.number)]
        hashes, previous = {}, match_log.NO_HASH
        for ply in plies:
            if ply.ply == 0:
                founding = json.loads(ply.move_json)
                del founding["holders"]
                ply.move_json = json.dumps({**founding, "players": names})
            elif ply.holder is not None:
                ply.holder, ply.player = None, names[ply.seat or 0]
            before, ply.previous_hash = ply.hash, previous
            ply.hash = previous = hashes[before] = match_log.entry_hash(row, ply)
        for seat in seats:
            seat.holder = seat.name_salt = None
        row.chain_head = hashes[row.chain_head]
        row.public_head = hashes.get(row.public_head or "")
    return house.match(match.id)
