"""The relay over TLS, with a login: by STARTTLS and from the first byte, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from pbem.config.sections import Mail as MailSettings
from pbem.running import doctor
from pbem.store.names import MailStatus
from tests.mail.office import Office, office_service
from tests.parts.certificates import Authority
from tests.parts.ports import free_port
from tests.parts.relay import Relay, _Handler

SECURITY = pytest.mark.parametrize("security", ["starttls", "tls"])
LOGIN = (b"pbem", b"correct horse")


def _authenticate(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> Any:
    assert isinstance(data, LoginPassword)
    # not handled: the relay itself says 535 to a wrong login
    return AuthResult(success=(data.login, data.password) == LOGIN, handled=False)


@contextmanager
def secure_relay(security: str, context: Any) -> Iterator[Relay]:
    """A relay that takes mail from who has logged in over TLS, and from nobody else."""
    port = free_port()
    relay = Relay("localhost", port)
    how: dict[str, Any] = (
        {"tls_context": context, "require_starttls": True}
        if security == "starttls"
        # aiosmtpd does not count TLS from the first byte as TLS
        else {"ssl_context": context, "auth_require_tls": False}
    )
    controller = Controller(
        _Handler(relay),
        hostname="localhost",
        port=port,
        authenticator=_authenticate,
        auth_required=security == "starttls",
        **how,
    )
    controller.start()
    yield relay
    controller.stop()


@contextmanager
def office_at(home: Path, url: str, relay: Relay, **mail: Any) -> Iterator[Office]:
    login = {"user": LOGIN[0].decode(), "password": LOGIN[1].decode()}
    section = MailSettings(
        **{"mode": "smtp", "host": relay.host, "port": relay.port, "timeout_seconds": 10}
        | login
        | mail
    )
    service = office_service(home, url)
    settings = service.settings.model_copy(update={"mail": section})
    yield Office(replace(service, settings=settings))
    service.database.close()


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    made = Authority(tmp_path)
    made.trusted(monkeypatch)
    return made


def states(office: Office) -> set[MailStatus]:
    return {mail.status for mail in office.mails()}


def relay_findings(office: Office) -> list[str]:
    return [finding.state for finding in doctor.check_relay(office.service.settings)]


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
@SECURITY
def test_mails_go_out_over_tls_with_a_login(
    security: str, authority: Authority, tmp_path: Path, sqlite_url: str
) -> None:
    with (
        secure_relay(security, authority.server("localhost")) as relay,
        office_at(tmp_path, sqlite_url, relay, security=security) as office,
    ):
        office.open(confirmed=False)

        office.post_all()

        assert states(office) == {MailStatus.SENT}
        assert len(relay.taken) == 5
        assert relay_findings(office) == ["well"]


@SECURITY
@pytest.mark.parametrize("wrong", ["another authority", "another name"])
def test_a_relay_with_a_wrong_certificate_gets_neither_mail_nor_password(
    wrong: str, security: str, authority: Authority, tmp_path: Path, sqlite_url: str
) -> None:
    (tmp_path / "other").mkdir()
    context = (
        Authority(tmp_path / "other").server("localhost")
        if wrong == "another authority"
        else authority.server("elsewhere.example.org")
    )
    with (
        secure_relay(security, context) as relay,
        office_at(tmp_path, sqlite_url, relay, security=security) as office,
    ):
        office.open(confirmed=False)

        office.post_all()

        assert relay.taken == []
        assert states(office) == {MailStatus.PENDING}
        told = [mail.last_error for mail in office.mails() if mail.last_error]
        assert told
        assert all("certificate verify failed" in one for one in told)
        assert relay_findings(office) == ["wrong"]


def test_a_relay_that_offers_no_tls_where_it_is_asked_for_gets_nothing(
    smtp_server: Relay, tmp_path: Path, sqlite_url: str
) -> None:
    """Somebody in between may have taken the offer out."""
    with office_at(tmp_path, sqlite_url, smtp_server, security="starttls") as office:
        office.open(confirmed=False)

        office.post_all()

        assert smtp_server.taken == []
        assert states(office) == {MailStatus.PENDING}


@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
def test_a_login_may_have_letters_that_are_not_ascii(
    authority: Authority, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sqlite_url: str
) -> None:
    monkeypatch.setattr(f"{__name__}.LOGIN", ("peña".encode(), "contraseña".encode()))
    with (
        secure_relay("tls", authority.server("localhost")) as relay,
        office_at(tmp_path, sqlite_url, relay, security="tls") as office,
        office_at(tmp_path, sqlite_url, relay, security="tls", password="señal") as refused,
    ):
        office.open(confirmed=False)

        office.post_all()

        assert states(office) == {MailStatus.SENT}
        assert relay_findings(office) == ["well"]
        assert relay_findings(refused) == ["wrong"]


@SECURITY
def test_a_login_that_is_refused_loses_no_mail(
    security: str, authority: Authority, tmp_path: Path, sqlite_url: str
) -> None:
    with secure_relay(security, authority.server("localhost")) as relay:
        with office_at(tmp_path, sqlite_url, relay, security=security, password="wrong") as office:
            office.open(confirmed=False)
            office.post_all()
            assert relay.taken == []
            assert states(office) == {MailStatus.PENDING}
            errors = [mail.last_error or "" for mail in office.mails()]
            assert any("535" in error for error in errors)
            assert not any("wrong" in error for error in errors)
            assert relay_findings(office) == ["wrong"]
        with office_at(tmp_path, sqlite_url, relay, security=security) as office:
            office.clock.move(timedelta(minutes=5))

            office.post_all()

            assert states(office) == {MailStatus.SENT}
