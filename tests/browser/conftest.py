"""A real web server on a free port, around a house whose matches the tests open and play."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug.serving import make_server
from werkzeug.wsgi import ClosingIterator

from pbem.config import Settings
from pbem.config.sections import Limits, Operator
from pbem.service import Service
from pbem.store.db import Database
from pbem.store.models import Match
from tests.parts.cast import KEYS
from tests.parts.chance import draws
from tests.web.conftest import HASH
from tests.web.house import WebHouse

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

pytestmark = pytest.mark.browser


@dataclass
class Site(WebHouse):
    """A house that browsers can come to."""

    address: str = ""
    #: Whether its answers come piece by piece, as over a slow line.
    slow: bool = False

    def turn_url(self, match: Match, seat: int) -> str:
        return self.address + self.turn_path(match, seat)


@pytest.fixture
def site(request: pytest.FixtureRequest, tmp_path: Path, sqlite_url: str) -> Iterator[Site]:
    with serve(tmp_path, sqlite_url, request.node.path.name) as found:
        yield found


class serve:
    """Serves a database while the block runs; ``name`` says how its chance falls."""

    def __init__(self, home: Path, url: str, name: str) -> None:
        self._home, self._url, self._entropy = home, url, draws(name)

    def __enter__(self) -> Site:
        # the port must be known before the application is made: links are built from the settings
        self._server = make_server("127.0.0.1", 0, lambda *_: [], threaded=True)
        address = f"http://127.0.0.1:{self._server.port}"
        settings = Settings(
            home=self._home,
            database_url=self._url,
            base_url=address,
            limits=Limits(requests_per_minute=100_000),
            operator=Operator(password_hash=HASH),
        )
        # the browser's clock is the real one, and so is this house's
        self._service = Service(settings, Database(self._url), KEYS, entropy=self._entropy)
        site = Site(self._service, address)
        self._server.app = _read_whole(site)
        self._server.log = lambda *_: None  # type: ignore[method-assign]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return site

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._service.database.close()


def _read_whole(site: Site) -> WSGIApplication:
    """Werkzeug's server leaves a file open when a browser hangs up while it comes."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        with closing(ClosingIterator(site.app.wsgi_app(environ, start_response))) as response:
            whole = b"".join(response)
        return _in_pieces(whole) if site.slow else [whole]

    return answer


def _in_pieces(whole: bytes, piece: int = 6_000, pause: float = 0.1) -> Iterator[bytes]:
    """What a browser shows while a page still comes, it lays out as if that were all."""
    for start in range(0, len(whole), piece):
        yield whole[start : start + piece]
        time.sleep(pause)


#: Said by the browser where it is too late to fade from one page to the next, which styles ask for
#: and no script of ours.
FADES_LEFT_OUT = {"Transition was aborted because of invalid state. Page already revealed"}


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page with scripts, that fails the test when one of them does."""
    yield from _page(browser)


@pytest.fixture
def plain_page(browser: Any) -> Iterator[Any]:
    """A page without scripts."""
    yield from _page(browser, java_script_enabled=False)


def _page(browser: Any, **options: Any) -> Iterator[Any]:
    context = browser.new_context(**options)
    page = context.new_page()
    page.click = _and_read(page, page.click)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.extend({str(error)} - FADES_LEFT_OUT))
    page.on(
        "console", lambda said: wrong.append(said.text) if "Content Security" in said.text else None
    )
    yield page
    context.close()
    assert wrong == []


def _and_read(page: Any, click: Callable[..., None]) -> Callable[..., None]:
    """A click that leads to another page ends when that page is read.

    Playwright's own ends at its first bytes: what is counted then may yet have to come.
    """

    def clicked(*where: Any, **options: Any) -> None:
        click(*where, **options)
        page.wait_for_load_state("domcontentloaded")

    return clicked
