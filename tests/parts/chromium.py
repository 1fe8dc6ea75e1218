"""The browser that pages are looked at with: Debian's Chromium, without a window."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: By preference: the shell without windows starts and opens a page in a quarter of the time.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")

#: No sandbox as root, and not a word to anyone outside.
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def program() -> str | None:
    """The path of a Chromium; None where there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


#: Its box is the same in four frames on end, and the letters are there.
STILL = """one => document.fonts.ready.then(() => new Promise((done) => {
  let [before, times] = ["", 0];
  const look = () => {
    const now = JSON.stringify(one.getBoundingClientRect());
    times = now === before ? times + 1 : 0;
    before = now;
    if (times < 4) requestAnimationFrame(look);
    else done();
  };
  look();
}))"""


def still(what: Any) -> Any:
    """The box of a locator's element when nothing moves it any more.

    A finger that aims while a page still scrolls or its letters come meets another thing.
    """
    what.evaluate(STILL)
    return what.bounding_box()


#: How a box fades at its edges; "none" where it does not.
FADING = "one => getComputedStyle(one).maskImage"


def fades_where_it_goes_on(box: Any) -> None:
    """Waits until a box fades below, and once it is read to its end no more."""
    one = box.element_handle()
    box.page.wait_for_function(f"one => ({FADING})(one).includes('to top')", arg=one)
    box.evaluate("one => one.scrollTo(0, one.scrollHeight)")
    box.page.wait_for_function(f"one => ({FADING})(one) === 'none'", arg=one)


@contextmanager
def launched() -> Iterator[Any]:
    """A running Chromium, as Playwright's ``Browser``."""
    from playwright.sync_api import expect, sync_playwright

    # as long as all else of it waits
    expect.set_options(timeout=30_000)
    with sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=program(), args=FLAGS)
        yield browser
        browser.close()
