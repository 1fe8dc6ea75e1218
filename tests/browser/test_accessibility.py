"""No page breaks a rule of WCAG 2 A or AA that axe-core can see.

On a desk and on a phone, light and dark, with scripts and without.

``tests/vendor`` holds axe-core 4.14.1 as npm has it, under the MPL 2.0; its licence lies beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.games.registry import games
from pbem.acts import deliverability, going_back, matches
from pbem.mail import animations, mailbox
from pbem.mail.mailer import post_due
from pbem.people import open_tables, persons, talk
from pbem.people.series import acts, rounds
from pbem.people.sweep import sweep as keep_company
from pbem.store import links
from pbem.store.models import Match
from pbem.store.names import Actor, MailKind, Purpose
from tests.browser.conftest import Site
from tests.mail.kinds import GOLDEN
from tests.parts import remedies
from tests.parts.cast import address, by, people
from tests.web.house import PASSWORD
from tests.web.routes import a_series, address_link
from tests.web.skirmish import activated
from tests.web.test_signing_in import link_of
from tests.web.test_standings import rated

pytestmark = pytest.mark.browser

AXE = (Path(__file__).parents[1] / "vendor" / "axe-4.14.1.min.js").read_text("utf-8")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
#: A page without scripts has no timers, and axe-core waits by them.
TIMERS = """() => {
  window.setTimeout = (act, wait, ...given) => { Promise.resolve().then(() => act(...given)); };
}"""
RUN = """async only => (await axe.run(document, {
    runOnly: only, resultTypes: ["violations"], iframes: false
})).violations.flatMap(found => found.nodes.slice(0, 3).map(
    node => `${found.id}: ${node.html.slice(0, 160)}`
))"""
#: Hints beside a field that no field has as its description, and descriptions that are not there.
DESCRIBED = """() => {
  const ids = [...document.querySelectorAll("[aria-describedby]")].flatMap(
    field => field.getAttribute("aria-describedby").split(" ").filter(Boolean)
  );
  const alone = [...document.querySelectorAll("span.hint")].filter(
    hint => !ids.includes(hint.id) && hint.previousElementSibling?.localName !== "button"
  );
  const gone = ids.filter(id => !document.getElementById(id));
  return [...alone.map(hint => `alone: ${hint.outerHTML}`), ...gone.map(id => `no #${id}`)];
}"""
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
#: Each page is loaded once, and shown in every width and theme, with one change at a time.
SHOWN = ((WIDE, "light"), (WIDE, "dark"), (NARROW, "dark"), (NARROW, "light"))
#: Of a page in its second theme only the colours are new.
THEMES = {"light": TAGS, "dark": ["color-contrast"]}
SCRIPTS = pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])


class Reader:
    """A browser that gathers what is wrong with the pages it comes to."""

    def __init__(self, site: Site, page: Any, scripts: bool) -> None:
        self.site, self.page, self.scripts = site, page, scripts
        self.wrong: list[str] = []
        self.shown = NARROW, "light"

    def go(self, path: str) -> None:
        self.page.goto(self.site.address + path)
        self.look(path)

    def press(self, what: str) -> None:
        """Presses a button and waits for the page that it leads to."""
        with self.page.expect_navigation():
            self.page.locator(what).first.click()

    def look(self, path: str) -> None:
        if not self.scripts:
            if not self.page.locator("script[src]").count():
                # a page that has no scripts was looked at where they run: it is the same here
                return
            self.page.evaluate(AXE)
            self.page.evaluate(TIMERS)
        self.wrong += [f"{path[:30]} {said}" for said in self.page.evaluate(DESCRIBED)]
        for size, theme in SHOWN:
            if theme == "dark" and not self.scripts and size is WIDE:
                # what scripts hide has the same colours in every width
                continue
            self.show(size, theme)
            told = self.page.evaluate(RUN, THEMES[theme])
            self.wrong += [f"{path[:30]} {size['width']} {theme} {said}" for said in told]

    def show(self, size: dict[str, int], theme: str) -> None:
        """Only what is another than before: the whole page is laid out and painted by it."""
        if size is not self.shown[0]:
            self.page.set_viewport_size(size)
        if theme != self.shown[1]:
            self.page.emulate_media(color_scheme=theme)
        self.shown = size, theme


@contextmanager
def reading(site: Site, browser: Any, scripts: bool) -> Iterator[Reader]:
    context = browser.new_context(
        java_script_enabled=scripts, viewport=NARROW, color_scheme="light", reduced_motion="reduce"
    )
    # each page of the context has it from its beginning, and the browser compiles it once
    context.add_init_script(AXE)
    reader = Reader(site, context.new_page(), scripts)
    yield reader
    context.close()
    assert not reader.wrong, "\n".join(sorted(set(reader.wrong)))


@SCRIPTS
@pytest.mark.parametrize("game", sorted(games()))
def test_the_pages_of_a_game_can_be_used_by_everybody(
    game: str, scripts: bool, site: Site, browser: Any
) -> None:
    match = site.of_game(game)
    with reading(site, browser, scripts) as reader:
        for begun in range(2):
            if begun:
                match = activated(site)[0] if game == "skirmish" else site.play_on(match, plies=9)
            if match.ended_at is not None:
                break
            seat = site.waiting(match)[0]
            path = site.turn_path(match, seat)
            reader.go(path)
            reader.page.fill("#order", site.good_order(match, seat))
            reader.press("#preview")
            reader.page.wait_for_selector("#confirm")
            reader.look(f"preview of {game}")
            for box in reader.page.locator("#confirm input[type=checkbox]").all():
                box.check()
            reader.press("#confirm button")
            reader.look(f"receipt of {game}")
            site.work()
            reader.go(f"/m/{match.id}")
            if not begun:
                reader.go(f"/m/{match.id}?ply=1")
        if match.ended_at is None:
            remedies.abort(site.service, match.id, actor="host")
        for path in ("", "?ply=2", "?ply=2&eyes=1", "/rules", "/rules/summary"):
            reader.go(f"/m/{match.id}{path}")
        reader.go(f"/m/{match.id}/animation")
        reader.press("main form button")
        reader.look("a picture that is being made")
        # that page goes on by itself as soon as the picture is there
        reader.page.goto("about:blank")
        animations.make_due(site.service)
        reader.go(f"/m/{match.id}/animation")
        reader.go(f"/new?game={game}")
        reader.go(f"/rules/{game}")


@SCRIPTS
def test_the_pages_of_every_match_and_of_the_service_can_be_used_by_everybody(
    scripts: bool, site: Site, browser: Any
) -> None:
    lobby, match = site.of_game("dog", confirmed=False), site.of_game("dog")
    site.play(match, 0)
    talk.allow(site.service, match.id, True, actor=Actor.HOST)
    talk.say(site.service, by(site.service, match.id, 2), "table", "Good evening", "to all")
    talk.say(site.service, by(site.service, match.id, 2), 0, "Shall we?", "to one")
    talk.write_note(site.service, by(site.service, match.id, 2), "Alice swaps early.")
    deliverability.mail_refused(site.service, match.id, 1, address("bob"), "550 5.1.1 unknown user")
    while post_due(site.service):
        pass
    with site.service.database.write("test") as session:
        table = site.table(match)
        mute = links.make(session, Purpose.MUTE, match, table.seats[0], site.service.now())
    mail = mailbox.listed(site.service, address("carol"))[-1]
    with reading(site, browser, scripts) as reader:
        for path in (
            "/",
            "/new",
            "/rules",
            "/home",
            "/dev/mail",
            f"/dev/mail/{mail.id}",
            "/dev/look",
        ):
            reader.go(path)
        reader.go("/operator/login")
        reader.go("/t/nothing")
        reader.go(f"/m/{lobby.id}")
        reader.go(site.path(lobby, Purpose.JOIN, 1))
        reader.press("text=Join the match")
        reader.look("joined")
        reader.go(site.turn_path(match, 0))
        reader.page.goto(site.address + site.turn_path(match, 2))
        reader.page.locator("details.talk > summary").click()
        reader.page.locator("summary:text('Your note')").click()
        reader.look("a turn with words")
        reader.page.fill("[name=say]", "Well played")
        reader.press("[formaction]")
        reader.look("something was said")
        reader.go(site.path(match, Purpose.SEAT, 0))
        reader.press("text=Resign")
        reader.look("resign")
        reader.go(f"/u/{site.token(mute)}")
        for one in (lobby, match):
            reader.go(site.path(one, Purpose.HOST, links.HOST))
        reader.press("form.remedy:has([value=reissue-host]) button")
        reader.look("remedy")
        reader.go(link_of(site, "alice"))
        reader.press("main button")
        reader.look("home")
        reader.go("/home/settings")


@SCRIPTS
def test_open_tables_and_rematches_can_be_used_by_everybody(
    scripts: bool, site: Site, browser: Any
) -> None:
    new = open_tables.NewTable(
        game="dog",
        host=matches.Person("Alice", address("alice")),
        seats=[*people(2), *[matches.NewSeat(open=True)] * 2],
        confirmed=True,
        listed=True,
    )
    table = open_tables.create(site.service, new, proved=True)
    over = site.of_game("dog")
    remedies.abort(site.service, over.id, actor="host")
    with reading(site, browser, scripts) as reader:
        for path in ("/open", "/open?game=skirmish", f"/m/{table.id}", f"/open/{table.id}"):
            reader.go(path)
        reader.page.fill("#name", "Erin")
        reader.page.fill("#email", address("erin"))
        reader.press("button[data-primary]")
        reader.look("a seat is asked for")
        reader.go(mailed_path(site, "erin", "/open/take"))
        reader.press("button[data-primary]")
        reader.look("a seat is taken")
        reader.go(site.path(table, Purpose.HOST, links.HOST))
        reader.go("/open?game=dog")
        reader.page.fill("[name=email]", address("erin"))
        reader.press("#watch button")
        reader.look("a watch is asked for")
        reader.go(mailed_path(site, "erin", "/open/watch"))
        reader.go(f"{site.path(over, Purpose.SEAT, 1)}/rematch")
        reader.press("button[data-primary]")
        reader.look("a rematch is asked for")


def mailed_path(site: Site, name: str, door: str) -> str:
    """The path of the newest link of this door that was mailed to somebody."""
    while post_due(site.service):
        pass
    texts = [mail.text for mail in mailbox.listed(site.service, address(name))]
    return str([re.findall(rf"{door}/[\w-]+", text) for text in texts if door in text][-1][0])


@SCRIPTS
def test_the_operators_desk_can_be_used_by_everybody(
    scripts: bool, site: Site, browser: Any
) -> None:
    match, failed = site.of_game("dog"), site.of_game("dogs-of-war")
    deliverability.mail_refused(site.service, match.id, 1, address("bob"), "550 5.1.1 unknown user")
    with site.service.database.write("test") as session:
        row = session.get(Match, failed.id)
        assert row is not None
        row.set_aside_at, row.set_aside_error = site.service.now(), "ValueError: no such card"
    with reading(site, browser, scripts) as reader:
        reader.page.goto(f"{site.address}/operator/login")
        reader.page.fill("[name=name]", "operator")
        reader.page.fill("[name=password]", PASSWORD)
        reader.press("main form button")
        reader.page.wait_for_url("**/operator")
        reader.look("console")
        for path in ("matches", "matches?find=nothing", f"match/{match.id}", f"match/{failed.id}"):
            reader.go(f"/operator/{path}")
        reader.press("form.remedy:has([value=reissue-host]) button")
        reader.look("operator's remedy")
        reader.go(f"/operator/match/{match.id}/whole")
        reader.page.fill("[name=reason]", "Alice asked why")
        reader.page.check("[name=sure]")
        reader.press("form:has([name=reason]) button")
        reader.look("whole table")


@SCRIPTS
def test_the_page_that_asks_for_consent_can_be_used_by_everybody(
    scripts: bool, site: Site, browser: Any
) -> None:
    match, seat, _ = site.before_a_choice()
    site.play(match, seat, site.good_order(match, seat))
    site.play_on(match, plies=site.match(match.id).ply + 1)
    going_back.propose(site.service, site.link(match, Purpose.SEAT, seat))
    other = next(number for number in range(4) if number != seat)
    link = site.link(match, Purpose.CONSENT, other)
    with reading(site, browser, scripts) as reader:
        reader.go(f"/c/{site.token(link)}")
        reader.press("main form button")
        reader.look("answered")


@SCRIPTS
def test_the_page_that_asks_about_a_seat_can_be_used_by_everybody(
    scripts: bool, site: Site, browser: Any
) -> None:
    match = site.running()
    remedies.reissue(site.service, match.id, 1, actor="host")
    link = site.link(match, Purpose.PERMIT, 1)
    with reading(site, browser, scripts) as reader:
        reader.go(f"/y/{site.token(link)}")
        reader.page.check("[value=no]")
        reader.press("main form button")
        reader.look("answered")
        reader.go(site.path(match, Purpose.HOST, -1))


def test_every_kind_of_mail_can_be_read_by_everybody(site: Site, browser: Any) -> None:
    """As HTML, in both languages, as a mail program that shows it shows it."""
    mails = sorted(GOLDEN.glob("*/*.html"))
    assert {mail.parent.name for mail in mails} == {"en", "es"}
    with reading(site, browser, scripts=True) as reader:
        for mail in mails:
            reader.page.goto(mail.as_uri())
            reader.look(f"{mail.parent.name} {mail.stem}")


def test_the_pages_of_standings_and_series_can_be_used_by_everybody(
    site: Site, browser: Any
) -> None:
    rated(site, "alice", 30, 20, public="Ada")
    series = a_series(site)
    for name in ("bob", "carol", "dave", "erin"):
        with site.service.database.write("test") as session:
            person = persons.known(session, address(name), site.service.now())
        acts.enter_as(site.service, series, person, name.title())
    rounds.go_on(site.service, series)
    keep_company(site.service)
    about: dict[str, str | int] = {"series": series, "name": "Frank"}
    entry = address_link(site, MailKind.SERIES_ENTER, about)
    sign_in = address_link(site, MailKind.SIGN_IN, {})
    with reading(site, browser, scripts=True) as reader:
        for path in ("/standings", "/standings/dog", "/players/Ada", "/series"):
            reader.go(path)
        reader.go(f"/series/{series}")
        reader.go(f"/series/enter/{entry}")
        reader.page.goto(f"{site.address}/home/{sign_in}")
        reader.press("main form button")
        for path in ("/series/new", "/series/new?game=dog", f"/series/{series}"):
            reader.go(path)
