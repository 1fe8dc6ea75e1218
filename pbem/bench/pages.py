"""What a page costs the web: processor time for each, and for the JSON that programs get of it.

The web runs alone, under gunicorn, and one client asks: for a turn of each game, for a table, for
the home of people with many matches, for lists of open tables. Pages take turns. The work of a
PostgreSQL server is not in the figures, that of SQLite is: it is done in the web.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

from sqlmodel import col, select

from pbem.bench._clients import Client, connected
from pbem.bench._copies import GAMES, Copies, play
from pbem.bench._places import place
from pbem.bench._rounds import (
    BenchOptions,
    Figures,
    Round,
    each,
    in_turns,
    quantiles,
    spread,
    timed,
)
from pbem.bench._servers import bells, web
from pbem.people import proofs
from pbem.service import Service
from pbem.store import links
from pbem.store.models import AddressLink
from pbem.store.names import MailKind

#: Matches at home, and tables that wait for players.
MATCHES, TABLES = 200, 10_000
#: How often each is asked for in one go.
TIMES = 50
FORMS = {"page": "text/html", "JSON": "application/json"}


def measure(asked: BenchOptions) -> Figures:
    """For each database, page and form: what it takes of the processor, and how long.

    ``processor_ms`` of the web, the median of the rounds, the least and the most; ``p50_ms`` and
    ``p99_ms`` until the answer is there; ``kb``, its size.
    """
    found: Figures = {}
    for database in asked.databases:
        with ExitStack() as stack:
            here = stack.enter_context(place(database, asked.scratch))
            service = stack.enter_context(here.service())
            asked.say(f"{here.kind}: filling a database")
            copies = Copies(service)
            opened = {game: play(service, game)[0] for game in GAMES}
            copies.tables(TABLES)
            people = copies.at_home(MATCHES)
            stack.enter_context(bells(service.settings))
            server = stack.enter_context(web(service.settings))

            def client(address: str = "") -> Client:
                to = stack.enter_context(connected(server.port))  # noqa: B023 - used in this round
                if address:
                    to.post(f"/home/{_link(service, address)}", {})  # noqa: B023
                return to

            anybody = client()
            asks: dict[str, Callable[[str], bytes]] = {
                "front": partial(anybody.get, "/"),
                **{
                    f"{game}, turn": partial(anybody.get, f"/t/{links.token(service.keys, link)}")
                    for game, link in opened.items()
                },
                "table": partial(anybody.get, f"/m/{opened['dog'].match_id}"),
                f"open, {TABLES:,} tables": partial(anybody.get, "/open"),
                **{
                    f"home, {MATCHES:,} {name}": partial(client(address).get, "/home")
                    for name, address in people.items()
                },
            }
            goes = {
                f"{name}, {form}": partial(ask, accept)
                for name, ask in asks.items()
                for form, accept in FORMS.items()
                if (name, form) != ("front", "JSON")
            }
            sizes = {name: len(go()) for name, go in goes.items()}
            rounds = in_turns(
                asked, here.kind, {name: _go(go, server.process) for name, go in goes.items()}
            )
        for name, taken in rounds.items():
            used = [1000 * one.processor / len(one.waits) for one in taken]
            figures = spread("processor_ms", used, 2)
            figures |= quantiles("", [wait for one in taken for wait in one.waits])
            found[f"{here.kind}, {name}"] = figures | {"kb": round(sizes[name] / 1000, 1)}
    return found


def _go(ask: Callable[[], bytes], process: int) -> Callable[[], Round]:
    return lambda: timed(lambda: each(ask, TIMES), [process])


def _link(service: Service, address: str) -> str:
    """The token of a link that signs in, as a mail would bring it."""
    proofs.owe(service, MailKind.SIGN_IN, address, "en")
    newest = select(AddressLink).where(AddressLink.address == address)
    with service.database.read() as session:
        link = session.exec(newest.order_by(col(AddressLink.id).desc())).first()
        assert link is not None  # it was owed
        return proofs.token(service.keys, link)
