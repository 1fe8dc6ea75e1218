"""The checks of ``pbem doctor``: for each part a finding, and what to do about it.

Those about mail are in ``pbem.running.doctor_mail``.

Nothing is changed and no mail is sent. A check never raises: an unexpected error is a finding.
"""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import redis
from sqlalchemy import func, text
from sqlmodel import Session, col, select

from pbem import fitness
from pbem.config import Settings, in_url, reachable, strange_variables
from pbem.logs import redact
from pbem.running import broker, heartbeats, own_web
from pbem.running.doctor_mail import check_doors, check_relay
from pbem.running.finding import Finding, State, first_line
from pbem.store import audit, db
from pbem.store.db import Database
from pbem.store.keys import KeysError, is_private, load_keys
from pbem.store.models import UNPAID_MAILS, Mail, Match

#: What has been due for longer than this is not being worked on.
PATIENCE = timedelta(minutes=10)
#: Free bytes in the home directory below which there is a note, and below which it is wrong.
SPACE_NOTE, SPACE_WRONG = 1 << 30, 100 << 20
#: Seconds by which two clocks may differ before there is a note, and before it is wrong.
SKEW_NOTE, SKEW_WRONG = 2.0, 30.0


def examine(settings: Settings) -> list[Finding]:
    """All findings, in the order in which the parts depend on one another."""
    findings: list[Finding] = []
    #: Each part, and the parts it depends on: if one of those is wrong, it is not checked.
    parts: tuple[tuple[str, Callable[[Settings], Iterator[Finding]], tuple[str, ...]], ...] = (
        ("settings", check_settings, ()),
        ("home", check_home, ()),
        ("database", check_database, ("home",) if settings.is_sqlite else ()),
        ("keys", check_keys, ("home",)),
        ("files", check_files, ("home",)),
        ("broker", check_broker, ("home",) if settings.embedded_broker else ()),
        ("workers", check_hearts, ("broker",)),
        ("web", check_web, ("keys", *(("broker",) if settings.embedded_broker else ()))),
        ("matches", check_matches, ("database",)),
        ("outbox", check_outbox, ("database",)),
        ("mail", check_relay, ()),
        ("letters", check_doors, ()),
        ("clocks", check_clocks, ("database",)),
        ("disk", check_disk, ()),
        ("audit", check_audit, ("database",)),
    )
    broken: set[str] = set()
    for part, check, foundations in parts:
        if not broken.isdisjoint(foundations):
            broken.add(part)
            continue
        try:
            seen = list(check(settings))
        except Exception as error:
            # whatever it is, the other parts are still checked
            seen = [Finding(part, "wrong", f"{type(error).__name__}: {first_line(error)}")]
        findings += seen
        if any(finding.state == "wrong" for finding in seen):
            broken.add(part)
    return findings


# --- settings and keys ---


def check_settings(settings: Settings) -> Iterator[Finding]:
    yield Finding("settings", "well", f"Players reach {settings.base_url}; home {settings.home}.")
    for name in strange_variables():
        yield Finding("settings", "note", f"The variable {name} is no setting.", "Take it away.")
    loopback = settings.host in ("127.0.0.1", "::1", "localhost")
    if settings.mailbox and not loopback:
        yield Finding(
            "settings",
            "wrong",
            f"Everybody who reaches {settings.host}:{settings.port} can read every mail.",
            'Set mail.mode = "smtp", or listen on 127.0.0.1.',
        )
    if not settings.mailbox and settings.base_url.startswith("http://"):
        yield Finding(
            "settings",
            "note",
            "Links in mails go to an address without TLS.",
            "Put a reverse proxy with a certificate in front and set base_url to https://...",
        )
    if not settings.operator.password_hash.get_secret_value():
        yield Finding(
            "settings",
            "note",
            "Nobody can use the operator's pages: there is no password.",
            "Set operator.password_hash to what `pbem hash-password` gives.",
        )


def check_keys(settings: Settings) -> Iterator[Finding]:
    path = settings.secrets_file
    try:
        keys = load_keys(path) if path.exists() else None
        with closing(Database(settings.database_url)) as database:
            fitness.check_tables(database)
            fitness.check_keys(settings, database)
    except KeysError as error:
        yield Finding("keys", "wrong", str(error), "Put back the file from a backup.")
        return
    except fitness.NotFit as error:
        if error.part == "keys":
            yield Finding("keys", "wrong", error.found, error.advice)
            return
    if keys is None:
        yield Finding("keys", "note", f"There are no keys in {path} yet.", "`pbem up` makes them.")
        return
    yield Finding("keys", "well", f"{len(keys.main)} in {path}.")


def check_files(settings: Settings) -> Iterator[Finding]:
    """Whether others can read keys or hands, or the file of a lock, which lets them hold it."""
    files = [settings.secrets_file, settings.home / "up.lock", settings.home / "parts.lock"]
    path = db.sqlite_path(settings.database_url)
    if path is not None:
        beside = ("", "-wal", "-shm", "-next", "-lock")
        files += (path.with_name(f"{path.name}{suffix}") for suffix in beside)
    found = [
        str(file)
        for file in files
        if file.exists() and not is_private(file) and not is_private(file.parent)
    ]
    if found:
        advice = shlex.join(["chmod", "600", *found])
        yield Finding("files", "wrong", f"Others can read {', '.join(found)}.", advice)


def check_home(settings: Settings) -> Iterator[Finding]:
    """Whether the home directory, for everything outside the database, is writable."""
    place = _nearest(settings.home)
    if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
        return
    yield Finding(
        "home",
        "wrong",
        f"{settings.home} cannot be written by who runs this.",
        "Make it a folder of the user that runs pbem (chown), or name another: --home, PBEM_HOME.",
    )


def _nearest(place: Path) -> Path:
    """The path, or its nearest parent that exists."""
    while not os.path.lexists(place):
        place = place.parent
    return place


# --- the web ---


def check_web(settings: Settings) -> Iterator[Finding]:
    """Sends a request to ``base_url``, as players reach it; the web proves itself by its keys."""
    if not settings.secrets_file.exists():
        return
    keys, address = load_keys(settings.secrets_file), settings.base_url
    seen = own_web.look(address, keys)
    if seen.ours:
        yield Finding("web", "well", f"It answers at {address}.")
        yield from _proxies(settings, seen.proxies)
        return
    here = f"http://{in_url(reachable(settings.host))}:{settings.port}"
    if here == address or not own_web.look(here, keys).ours:
        # it may run on another machine, but players do not reach it
        advice = "Start it: `pbem up`, or `pbem serve`."
        if here != address:
            advice += " Where it runs elsewhere: does base_url lead to it?"
        yield Finding("web", "wrong", f"It does not answer at {address}: {seen.why}.", advice)
        return
    yield Finding(
        "web",
        # with many routers, the public address cannot be reached from inside (no hairpin NAT)
        "note" if seen.late else "wrong",
        f"base_url does not lead here: {address}: {seen.why}. At {here} the web answers.",
        "All links in mails start with base_url. Set it to the address that players reach, and let "
        f"the reverse proxy there hand on to {here}. From outside, try {address}/healthz.",
    )


def _proxies(settings: Settings, proxies: int) -> Iterator[Finding]:
    trusted = settings.web.trusted_proxies
    if proxies > trusted:
        yield Finding(
            "web",
            "wrong",
            f"{proxies} of the proxies in front say who asks, and web.trusted_proxies is "
            f"{trusted}: to the limits everybody is one network.",
            f"Set web.trusted_proxies = {proxies}.",
        )
    elif proxies < trusted:
        yield Finding(
            "web",
            "note",
            f"web.trusted_proxies is {trusted}, and {proxies} proxies said who asks: whoever comes "
            "that way can choose the network that the limits count.",
            f"Let the proxy set X-Forwarded-For, or set web.trusted_proxies = {proxies}.",
        )


# --- database ---


def check_database(settings: Settings) -> Iterator[Finding]:
    kind = "SQLite" if settings.is_sqlite else "PostgreSQL"
    try:
        with closing(Database(settings.database_url)) as database:
            fitness.check_tables(database)
            fitness.check_writable(database)
            if settings.is_sqlite:
                # whether its lock can be had
                with fitness.answering(database), database.write() as session:
                    session.connection()
    except fitness.NotFit as error:
        yield Finding("database", "wrong", error.found, error.advice)
        return
    if settings.is_sqlite:
        with _reading(settings) as session:
            answer = session.connection().execute(text("PRAGMA quick_check")).scalar()
        if answer != "ok":
            yield Finding(
                "database",
                "wrong",
                f"SQLite finds its file damaged: {answer}",
                "Stop the service and restore a backup.",
            )
            return
    yield Finding(
        "database", "well", f"{kind}, with the tables of this version ({db.newest_revision()})."
    )


@contextmanager
def _reading(settings: Settings) -> Iterator[Session]:
    with closing(Database(settings.database_url)) as database, database.read() as session:
        yield session


# --- broker and workers ---


def check_broker(settings: Settings) -> Iterator[Finding]:
    where = broker.shown(settings.broker)
    try:
        broker.check(settings)
    except broker.Unusable as error:
        yield Finding("broker", "wrong", f"{where} {error.found}", error.advice)
        return
    yield Finding("broker", "well", f"{where} answers.")
    with broker.client(settings.broker) as client:
        asked = _configuration(client)
    for name, wanted, why in (
        ("appendonly", "yes", "forgets rings when it is restarted; they come with the next sweep"),
        ("maxmemory-policy", "noeviction", "may throw rings away when it is short of memory"),
    ):
        if asked.get(name, wanted) != wanted:
            yield Finding(
                "broker", "note", f"It {why}.", f"Set {name} {wanted} in its configuration."
            )


def _configuration(client: redis.Redis) -> dict[str, str]:
    try:
        answer: Any = client.config_get("appendonly", "maxmemory-policy")
    except redis.ResponseError:
        return {}  # hosted brokers refuse CONFIG
    return dict(answer)


def check_hearts(settings: Settings) -> Iterator[Finding]:
    beating = heartbeats.hearts(settings)
    for part, advice in (
        ("worker", "Start it: `pbem up`, or `celery -A workers.app worker`."),
        ("beat", "Start it: `pbem up`, or `celery -A workers.app beat`."),
    ):
        if beating[part]:
            yield Finding(part, "well", f"{len(beating[part])} alive.")
        else:
            yield Finding(part, "wrong", f"No {part} shows a heartbeat.", advice)


# --- what is due ---


def check_matches(settings: Settings) -> Iterator[Finding]:
    late = datetime.now(UTC) - PATIENCE
    matches = select(func.count()).select_from(Match)
    overdue = (col(Match.advance_due_at) < late, col(Match.set_aside_at).is_(None))
    with _reading(settings) as session:
        waiting = session.exec(matches.where(*overdue)).one()
        aside = session.exec(matches.where(col(Match.set_aside_at).is_not(None))).one()
    if waiting:
        yield Finding(
            "matches",
            "wrong",
            f"{waiting} should have been carried on more than {_minutes()} minutes ago.",
            "Look at the worker's log.",
        )
    if aside:
        yield Finding(
            "matches", "wrong", f"{aside} set aside with an error.", "`pbem stalled` shows them."
        )
    if not waiting and not aside:
        yield Finding("matches", "well", "Nothing is overdue.")


def check_outbox(settings: Settings) -> Iterator[Finding]:
    late = datetime.now(UTC) - PATIENCE
    unpaid = select(func.count()).select_from(Mail).where(text(UNPAID_MAILS))
    with _reading(settings) as session:
        owed = session.exec(unpaid).one()
        stuck = session.exec(unpaid.where(col(Mail.due_at) < late)).one()
        last = session.exec(
            select(Mail.last_error)
            .where(text(UNPAID_MAILS), col(Mail.last_error).is_not(None))
            .order_by(col(Mail.due_at).desc())
            .limit(1)
        ).first()
    if stuck:
        why = f" The relay said: {redact(last)}" if last else ""
        yield Finding(
            "outbox",
            "wrong",
            f"{stuck} of {owed} mails are overdue by more than {_minutes()} minutes.{why}",
            "Look at the finding about mail, and at the worker's log.",
        )
    else:
        yield Finding("outbox", "well", f"{owed} mails are owed, none is overdue.")


def _minutes() -> int:
    return int(PATIENCE.total_seconds() // 60)


# --- the machine ---


def check_clocks(settings: Settings) -> Iterator[Finding]:
    differences = {}
    try:
        with broker.client(settings.broker) as client:
            seconds, millionths = client.time()
        differences["the broker's"] = abs(seconds + millionths / 1e6 - time.time())
    except (redis.RedisError, OSError):
        pass  # reported by its own check
    if not settings.is_sqlite:
        sql = text("SELECT extract(epoch FROM clock_timestamp())")
        with _reading(settings) as session:
            there = session.connection().execute(sql).scalar_one()
            differences["the database's"] = abs(float(there) - time.time())
    worst = max(differences.values(), default=0.0)
    whose = " and ".join(f"{who} by {by:.1f} s" for who, by in differences.items())
    found = f"Off this machine's: {whose}." if whose else "Nothing to compare with."
    if worst > SKEW_NOTE:
        state: State = "wrong" if worst > SKEW_WRONG else "note"
        yield Finding("clocks", state, found, "Let a time service (NTP) set the clocks.")
    else:
        yield Finding("clocks", "well", found)


def check_disk(settings: Settings) -> Iterator[Finding]:
    place = _nearest(settings.home)
    free = shutil.disk_usage(place).free
    found = f"{free / (1 << 30):.1f} GB free in {place}."
    if free < SPACE_NOTE:
        state: State = "wrong" if free < SPACE_WRONG else "note"
        yield Finding("disk", state, found, "Make room; a full disk stops every match.")
    else:
        yield Finding("disk", "well", found)


def check_audit(settings: Settings) -> Iterator[Finding]:
    with _reading(settings) as session:
        wrong = audit.verify(session)
    for sentence in wrong[:5]:
        yield Finding("audit", "wrong", sentence, "Compare with a backup.")
    if not wrong:
        yield Finding("audit", "well", "The audit log is whole.")
