"""The lines for reverse proxies in the operator's guide, with the proxies that they are for."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import socket
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from pbem.bench._places import place
from pbem.bench._servers import web
from pbem.config.sections import Limits, Web
from tests.parts.certificates import Authority
from tests.parts.ports import free_port
from tests.parts.processes import start, stop, wait_until
from tests.security.slow_connections import held

pytestmark = pytest.mark.process

GUIDE = Path(__file__).parents[2] / "docs" / "operators.md"
TOKEN = "1-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#: Requests a minute that the service allows a network.
ALLOWED = 20

NGINX = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
user {user};
events {{}}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {lines}
}}
"""


@dataclass(frozen=True)
class Proxy:
    """A proxy that runs, as the guide sets it up but for names, ports and files."""

    port: int
    authority: Authority
    folder: Path

    def status(self, path: str, **headers: str) -> int:
        context = self.authority.client()
        with closing(
            http.client.HTTPSConnection("localhost", self.port, timeout=20, context=context)
        ) as connection:
            connection.request("GET", path, headers=headers)
            return connection.getresponse().status

    def wrote(self) -> str:
        return "".join(
            file.read_text(errors="replace") for file in self.folder.rglob("*") if file.is_file()
        )


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def proxy(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Proxy]:
    name = request.param
    program = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip(f"{name}: not on this machine (Debian: apt install {name})")
    folder = tmp_path_factory.mktemp(name)
    authority = Authority(tmp_path_factory.mktemp("authority"))
    certificate, key = authority.files(tmp_path_factory.mktemp("certificate"), "localhost")
    with place("sqlite", tmp_path_factory.mktemp("service")) as here, here.service() as service:
        settings = service.settings.model_copy(
            update={
                "web": Web(workers=1, trusted_proxies=1),
                "limits": Limits(requests_per_minute=ALLOWED),
            }
        )
        port = free_port()
        lines = documented(name).replace("127.0.0.1:8000", f"127.0.0.1:{settings.port}")
        if name == "nginx":
            lines = lines.replace("listen 443", f"listen 127.0.0.1:{port}")
            lines = re.sub("/etc/ssl/certs/.*pem", str(certificate), lines)
            lines = re.sub("/etc/ssl/private/.*key", str(key), lines)
            user = "root" if os.geteuid() == 0 else "nobody"
            lines = NGINX.format(folder=folder, lines=lines, user=user)
            command = [program, "-c", str(folder / "lines"), "-p", str(folder)]
        else:
            # no port of the machine's own, and no certificate from outside
            lines = lines.replace("{", "{\n admin off\n auto_https disable_redirects", 1)
            site = f"https://localhost:{port} {{\n tls {certificate} {key}"
            lines = lines.replace("games.example.org {", site)
            command = [program, "run", "--adapter", "caddyfile", "--config", str(folder / "lines")]
        (folder / "lines").write_text(lines)
        known = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder)}
        with web(settings):
            process = start(command, folder / "output", env=known)
            wait_until(lambda: listens(port), (folder / "output").read_text())
            yield Proxy(port, authority, folder)
            stop(process)


def documented(language: str) -> str:
    """The block of the guide in this language."""
    found = re.search(rf"^```{language}\n(.*?)^```", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def test_pages_come_through_it_beside_slow_connections(proxy: Proxy) -> None:
    with held(proxy.port, "nothing", 200):
        assert proxy.status("/healthz") == 200


def test_it_writes_no_link_down(proxy: Proxy) -> None:
    assert proxy.status(f"/t/{TOKEN}") == 404

    assert TOKEN not in proxy.wrote()


def test_nobody_chooses_the_network_that_is_counted(proxy: Proxy) -> None:
    """All these come from one network, whatever they say."""
    answers = {
        proxy.status("/", **{"X-Forwarded-For": f"203.0.113.{number}"})
        for number in range(2 * ALLOWED)
    }

    assert answers == {200, 429}
