"""What the form of a new match knows of who is signed in: themselves, and whom they play with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.games.registry import games
from pbem.people import settings
from pbem.store.models import Person
from pbem.web import devices
from pbem.web.context import service


def filled(given: Mapping[str, str]) -> dict[str, str]:
    """The fields of a form that was not sent yet: its host, and the people of the ``group``."""
    person = devices.person()
    if person is None:
        return {}
    known = {
        "host_name": person.name,
        "host_email": person.address or "",
        "i_play": "yes",
        "pace": "usual",
        "language": person.language,
        "zone": person.zone,
        **_seated(person, given),
    }
    return {name: value for name, value in known.items() if value}


def _seated(person: Person, given: Mapping[str, str]) -> dict[str, str]:
    """The people of a group on the seats after the host's own, without the person themselves."""
    game = games().get(given.get("game", ""))
    with service().database.read() as session:
        groups = settings.groups(session, person)
    group = next((one for one in groups if one.name == given.get("group")), None)
    if group is None or game is None:
        return {}
    friends = [one for one in group.people if one.email.lower() != person.folded]
    enough = [number for number in game.meta.seats if number > len(friends)]
    known = {"players": given.get("players") or str((*enough, game.meta.seats[-1])[0])}
    for seat, friend in enumerate(friends, 1):
        known |= {f"seat-{seat}-name": friend.name, f"seat-{seat}-email": friend.email}
    return known


def names() -> Sequence[str]:
    """The names of the groups of who is signed in."""
    person = devices.person()
    if person is None:
        return ()
    with service().database.read() as session:
        return [one.name for one in settings.groups(session, person)]
