"""The sections of the settings file: keys, defaults and bounds."""

from __future__ import annotations

import re
from datetime import timedelta
from ipaddress import ip_address
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationInfo,
    field_validator,
    model_validator,
)

from pbem import beacon
from pbem.clocks import deadlines
from pbem.clocks.durations import seconds_of


def duration(value: object) -> timedelta:
    """A span from text such as ``72h``, ``15m`` or ``1d12h``; ValueError if it cannot be read."""
    if isinstance(value, timedelta):
        return value
    try:
        return timedelta(seconds=seconds_of(str(value)))
    except (ValueError, OverflowError):
        raise ValueError('write a length of time as "72h", "15m", "3d" or "1d12h"') from None


Duration: TypeAlias = Annotated[timedelta, BeforeValidator(duration)]


#: Without letters that mail servers and the names of machines cannot have.
_ADDRESS = re.compile(r"[!-;=?A-~]{1,64}@[!-;=?A-~]{1,253}")
#: A salt of 8 bytes and a code of 16 at least: argon2 takes no shorter salt, and nobody makes less.
_ARGON2 = re.compile(
    r"\$argon2(id|i|d)(\$v=\d+)?\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]{11,}\$[A-Za-z0-9+/]{22,}"
)
_DSN = re.compile(r"https?://[^\s/@]+@[^\s/@]+/\S+")
_NAME = re.compile(r"(?a:[\w-]{1,63}(?:\.[\w-]{1,63})*\.?)")


def host_name(value: str) -> str:
    """The name of a machine, or its IP address; ValueError for a URL, or one with its port."""
    if value and not _NAME.fullmatch(value):
        try:
            ip_address(value)
        except ValueError:
            raise ValueError('write the name alone, in ASCII, as "mail.example.org"') from None
    return value


def mail_address(value: str) -> str:
    """An address that every mail server takes, or none; ValueError for another text."""
    if value and not _ADDRESS.fullmatch(value):
        raise ValueError('write an address in ASCII, as "games@example.org"')
    return value


MailAddress: TypeAlias = Annotated[str, Field(max_length=320), AfterValidator(mail_address)]
HostName: TypeAlias = Annotated[str, Field(max_length=253), AfterValidator(host_name)]


def _days(default: int) -> Any:
    return Field(default=timedelta(days=default), ge=timedelta(), le=timedelta(days=36_500))


def refuse_truth(cls: type[BaseModel], value: object, info: ValidationInfo) -> object:
    """The value of a setting; ValueError for true or false in place of a number, 1 or 0."""
    field = cls.model_fields[info.field_name or ""]
    if isinstance(value, bool) and field.annotation in (int, float):
        raise ValueError("write a number")
    return value


class Section(BaseModel):
    """Base of the file's sections: frozen, and unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    _numbers = field_validator("*", mode="before")(refuse_truth)


class Web(Section):
    """How many processes answer pages, and how many requests each of them at once."""

    workers: int = Field(default=1, ge=1, le=64)
    #: Besides requests that take long, which have threads of their own.
    threads: int = Field(default=2, ge=1, le=128)
    #: How many proxies in front of the web set X-Forwarded-For; 0: the header is not trusted.
    trusted_proxies: int = Field(default=0, ge=0, le=5)


class Work(Section):
    """How many processes the workers have, and how much one task does."""

    processes: int = Field(default=2, ge=1, le=64)
    #: Most rows that one task takes before it ends and lets others run.
    batch: int = Field(default=50, ge=1, le=1000)


class Mail(Section):
    """Outgoing mail."""

    mode: Literal["mailbox", "smtp"] = "mailbox"
    host: HostName = Field(default="localhost", min_length=1)
    port: int = Field(default=25, ge=1, le=65535)
    security: Literal["none", "starttls", "tls"] = "none"
    user: str = Field(default="", max_length=320)
    password: SecretStr = SecretStr("")
    from_address: MailAddress = Field(default="pbem@localhost", min_length=1)
    from_name: str = Field(default="pbem", max_length=80, pattern=r"^[^\r\n\x00]*$")
    #: Domain of the signed return path; empty: that of ``from_address``.
    return_path_domain: HostName = ""
    #: Domain of the addresses that answers go to; empty: that of ``from_address``.
    reply_domain: HostName = ""
    timeout_seconds: int = Field(default=20, ge=1, le=300)
    #: Most mails sent in one connection to the relay.
    per_connection: int = Field(default=50, ge=1, le=1000)

    @model_validator(mode="after")
    def _of_a_user(self) -> Mail:
        if self.password.get_secret_value() and not self.user:
            raise ValueError("password has no user")
        return self

    @model_validator(mode="after")
    def _domains(self) -> Mail:
        for name in ("return_path_domain", "reply_domain"):
            if not getattr(self, name):
                object.__setattr__(self, name, self.domain)
        return self

    @property
    def domain(self) -> str:
        """The domain of ``from_address``: that of our ids, and our name to a relay."""
        return self.from_address.rpartition("@")[2]


class Incoming(Section):
    """The doors for incoming mail: SMTP/LMTP, IMAP, a webhook. Each is closed by default."""

    lmtp_port: int = Field(default=0, ge=0, le=65535)
    lmtp_host: HostName = Field(default="127.0.0.1", min_length=1)
    #: ``lmtp`` behind an MTA, ``smtp`` if mail is delivered by SMTP.
    protocol: Literal["lmtp", "smtp"] = "lmtp"
    imap_host: HostName = ""
    imap_port: int = Field(default=993, ge=1, le=65535)
    imap_user: str = Field(default="", max_length=320)
    imap_password: SecretStr = SecretStr("")
    imap_folder: str = Field(default="INBOX", max_length=200, pattern=r"^[ -~]+$")
    #: What becomes of a letter in that mailbox once it is taken: marked as read, or deleted.
    imap_taken: Literal["keep", "delete"] = "keep"
    imap_seconds: int = Field(default=60, ge=5, le=3600)
    #: Key of the webhook's signature, 32 characters or more; empty: the webhook is closed.
    webhook_key: SecretStr = SecretStr("")
    #: The name that the operator's mail server puts first in the ``Authentication-Results`` that it
    #: writes (RFC 8601); empty: nothing is believed of it.
    authserv_id: str = Field(default="", max_length=253, pattern=r"^[!-~]*$")
    #: An answer that quotes our mail carries its picture: see docs/decisions/letters.md.
    max_bytes: int = Field(default=2_097_152, ge=10_000, le=10_000_000)

    @property
    def is_open(self) -> bool:
        """Whether any of these doors is open."""
        return bool(self.lmtp_port or self.imap_host or self.webhook_key.get_secret_value())

    @model_validator(mode="after")
    def _whole_mailbox(self) -> Incoming:
        # a password may be missing: commands at a terminal have not always the variable
        if self.imap_password.get_secret_value() and not self.imap_user:
            raise ValueError("imap_password has no imap_user")
        if bool(self.imap_host) != bool(self.imap_user):
            raise ValueError(
                "imap_host has no imap_user" if self.imap_host else "imap_user has no imap_host"
            )
        return self

    @field_validator("webhook_key")
    @classmethod
    def _long_enough(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value() and len(value.get_secret_value()) < 32:
            raise ValueError("the key needs 32 characters or more")
        return value


class Operator(Section):
    """The login to the operator's pages, and the operator's address. No hash: nobody can log in."""

    name: str = Field(default="operator", min_length=1, max_length=80)
    #: From ``pbem hash-password``.
    password_hash: SecretStr = SecretStr("")
    #: The address for mails to the operator; empty: there are none.
    address: MailAddress = ""

    @field_validator("password_hash")
    @classmethod
    def _is_argon2(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value() and not _ARGON2.fullmatch(value.get_secret_value()):
            raise ValueError("this is not a whole argon2 hash: make one with `pbem hash-password`")
        return value


class Limits(Section):
    """The limits for one request, mail address, network address or host."""

    body_bytes: int = Field(default=1_048_576, ge=10_000, le=50_000_000)
    form_memory_bytes: int = Field(default=524_288, ge=10_000, le=50_000_000)
    form_parts: int = Field(default=200, ge=10, le=10_000)
    requests_per_minute: int = Field(default=600, ge=10, le=1_000_000)
    matches_per_hour: int = Field(default=60, ge=1, le=1_000_000)
    #: Pictures of boards for messengers, of one network address: each costs processor time.
    pictures_per_minute: int = Field(default=60, ge=1, le=1_000_000)
    #: Whole matches to be made into animated pictures, asked for by one network address.
    animations_per_hour: int = Field(default=6, ge=1, le=1_000_000)
    links_per_address_per_hour: int = Field(default=4, ge=1, le=1000)
    links_per_network_per_hour: int = Field(default=40, ge=1, le=1_000_000)
    logins_per_quarter_hour: int = Field(default=10, ge=1, le=1000)
    #: However it is written; where mails leave this machine.
    invitations_per_address_per_day: int = Field(default=5, ge=1, le=1_000_000)
    open_matches_per_host: int = Field(default=100, ge=1, le=1_000_000)
    #: Of tables that have not begun: seats that were left open and that one address has taken.
    open_seats_per_address: int = Field(default=10, ge=1, le=1_000_000)
    #: What one seat of a match may say in a day.
    messages_per_seat_per_day: int = Field(default=100, ge=1, le=100_000)


class BeaconRounds(Section):
    """The public beacon in the dice: where its rounds come from, and which chain it is."""

    #: None: on, unless mails stay on this machine or only this machine reaches the pages.
    enabled: bool | None = None
    #: Servers of the chain. They are asked one after another for /public/ROUND.
    urls: tuple[str, ...] = Field(
        default=(
            f"https://api.drand.sh/{beacon.QUICKNET_HASH}",
            f"https://api2.drand.sh/{beacon.QUICKNET_HASH}",
            f"https://drand.cloudflare.com/{beacon.QUICKNET_HASH}",
        ),
        min_length=1,
        max_length=8,
    )
    public_key: str = Field(default=beacon.QUICKNET.public_key, max_length=192)
    period: int = Field(default=beacon.QUICKNET.period, ge=1, le=3600)
    genesis: int = Field(default=beacon.QUICKNET.genesis, ge=0, le=1 << 40)
    #: Seconds that one server may take.
    timeout_seconds: int = Field(default=5, ge=1, le=30)
    #: How long after its round's time a match begins without it.
    patience: Duration = Field(default=timedelta(minutes=2), ge=timedelta(), le=timedelta(days=7))

    @field_validator("urls")
    @classmethod
    def _over_tls(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for url in value:
            try:
                parts = urlsplit(url)
                # asking for a port that is none raises a ValueError, too
                known = parts.hostname and parts.port != 0
            except ValueError:
                parts, known = urlsplit(""), False
            safe = parts.scheme == "https" or (parts.scheme == "http" and is_here(parts.hostname))
            if not safe or not known or parts.query or parts.fragment or parts.username:
                raise ValueError('write each as "https://api.drand.sh/CHAIN"')
        return tuple(url.rstrip("/") for url in value)

    @field_validator("public_key")
    @classmethod
    def _a_key(cls, value: str) -> str:
        if value != beacon.QUICKNET.public_key and not beacon.is_public_key(value):
            raise ValueError("this is not the public key of a chain: 192 hexadecimal signs")
        return value

    @property
    def chain(self) -> beacon.Chain:
        return beacon.Chain(self.public_key, self.period, self.genesis)


def is_here(host: str | None) -> bool:
    """Whether this is a name or an address of this machine that no other one can mean."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False


class Clocks(Section):
    """The clock of a match if its host does not set one; no longer than one that a host may set."""

    turn: Duration = Field(
        default=timedelta(hours=72), ge=timedelta(minutes=1), le=deadlines.LONGEST
    )
    reserve: Duration = Field(default=timedelta(hours=96), ge=timedelta(), le=deadlines.LONGEST)
    grace: Duration = Field(
        default=timedelta(minutes=15), ge=timedelta(), le=deadlines.LONGEST_GRACE
    )


class Keep(Section):
    """How long what is over is kept as it was; zero: for ever."""

    #: A match that has been over for so long is packed, and its mails are deleted.
    unpacked: Duration = _days(30)
    #: Mails of no match, or of one that was packed before, are deleted when they are so old.
    mails: Duration = _days(30)
    #: The addresses of players and host of a match that has been over for so long are deleted.
    addresses: Duration = _days(365)


class Log(Section):
    """What is logged, and in which format."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    #: ``auto``: readable on a terminal, JSON otherwise.
    format: Literal["auto", "console", "json"] = "auto"
    #: Address of a Sentry project; empty: nothing is reported.
    sentry_dsn: SecretStr = SecretStr("")

    @field_validator("sentry_dsn")
    @classmethod
    def _is_a_dsn(cls, value: SecretStr) -> SecretStr:
        dsn = value.get_secret_value()
        try:
            # asking for a port that is none raises a ValueError, too
            known = _DSN.fullmatch(dsn) and urlsplit(dsn).port != 0
        except ValueError:
            known = False
        if dsn and not known:
            raise ValueError('write it as Sentry shows it, as "https://KEY@sentry.example.org/1"')
        return value
