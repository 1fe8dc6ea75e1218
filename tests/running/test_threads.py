"""What the threads of the web share: each hears the truth, and nothing ends the process."""

from __future__ import annotations

import ast
import http.client
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from pbem.config import Settings, load_settings
from pbem.running.web_process import web_answers, web_command
from pbem.service import Service, open_service
from pbem.store import db
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.parts.cast import House
from tests.parts.ports import free_port
from tests.parts.processes import start, stop, wait_until
from tests.running.hammer import QUESTIONS

ROOT = Path(__file__).parents[2]
CLIENTS = 4
VISITS = 6


@pytest.fixture(scope="module")
def hammer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], tuple[str, str]]]:
    """What it says to a question, and the errors that it wrote; it imports once for all of them."""
    errors = tmp_path_factory.mktemp("hammer") / "errors"
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.running.hammer"]
    with (
        errors.open("w") as said,
        subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            bufsize=1,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(what: str) -> tuple[str, str]:
            print(what, file=process.stdin, flush=True)
            return process.stdout.readline().strip(), errors.read_text()[-3000:]

        yield ask


@pytest.mark.parametrize("what", QUESTIONS)
def test_threads_that_ask_at_once_hear_what_one_alone_hears(
    what: str, hammer: Callable[[str], tuple[str, str]]
) -> None:
    ended, errors = hammer(what)

    assert ended == "0", errors


@pytest.fixture(scope="module")
def trees() -> list[tuple[str, ast.Module]]:
    """The code of the engine and of the service, by file."""
    files = (*ROOT.glob("engine/**/*.py"), *ROOT.glob("pbem/**/*.py"))
    return [(file.relative_to(ROOT).as_posix(), ast.parse(file.read_text())) for file in files]


def test_types_are_worked_out_in_one_place(trees: list[tuple[str, ast.Module]]) -> None:
    """msgspec must not work out two types at once: only engine.codec asks it to."""
    asking = []
    for file, tree in trees:
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            typed = any(word.arg == "type" for word in node.keywords)
            # one without a type has nothing to work out
            if called == "msgspec.convert" or (
                (called == "msgspec.json.Decoder" and (typed or node.args))
                or (called == "msgspec.json.decode" and typed)
            ):
                asking.append(file)

    assert set(asking) == {"engine/codec.py"}


def test_nothing_multiplies_matrices(trees: list[tuple[str, ast.Module]]) -> None:
    """After such a product the threads of OpenBLAS spin: a picture took 11 ms more."""
    products = {"dot", "vdot", "inner", "matmul", "tensordot", "linalg"}
    found = []
    for file, tree in trees:
        for node in ast.walk(tree):
            operator = getattr(node, "op", None)
            if isinstance(operator, ast.MatMult) or getattr(node, "attr", "") in products:
                found.append(f"{file}: {ast.unparse(node)}")

    assert found == []


def test_nothing_that_is_kept_can_be_changed_by_who_gets_it(
    trees: list[tuple[str, ast.Module]],
) -> None:
    """What a cached function gives is given to others, too."""
    kept = set()
    for _, tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and any(
                "cache" in ast.unparse(mark) for mark in node.decorator_list
            ):
                assert node.returns is not None
                kept.add(ast.unparse(node.returns))

    changeable = [kind for kind in kept if kind.startswith(("list", "dict", "set"))]
    assert changeable == []
    assert {"Lattice", "Look", "Terrain"} <= kept


# --- a real web ---


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Service, Settings]]:
    """A web of one process and many threads, as ``pbem up`` starts it."""
    port = free_port()
    settings = load_settings(
        home=tmp_path, port=port, base_url=f"http://127.0.0.1:{port}", web={"workers": 1}
    )
    db.upgrade(settings.database_url)
    settings.keys()
    monkeypatch.setenv("PBEM_HOME", str(tmp_path))
    monkeypatch.setenv("PBEM_PORT", str(port))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    process = start(web_command(settings), tmp_path / "web.log")
    wait_until(lambda: web_answers(settings), (tmp_path / "web.log").read_text(), 60)
    service = open_service(settings)
    yield service, settings
    service.database.close()
    stop(process)


def asked(house: House) -> tuple[Match, str, list[str]]:
    """A skirmish in the middle of an activation: its link, and orders one might look at."""
    match = house.of_game("skirmish")
    while house.table(match).state.active is None:
        seat = house.waiting(match)[0]
        house.play(match, seat, house.good_order(match, seat), f"{house.match(match.id).ply}")
        house.work()
    seat, state = house.waiting(match)[0], house.table(match).state
    orders = [
        f"{name} walk to {man.x / 1000 + across:.1f},{man.y / 1000 + up:.1f}"
        for name in state.active.members
        if (man := state.model(name)) is not None
        for across in (-3.4, -0.6, 1.7)
        for up in (-2.1, 0.9, 3.8)
    ]
    return match, f"/t/{house.token(house.link(match, Purpose.TURN, seat))}", orders


def test_many_people_look_at_their_skirmish_at_once(web: tuple[Service, Settings]) -> None:
    """Nobody's answer is lost, and the process that gave them is alive."""
    service, settings = web
    _, path, orders = asked(House(service))
    answers: list[list[int]] = [[] for _ in range(CLIENTS)]
    begin = threading.Barrier(CLIENTS)

    def look(number: int) -> None:
        begin.wait()
        for visit in range(VISITS):
            answers[number].append(status(settings, "GET", path))
            order = orders[(number * VISITS + visit) % len(orders)]
            answers[number].append(status(settings, "POST", f"{path}/preview", order=order))

    looking = [threading.Thread(target=look, args=(number,)) for number in range(CLIENTS)]
    for client in looking:
        client.start()
    for client in looking:
        client.join()

    # an order may be refused, with the page and the reason
    assert [len(heard) for heard in answers] == [2 * VISITS] * CLIENTS
    assert {code for heard in answers for code in heard} <= {200, 422}
    assert sum(code == 200 for heard in answers for code in heard) > CLIENTS * VISITS
    log = (settings.home / "web.log").read_text()
    assert "was sent SIG" not in log
    assert log.count("Booting worker") <= 1


def status(settings: Settings, method: str, path: str, **form: str) -> int:
    """What a browser is answered, on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", settings.port, timeout=60)
    headers = {"Content-Type": "application/x-www-form-urlencoded"} if form else {}
    try:
        connection.request(method, path, urlencode(form) or None, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()
