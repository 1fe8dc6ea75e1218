"""What people and programs write may be one long word, and no page is wider for it."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.acts import deliverability, matches
from pbem.store.models import Match
from pbem.store.names import Purpose
from pbem.words.texts import MAX_NAME
from tests.browser.conftest import Site
from tests.parts import remedies
from tests.parts.cast import address, people
from tests.web.house import PASSWORD

pytestmark = pytest.mark.browser

#: Words of a chart that go over an edge of the screen.
CUT = """() => [...document.querySelectorAll(".chart text")].filter((one) => {
  const { left, right } = one.getBoundingClientRect();
  return left < 0 || right > innerWidth;
}).map((one) => `${innerWidth} ${one.textContent}`)"""
LONG = matches.NewSeat(name="W" * MAX_NAME, email=f"{'long.' * 12}name@example.org")


def test_pages_are_no_wider_for_a_long_word(site: Site, page: Any) -> None:
    """A name, an address, the answer of a mail service, an error."""
    alice, _, *others = people(4)
    seats = [alice, LONG, *others]
    lobby, match = site.open(confirmed=False, seats=seats), site.running(seats=seats)
    said = f"550 5.1.1 no_such_user_{'x' * 200}"
    deliverability.mail_refused(site.service, match.id, 1, str(LONG.email), said)
    failed, over = site.running(seats=seats), site.running(seats=seats)
    remedies.abort(site.service, over.id, actor="host")
    with site.service.database.write("test") as session:
        row = session.get(Match, failed.id)
        assert row is not None
        row.set_aside_at, row.set_aside_error = site.service.now(), f"KeyError: '{'x' * 200}'"
    page.goto(f"{site.address}/operator/login")
    page.fill("[name=name]", "operator")
    page.fill("[name=password]", PASSWORD)
    page.click("main form button")
    page.wait_for_url("**/operator")
    paths = [f"/m/{one.id}" for one in (lobby, match, over)]
    paths += [f"/m/{over.id}?ply=0", site.turn_path(match, 0)]
    paths += [site.path(lobby, Purpose.JOIN, 0), site.path(match, Purpose.SEAT, 0)]
    paths += [site.path(one, Purpose.HOST, -1) for one in (lobby, match)]
    paths += ["/operator", f"/operator/match/{match.id}", f"/operator/match/{failed.id}"]

    wider = []
    for path in paths:
        page.goto(site.address + path)
        for width in (320, 1280):
            page.set_viewport_size({"width": width, "height": 740})
            found = page.evaluate("document.documentElement.scrollWidth")
            wider += [(path[:30], width, found)] if found > width else []

    assert wider == []


def test_a_long_name_begins_beside_its_mark(site: Site, page: Any) -> None:
    match = site.running(seats=[LONG, *people(4)[1:]])
    page.set_viewport_size({"width": 320, "height": 740})
    page.goto(f"{site.address}/m/{match.id}")

    below = page.evaluate(
        """() => [...document.querySelectorAll("ul.seats li")].filter((seat) => {
          const [mark, name] = [".mark", ".name"].map(
            (one) => seat.querySelector(one).getBoundingClientRect(),
          );
          return name.top > mark.top + mark.height / 2;
        }).map((seat) => seat.textContent.trim())"""
    )

    assert page.locator("ul.seats li .name").count() == 4
    assert below == []


def test_the_words_of_a_chart_are_whole_on_a_phone(site: Site, page: Any) -> None:
    names = ("Alessandra M", "Maximiliana von Thurn", "Bartholomew", "Christopher")
    seats = [matches.NewSeat(name=name, email=address(name[:3])) for name in names]
    match = site.play_on(site.running(seats=seats, language="es"), plies=30)
    remedies.abort(site.service, match.id, actor="host")
    page.context.set_extra_http_headers({"Accept-Language": "es"})
    page.goto(f"{site.address}/m/{match.id}")

    cut = []
    for width in (320, 360):
        page.set_viewport_size({"width": width, "height": 740})
        cut += page.evaluate(CUT)

    assert page.locator(".chart text", has_text="Reparto 1").count() == 1
    assert cut == []
