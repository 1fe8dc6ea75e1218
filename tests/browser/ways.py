"""Three ways in which a person makes a turn on its page: by touch, by keys, without scripts.

Each chooses at random, by a seed, among what the page offers, and counts what it takes. Nothing of
a game's rules is here: what can be chosen carries ``data-choice``, and a choice that the service
refuses is made anew, as a person would.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import Counter
from typing import Any, ClassVar

from playwright.sync_api import TimeoutError

#: How often somebody chooses on one page before it counts as a page without a way on.
TRIES = 80
#: How many steps of the Tab key a page may have.
TABS = 400

#: What can be touched now: elements, each where a finger would touch it.
TOUCHABLE = """() => {
  const found = new Set();
  for (const one of document.querySelectorAll("main [data-choice]")) {
    const number = one.matches("input[type=number]");
    const shown = number ? one.closest(".ware").querySelector("label.card")
      : one.closest("label") ?? one;
    const off = [one, shown, one.closest(".ware")].some((each) => each && (
      each.matches(".cannot, [aria-disabled=true], [aria-pressed=true], .chosen:not(.ware)")
      || each.disabled || each.checked || each.querySelector?.("input:checked")
      || each.querySelector?.("input[aria-description]")));
    const box = shown.getBoundingClientRect();
    if (off || !box.width || !box.height || getComputedStyle(shown).visibility === "hidden")
      continue;
    if (shown.matches("label") && box.width < 8) continue;
    if (one instanceof SVGElement && !one.matches("a, .can")) continue;
    found.add(shown);
  }
  return [...found];
}"""
#: What can be reached by keys: controls that are not for the eye alone.
REACHABLE = """() => [...document.querySelectorAll("main [data-choice]")].map((one) =>
    one.matches("label") ? one.querySelector("input") : one
  ).filter((one) => {
    if (!one || one.disabled || one.checked) return false;
    if (one.matches("[aria-disabled=true], [aria-pressed=true], [aria-description]")) return false;
    const closed = one.closest("details:not([open])");
    if (closed && !one.closest("summary")) return false;
    return one.checkVisibility({ visibilityProperty: true }) && one.tabIndex >= 0;
  })"""
#: The places that the chosen man of the skirmish can go to, where the map shows them now.
GROUND = """() => {
  const map = document.querySelector("svg.skirmish-map");
  const man = document.querySelector("#skirmish details.man[open]");
  const tool = document.querySelector('.tools [aria-pressed="true"][data-kind="go"]');
  if (!map || !man || !tool) return [];
  const frame = map.closest(".map-window").getBoundingClientRect();
  const depth = map.dataset.depth / 1000;
  return [...man.querySelectorAll(`optgroup[data-gait="${tool.dataset.tool}"] option`)]
    .map((one) => one.dataset.at.split(",").map(Number))
    .map(([x, y]) => new DOMPoint(x * 20, (depth - y) * 20).matrixTransform(map.getScreenCTM()))
    .filter(({ x, y }) => x > frame.left + 8 && x < frame.right - 70
      && y > Math.max(0, frame.top) + 8 && y < Math.min(innerHeight, frame.bottom) - 8)
    .map(({ x, y }) => [x, y]);
}"""
#: The button that ends an activation.
ENDS = "#skirmish .tools .ends"
IS_DRAWN = "(one) => one instanceof SVGElement"
READY = """() => {
  const button = document.getElementById("preview");
  return button && button.getAttribute("aria-disabled") !== "true";
}"""


class NoWayOnError(Exception):
    """The page offers nothing with which its player could go on."""


class Way(ABC):
    """One way to make turns; ``counted`` has how many touches, keys or clicks, and scrolls."""

    name = ""
    options: ClassVar[dict[str, Any]] = {}
    #: Milliseconds that it waits for a page to have blended in.
    blends_in = 0

    def __init__(self, page: Any, seed: int) -> None:
        self.page, self.chance = page, random.Random(seed)
        self.counted: Counter[str] = Counter()

    @abstractmethod
    def press(self, one: Any) -> None:
        """Presses what was found on the page, as this way does it."""

    @abstractmethod
    def choose(self) -> None:
        """Chooses a whole order; the button that goes on is ready afterwards."""

    def go(self, selector: str) -> None:
        """Presses a button that leads to another page."""
        try:
            # not any navigation: scripts note in the address what is chosen, on the same page
            with self.page.expect_event("domcontentloaded"):
                self.press(self.page.query_selector(selector))
        except TimeoutError:
            raise NoWayOnError(f"{selector} leads nowhere") from None
        self.seen_whole()

    def seen_whole(self) -> None:
        """Waits: a page that blends in takes no touch, and nobody touches what they do not see."""
        self.page.wait_for_timeout(self.blends_in)

    def tick(self, selector: str) -> None:
        for one in self.page.query_selector_all(selector):
            self.press(one)


class WithScripts(Way):
    """The page answers while an order is chosen part by part."""

    def choose(self) -> None:
        orders = self.chance.randint(1, 3)
        for _ in range(TRIES):
            self.settled()
            if self.page.query_selector("#confirm"):
                return self.seen_whole()
            told = len(self.page.query_selector_all("#skirmish .told > li"))
            if self.ready() and (not told or told >= orders) and self.chance.random() < 0.8:
                return
            if told >= orders and self.page.query_selector(ENDS):
                # the script goes to the preview by itself
                return self.go(ENDS)
            if not self.choose_part(told < orders):
                return
        raise NoWayOnError(f"{TRIES} choices make no order")

    @abstractmethod
    def choose_part(self, goes_on: bool) -> bool:
        """Chooses one part more, perhaps of one order more if the list ``goes_on``.

        Returns whether there was one. NoWayOnError if there is none and the order is not whole.
        """

    def settled(self) -> None:
        """Waits until the page has answered."""
        self.page.wait_for_timeout(30)
        self.page.wait_for_selector("#skirmish:not([aria-busy]), main:not(:has(#skirmish))")

    def ready(self) -> bool:
        return bool(self.page.evaluate(READY))

    def elements(self, script: str) -> list[Any]:
        found = self.page.evaluate_handle(script)
        return [one.as_element() for one in found.get_properties().values()]


class Touch(WithScripts):
    """Fingers on the table: cards, pieces, spaces, ground. Lists are for others."""

    name = "touch"
    blends_in = 350
    options: ClassVar[dict[str, Any]] = {
        "has_touch": True,
        "viewport": {"width": 360, "height": 740},
    }

    def press(self, one: Any) -> None:
        before = self.page.evaluate("scrollY")
        x, y = one.evaluate(
            """(one) => {
              const at = () => {
                const sign = one instanceof SVGElement ? one.querySelector("use") ?? one : one;
                const box = sign.getBoundingClientRect();
                const wide = Math.min(box.right, innerWidth) - Math.max(box.left, 0);
                return [Math.max(box.left, 0) + wide / 2, box.top + box.height / 2];
              };
              const seen = ([x, y]) => {
                const top = document.elementFromPoint(x, y);
                return top && (one.contains(top) || top.contains(one) || top.closest("svg.board"));
              };
              const box = one.getBoundingClientRect();
              if (box.right < 16 || box.left > innerWidth - 16 || !seen(at()))
                one.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
              return at();
            }"""
        )
        self.counted["scrolls"] += self.page.evaluate("scrollY") != before
        self.tap(x, y)

    def tap(self, x: float, y: float) -> None:
        self.counted["taps"] += 1
        self.page.touchscreen.tap(x, y)

    def choose_part(self, goes_on: bool) -> bool:
        ground = self.page.evaluate(GROUND)[::7]
        touchable = [*self.elements(TOUCHABLE), *ground]
        if not touchable and self.ready():
            return False
        if not touchable:
            raise NoWayOnError("nothing can be touched")
        # who has taken a card looks at the board next
        on_board = [each for each in touchable if each in ground or each.evaluate(IS_DRAWN)]
        if on_board and self.chance.random() < 0.75:
            touchable = on_board
        one = self.chance.choice(touchable)
        if isinstance(one, list):
            self.tap(*one)
        else:
            self.press(one)
        return True


class Keys(WithScripts):
    """Tab and Shift+Tab, arrows, Enter and Space."""

    name = "keys"

    def key(self, name: str) -> None:
        self.counted["keys"] += 1
        self.page.keyboard.press(name)

    def press(self, one: Any) -> None:
        self.reach(one)
        kind = one.evaluate(
            "(one) => one.matches('a') ? 'a' : one.matches('button, summary') ? 'button' : one.type"
        )
        if kind != "radio" or not one.is_checked():
            self.key("Enter" if kind in ("a", "button") else "Space")

    def reach(self, one: Any) -> None:
        """Moves the focus there: by Tab, and by arrows within a group of radio buttons."""
        same = """(one) => {
          const now = document.activeElement;
          if (now === one) return "here";
          const group = (each) => each.type === "radio" && `${each.name} ${each.form?.id}`;
          return group(now) && group(now) === group(one) ? "group" : "";
        }"""
        for _ in range(TABS):
            where = one.evaluate(same)
            if where == "here":
                return self.seen()
            self.key("ArrowDown" if where == "group" else "Tab")
        raise NoWayOnError(f"no key reaches {one.evaluate('(one) => one.outerHTML')[:200]}")

    def seen(self) -> None:
        """What has the focus is in the window, and nothing lies over it."""
        hidden = self.page.evaluate(
            """() => {
              const one = document.activeElement;
              const shown = one.closest("label") ?? one;
              const box = shown.getBoundingClientRect();
              if (box.width < 8) return "";
              const bar = document.querySelector("main .bar")?.getBoundingClientRect();
              const under = bar && !one.closest(".bar")
                && box.top >= bar.top && box.bottom <= bar.bottom + 1;
              const away = box.bottom < 0 || box.top > innerHeight;
              return under || away ? shown.outerHTML.slice(0, 160) : "";
            }"""
        )
        if hidden:
            self.counted[f"focus out of sight: {hidden}"] += 1

    def choose_part(self, goes_on: bool) -> bool:
        then = self.page.query_selector("#then:not([hidden])")
        if then and self.ready() and goes_on:
            self.press(then)
            return True
        found = self.elements(REACHABLE)
        lists = self.page.query_selector_all("#skirmish details[open] select.where:visible")
        closed = self.page.query_selector_all("#skirmish details.all:not([open]) > summary")
        if not (found or lists or closed):
            if self.ready():
                return False
            raise NoWayOnError("no key leads to a choice")
        one = self.chance.choice([*found, *lists, *closed])
        if one in lists:
            self.reach(one)
            for _ in range(self.chance.randint(1, 6)):
                self.key("ArrowDown")
        elif one.get_attribute("type") == "number":
            self.reach(one)
            self.key("ArrowUp")
        else:
            self.press(one)
        return True


class Plain(Way):
    """Without scripts: radio buttons, lists, numbers, links and submit."""

    name = "no-scripts"
    options: ClassVar[dict[str, Any]] = {"java_script_enabled": False}

    def press(self, one: Any) -> None:
        self.counted["clicks"] += 1
        one.scroll_into_view_if_needed()
        label = one.query_selector("xpath=ancestor::label")
        (label or one).click()

    def choose(self) -> None:
        """One of each group of fields that belong together, of what is listed."""
        if self.page.query_selector(".restart"):
            with self.page.expect_navigation():
                self.press(self.page.query_selector(".restart"))
        groups: dict[str, list[Any]] = {}
        for one in self.page.query_selector_all(
            "main form#move [data-choice], main form#move select[name=order]"
        ):
            name = one.get_attribute("name") or "links"
            groups.setdefault("order" if name == "links" else name, []).append(one)
        groups.pop("pick-card", None)
        one_alone = [name for name in groups if name in ("order", "pick-pass", "pick-nothing")]
        parts = [name for name in groups if name not in one_alone]
        if not groups:
            raise NoWayOnError("no field to choose by")
        if one_alone and (not parts or self.chance.random() < 0.1):
            return self.take(self.chance.choice(groups[self.chance.choice(one_alone)]))
        numbers = [name for name in parts if groups[name][0].get_attribute("type") == "number"]
        for name in [self.chance.choice(numbers)] if numbers else parts:
            self.take(self.chance.choice(groups[name]))

    def take(self, one: Any) -> None:
        """Chooses it, after what it is folded into was opened."""
        for fold in one.query_selector_all("xpath=ancestor::details[not(@open)]/summary"):
            self.press(fold)
        if one.get_attribute("href"):
            with self.page.expect_navigation():
                self.press(one)
            return self.choose()
        if one.get_attribute("type") == "number":
            self.counted["clicks"] += 1
            one.fill("1")
        elif one.get_attribute("name") == "order" and not one.get_attribute("type"):
            self.counted["clicks"] += 1
            values = [each.get_attribute("value") for each in one.query_selector_all("option")]
            one.select_option(self.chance.choice([value for value in values if value]))
        else:
            self.press(one)


WAYS: dict[str, type[Way]] = {way.name: way for way in (Touch, Keys, Plain)}
