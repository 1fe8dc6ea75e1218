"""Plays a match to its end in a real browser: one person against bots.

usage: python -m tests.browser.whole_match GAME --by touch|keys|no-scripts
           [--seed N] [--phone] [--turns N] [--minutes N] [--pictures FOLDER]

The person touches the table only, presses keys only, or has no scripts, and chooses at random
among what the page offers (:mod:`tests.browser.ways`). The next turn is found by the page's own
button. At the end stands how many turns and touches it took, stage by stage, and every moment at
which a page offered no way on; then the exit code is 1. ``--turns`` ends a long match early, and
says so.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

from engine.games.registry import games
from pbem.acts import matches
from pbem.mail.mailer import post_due
from pbem.store import db
from tests.browser.conftest import Site, serve
from tests.browser.ways import WAYS, NoWayOnError, Way
from tests.parts import chromium
from tests.parts.cast import address

PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 900}
#: How often the service may refuse what was chosen in one turn.
REFUSALS = 40
STAGE = """() => {
  const one = document.querySelector("#dog, #dogs-of-war, #skirmish");
  return one ? one.dataset.stage ?? one.dataset.phase : "";
}"""

#: Elements that reach beyond the window, and are not in something that scrolls.
TOO_WIDE = """() => [...document.querySelectorAll("body *:not(svg *)")].filter((one) => {
  if (one.getBoundingClientRect().right <= innerWidth + 0.5) return false;
  for (let each = one.parentElement; each !== document.body; each = each.parentElement)
    if (getComputedStyle(each).overflowX !== "visible") return false;
  return true;
}).map((one) => one.outerHTML.slice(0, 90)).slice(0, 3).join(" | ")"""


class Play:
    """One match and the person who plays it."""

    def __init__(self, site: Site, game: str, way: Way, pictures: Path | None) -> None:
        self.site, self.way, self.page, self.pictures = site, way, way.page, pictures
        meta = games()[game].meta
        first, bot = meta.learnt_by, meta.bots[0]
        alice = matches.NewSeat(name="Alice", email=address("alice"))
        others = [matches.NewSeat(bot=bot) for _ in range(first.seats - 1)]
        self.match = site.running(game=game, seats=[alice, *others], options=first.options)
        self.turns = 0
        self.stages: dict[str, list[Counter[str]]] = defaultdict(list)
        self.wrong: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(f"script: {error}"))

    def to_the_end(self, turns: int, until: float) -> str:
        """Plays; returns how it ended in a word or two."""
        self.page.goto(self.site.turn_url(self.match, 0))
        while self.turns < turns and time.monotonic() < until:
            while post_due(self.site.service):
                pass
            if self.page.query_selector("form#move"):
                self.turn()
            elif self.page.query_selector("[data-next]"):
                self.on()
            elif self.site.match(self.match.id).ended_at:
                self.shoot("end")
                return "played to its end"
            else:
                raise NoWayOnError("neither a turn nor a way to the next")
        return f"left after {self.turns} turns"

    def turn(self) -> None:
        """One turn from its page to its receipt."""
        before, stage = Counter(self.way.counted), self.page.evaluate(STAGE) if self.scripts else ""
        stage = stage or self.stage_of_service()
        self.shoot(stage)
        self.fits(stage)
        for _ in range(REFUSALS):
            self.way.choose()
            if not self.page.query_selector("#confirm"):
                self.way.go("#preview")
            if self.page.query_selector("#confirm"):
                break
            self.way.counted["refused"] += 1
        else:
            raise NoWayOnError(f"refused {REFUSALS} times")
        self.shoot(f"{stage}-preview")
        self.fits(f"{stage}-preview")
        self.way.tick("#confirm input[type=checkbox]")
        self.way.go("#confirm [data-primary]")
        self.site.work()
        self.turns += 1
        self.stages[stage].append(Counter(self.way.counted) - before)

    def on(self) -> None:
        """To the next turn, by the button of the page."""
        self.shoot("receipt")
        self.fits("receipt")
        self.site.work()
        self.way.go("[data-next]")
        if self.page.query_selector("[data-next]") and not self.page.query_selector("form#move"):
            raise NoWayOnError("the button leads to no turn, though the bots have moved")

    @property
    def scripts(self) -> bool:
        return self.way.options.get("java_script_enabled", True)

    def stage_of_service(self) -> str:
        one = self.page.query_selector("#dog, #dogs-of-war, #skirmish")
        return (
            (one.get_attribute("data-stage") or one.get_attribute("data-phase") or "")
            if one
            else ""
        )

    def shoot(self, name: str) -> None:
        """A picture of the first page of each kind."""
        if self.pictures is None:
            return
        file = self.pictures / f"{self.match.game}-{self.way.name}-{name.replace(' ', '-')}.png"
        if not file.exists():
            self.page.screenshot(path=file)

    def fits(self, stage: str) -> None:
        """The page is no wider than the window, and its button is in it."""
        wide = self.page.viewport_size["width"]
        button = self.page.query_selector("main [data-primary]")
        box = button.bounding_box() if button else None
        if self.scripts and self.page.evaluate("document.documentElement.scrollWidth") > wide:
            self.wrong.append(f"{stage}: wider than the window, by {self.page.evaluate(TOO_WIDE)}")
        if self.scripts and (
            box is None or box["y"] + box["height"] > self.page.viewport_size["height"]
        ):
            self.wrong.append(f"{stage}: the button that goes on is not in the first screen")

    def report(self) -> None:
        for stage, turns in self.stages.items():
            names = sorted({name for turn in turns for name in turn})
            said = [
                f"{name} {sum(turn[name] for turn in turns) / len(turns):.1f}"
                f" (most {max(turn[name] for turn in turns)})"
                for name in names
            ]
            print(f"  {stage}: {len(turns)} turns; of each: {', '.join(said)}")
        for said, number in Counter(self.wrong).items():
            print(f"  wrong: {said} ({number} times)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("game", choices=sorted(games()))
    parser.add_argument("--by", choices=list(WAYS), default="touch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--phone", action="store_true", help="360 by 740, as touch always is")
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--pictures", type=Path, help="a folder for a picture of each kind of page")
    parser.add_argument("--requests", action="store_true", help="say each request")
    asked = parser.parse_args()
    logging.getLogger("werkzeug").disabled = not asked.requests
    if asked.pictures:
        asked.pictures.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as home:
        url = f"sqlite:///{home}/pbem.sqlite3"
        db.upgrade(url)
        with (
            serve(Path(home), url, f"whole match {asked.seed}") as site,
            chromium.launched() as browser,
        ):
            way = WAYS[asked.by]
            size = {"viewport": PHONE if asked.phone else DESK, **way.options}
            page = browser.new_context(**size).new_page()
            play = Play(site, asked.game, way(page, asked.seed), asked.pictures)
            try:
                ended = play.to_the_end(asked.turns, began + 60 * asked.minutes)
            except NoWayOnError as error:
                ended = f"no way on: {error}; {page.url}"
                page.screenshot(path=Path(tempfile.gettempdir()) / "no-way-on.png", full_page=True)
                play.wrong.append(ended)
            ply = site.match(play.match.id).ply
            counted = ", ".join(f"{name} {number}" for name, number in play.way.counted.items())
            print(f"{asked.game} by {asked.by}, seed {asked.seed}: {ended}.")
            print(
                f"  {play.turns} turns of {ply} moves, {counted}, {time.monotonic() - began:.0f} s"
            )
            play.report()
    sys.exit(bool(play.wrong))


if __name__ == "__main__":
    main()
