"""Settings: one TOML file; the environment overrides it, and flags override both.

Every key has a default, bounds and a line in ``config.example.toml``. The key ``port`` in the
section ``mail`` of the file is the variable ``PBEM_MAIL_PORT`` in the environment. Unknown keys are
refused, with the nearest known key: to ignore a misspelt setting silently would cost more than a
start that fails.

The file is the one that ``--config`` or ``PBEM_CONFIG`` names, else ``config.toml`` in the home
directory, if it is there. The keys that sign links are not in it, but in a file of mode 0600
(``pbem.store.keys``).
"""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import quote, urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from pbem import beacon
from pbem.clocks.durations import seconds_of, span_text
from pbem.errors import ConfigError
from pbem.store.keys import Keys, load_keys
from pbem.words import texts

PREFIX = "PBEM_"

#: Variables of this prefix that are not settings: where the file is, and what only tests read.
NOT_SETTINGS = frozenset(
    {"PBEM_CONFIG", "PBEM_REQUIRE_ALL", "PBEM_TEST_DATABASE_URL", "PBEM_TEST_SEED"}
)

#: Longest path of a Unix socket that every system takes (macOS: 104 bytes with the end mark).
SOCKET_PATH_BYTES = 100


#: How characters with a meaning in a URL are written in its user and password.
ENCODED = (
    "in its user and password write @ as %40, / as %2F, : as %3A, # as %23, ? as %3F, % as %25"
)


def duration(value: object) -> timedelta:
    """A span from text such as ``72h``, ``15m`` or ``1d12h``; ValueError if it cannot be read."""
    if isinstance(value, timedelta):
        return value
    try:
        return timedelta(seconds=seconds_of(str(value)))
    except (ValueError, OverflowError):
        raise ValueError('write a length of time as "72h", "15m", "3d" or "1d12h"') from None


def duration_text(value: timedelta) -> str:
    """The text that ``duration`` reads back: ``3d``, ``1d12h``, ``15m``, ``0s``."""
    return span_text(int(value.total_seconds()))


Duration: TypeAlias = Annotated[
    timedelta, BeforeValidator(duration), PlainSerializer(duration_text, return_type=str)
]


def _days(default: float, low: float, high: float) -> Any:
    return Field(default=timedelta(days=default), ge=timedelta(days=low), le=timedelta(days=high))


class Section(BaseModel):
    """Base of the file's sections: frozen, and unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Web(Section):
    """How many processes and threads answer pages."""

    workers: int = Field(default=1, ge=1, le=64)
    threads: int = Field(default=8, ge=1, le=128)
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
    host: str = Field(default="localhost", min_length=1, max_length=253)
    port: int = Field(default=25, ge=1, le=65535)
    security: Literal["none", "starttls", "tls"] = "none"
    user: str = Field(default="", max_length=320)
    password: SecretStr = SecretStr("")
    from_address: str = Field(default="pbem@localhost", pattern=r"^[^@\s<>]{1,64}@[^@\s<>]{1,253}$")
    from_name: str = Field(default="pbem", max_length=80, pattern=r"^[^\r\n\x00]*$")
    #: Domain of the signed return path; empty: that of ``from_address``.
    return_path_domain: str = Field(default="", max_length=253, pattern=r"^[^@\s<>]*$")
    #: Domain of the addresses that answers go to; empty: that of ``from_address``.
    reply_domain: str = Field(default="", max_length=253, pattern=r"^[^@\s<>]*$")
    timeout_seconds: int = Field(default=20, ge=1, le=300)
    #: Most mails sent in one connection to the relay.
    per_connection: int = Field(default=50, ge=1, le=1000)

    @model_validator(mode="after")
    def _domains(self) -> Mail:
        domain = self.from_address.rpartition("@")[2]
        for name in ("return_path_domain", "reply_domain"):
            if not getattr(self, name):
                object.__setattr__(self, name, domain)
        return self


class Incoming(Section):
    """The doors for incoming mail: SMTP/LMTP, IMAP, a webhook. Each is closed by default."""

    lmtp_port: int = Field(default=0, ge=0, le=65535)
    lmtp_host: str = Field(default="127.0.0.1", min_length=1, max_length=253)
    #: ``lmtp`` behind an MTA, ``smtp`` if mail is delivered by SMTP.
    protocol: Literal["lmtp", "smtp"] = "lmtp"
    imap_host: str = Field(default="", max_length=253)
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
    address: str = Field(default="", max_length=320, pattern=r"^$|^[^@\s<>]{1,64}@[^@\s<>]{1,253}$")

    @field_validator("password_hash")
    @classmethod
    def _is_argon2(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value() and not value.get_secret_value().startswith("$argon2"):
            raise ValueError("this is not an argon2 hash: make one with `pbem hash-password`")
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
    #: Whole matches as animated pictures, of one network address.
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
            parts = urlsplit(url)
            safe = parts.scheme == "https" or (parts.scheme == "http" and _is_here(parts.hostname))
            if not safe or not parts.hostname or parts.query or parts.fragment or parts.username:
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


def _is_here(host: str | None) -> bool:
    """Whether this is a name of this machine that no other one can mean."""
    return host in ("localhost", "::1") or (host or "").startswith("127.")


class Clocks(Section):
    """The clock of a match if its host does not set one."""

    turn: Duration = Field(
        default=timedelta(hours=72), ge=timedelta(minutes=1), le=timedelta(days=366)
    )
    reserve: Duration = Field(default=timedelta(hours=96), ge=timedelta(), le=timedelta(days=366))
    grace: Duration = Field(default=timedelta(minutes=15), ge=timedelta(), le=timedelta(days=7))


class Keep(Section):
    """How long what is over is kept as it was; zero: for ever."""

    #: A match that has been over for so long is packed, and its mails are deleted.
    unpacked: Duration = _days(30, 0, 36_500)
    #: Mails of no match, or of one that was packed before, are deleted when they are so old.
    mails: Duration = _days(30, 0, 36_500)
    #: The addresses of players and host of a match that has been over for so long are deleted.
    addresses: Duration = _days(365, 0, 36_500)


class Log(Section):
    """What is logged, and in which format."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    #: ``auto``: readable on a terminal, JSON otherwise.
    format: Literal["auto", "console", "json"] = "auto"
    #: Address of a Sentry project; empty: nothing is reported.
    sentry_dsn: SecretStr = SecretStr("")


class Settings(BaseSettings):
    """All settings, made by ``load_settings``; ``Settings()`` has the defaults.

    If ``base_url``, ``database_url`` or ``allow_confirmed_seats`` is left empty, it gets a value
    that follows from the others.
    """

    model_config = SettingsConfigDict(
        extra="forbid",
        frozen=True,
        env_prefix=PREFIX,
        env_nested_delimiter="_",
        env_nested_max_split=1,
        env_ignore_empty=True,
        hide_input_in_errors=True,
    )

    home: Path = Path("var")
    host: str = Field(default="127.0.0.1", min_length=1, max_length=253)
    port: int = Field(default=8000, ge=1, le=65535)
    base_url: str = Field(default="", max_length=500)
    database_url: str = Field(default="", max_length=1000, repr=False)
    #: Empty: the embedded broker, a Redis or Valkey that `pbem up` starts.
    broker_url: str = Field(default="", max_length=1000, repr=False)
    #: Empty: ``secrets.toml`` in the home directory, made on first use.
    secrets_file: Path | None = None
    sweep_seconds: float = Field(default=15, ge=0.2, le=600)
    language: Literal["en", "es"] = "en"
    zone: str = Field(default="UTC", max_length=60)
    #: Whether a match can be opened with seats that count as joined. None: only in mailbox mode.
    allow_confirmed_seats: bool | None = None

    web: Web = Web()
    work: Work = Work()
    mail: Mail = Mail()
    incoming: Incoming = Incoming()
    operator: Operator = Operator()
    limits: Limits = Limits()
    beacon: BeaconRounds = BeaconRounds()
    clocks: Clocks = Clocks()
    keep: Keep = Keep()
    log: Log = Log()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only the given values: ``load_settings`` has already read the file and environment."""
        return (init_settings,)

    @field_validator("secrets_file", mode="before")
    @classmethod
    def _nothing_is_none(cls, value: object) -> object:
        return value or None

    @field_validator("zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        if value not in texts.zones():
            raise ValueError('this is not a time zone; write it as "Europe/Madrid" or "UTC"')
        return value

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in ("http", "https") or not parts.hostname or parts.query):
            raise ValueError('write the address players reach, as "https://games.example.org"')
        return value.rstrip("/")

    @field_validator("database_url")
    @classmethod
    def _database(cls, value: str) -> str:
        scheme = value.partition("://")[0].partition("+")[0]
        if value and scheme not in ("sqlite", "postgresql", "postgres"):
            raise ValueError('write "postgresql://user:password@host/name" or "sqlite:///path"')
        _refuse_bare_signs(value)
        try:
            make_url(value or "sqlite://")
        except (ArgumentError, ValueError):
            raise ValueError(f"this cannot be read as a URL; {ENCODED}") from None
        if scheme in ("postgresql", "postgres"):
            return "postgresql+psycopg://" + value.partition("://")[2]
        return value

    @field_validator("broker_url")
    @classmethod
    def _broker(cls, value: str) -> str:
        if value and value.partition("://")[0] not in ("redis", "rediss", "redis+socket"):
            raise ValueError('write "redis://:password@host:6379/0"')
        _refuse_bare_signs(value)
        parts = urlsplit(value)
        try:
            cut = parts.port is not None and "@" in f"{parts.path}{parts.query}{parts.fragment}"
        except ValueError:
            cut = True
        if cut:
            raise ValueError(f"this cannot be read as a URL; {ENCODED}")
        return value

    @model_validator(mode="after")
    def _fill_in(self) -> Settings:
        fill = {"home": self.home.expanduser().absolute()}
        host = {"0.0.0.0": "localhost", "::": "localhost"}.get(self.host, self.host)  # noqa: S104
        host = f"[{host}]" if ":" in host else host
        values: dict[str, object] = {
            **fill,
            "base_url": self.base_url or f"http://{host}:{self.port}",
            "database_url": self.database_url or f"sqlite:///{fill['home'] / 'pbem.sqlite3'}",
            "secrets_file": (self.secrets_file or fill["home"] / "secrets.toml").absolute(),
            "allow_confirmed_seats": self.allow_confirmed_seats
            if self.allow_confirmed_seats is not None
            else self.mail.mode == "mailbox",
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        return self

    # --- what follows from the settings ---

    @property
    def is_sqlite(self) -> bool:
        return self.database_url.startswith("sqlite")

    @property
    def embedded_broker(self) -> bool:
        return not self.broker_url

    @property
    def broker_socket(self) -> Path:
        """The Unix socket of the embedded broker, in a folder whose path is short enough."""
        path = self.home / "broker" / "broker.sock"
        if len(os.fsencode(path)) <= SOCKET_PATH_BYTES:
            return path
        name = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"pbem-{os.getuid()}-{name}" / "broker.sock"

    @property
    def broker(self) -> str:
        """The broker's address, as Celery reads it."""
        return self.broker_url or f"redis+socket://{quote(str(self.broker_socket))}"

    @property
    def mailbox(self) -> bool:
        """Whether it is mailbox mode: mails are kept and shown on a page, and not sent."""
        return self.mail.mode == "mailbox"

    @property
    def uses_beacon(self) -> bool:
        """Whether the public beacon goes into the dice of matches."""
        if self.beacon.enabled is not None:
            return self.beacon.enabled
        return not self.mailbox and not _is_here(urlsplit(self.base_url).hostname)

    @property
    def takes_letters(self) -> bool:
        """Whether mail can come in: by a door, or by the mailbox's page."""
        return self.mailbox or self.incoming.is_open

    def keys(self) -> Keys:
        """The keys that sign links, made on first use; KeysError if the file cannot be used."""
        assert self.secrets_file is not None  # filled in above
        return load_keys(self.secrets_file, make=True)


def _refuse_bare_signs(url: str) -> None:
    """ValueError if the password in a URL is not percent-encoded: the rest would be misread."""
    if url.count("@") > 1:
        raise ValueError(f"it has more than one @; {ENCODED}")
    if re.search("%(?![0-9A-Fa-f]{2})", url):
        raise ValueError(f"it has a % that stands for nothing; {ENCODED}")


def reachable(host: str) -> str:
    """An address by which this machine reaches what listens on ``host``, even on all addresses."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104


def leaves(model: type[BaseModel] = Settings, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Every key of the settings, like ``mail.port``."""
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Section):
            yield from leaves(kind, (*path, name))
        else:
            yield ".".join((*path, name))


def variable(key: str) -> str:
    """The environment variable of a key: ``PBEM_MAIL_PORT`` for ``mail.port``."""
    return PREFIX + key.replace(".", "_").upper()


def load_settings(config: Path | str | None = None, **over: Any) -> Settings:
    """The settings of this machine: defaults, the file, the environment, then ``over``.

    ``over`` are flags by top-level name; None means the flag was not given. Raises ConfigError.
    """
    given = {name: value for name, value in over.items() if value is not None}
    surroundings = _from_environment()
    path = _file(config, given, surroundings)
    from_file = _from_file(path) if path else {}
    values: dict[str, Any] = {**from_file}
    for name, value in surroundings.items():
        both = isinstance(value, dict) and isinstance(values.get(name), dict)
        values[name] = {**values[name], **value} if both else value
    try:
        return Settings(**{**values, **given})
    except ValidationError as error:
        raise ConfigError(*_sentences(error, given, surroundings, path)) from None


def strange_variables() -> list[str]:
    """Variables named PBEM_... that are no settings and resemble none; `pbem doctor` lists them.

    They are not refused, because container platforms add their own (``PBEM_SERVICE_HOST``).
    """
    known = {variable(key) for key in leaves()} | NOT_SETTINGS
    return sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)


def _file(
    config: Path | str | None, given: Mapping[str, Any], surroundings: Mapping[str, Any]
) -> Path | None:
    named = config or os.environ.get("PBEM_CONFIG")
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise ConfigError(f"There is no settings file {path}.")
        return path
    home = Path(given.get("home") or surroundings.get("home") or "var").expanduser()
    path = home / "config.toml"
    return path if path.is_file() else None


def _from_file(path: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not in TOML: {error}.") from None
    unknown = [key for key in _keys_of(values) if key not in set(leaves())]
    if unknown:
        raise ConfigError(*(f"{path}: {_unknown(key)}" for key in unknown))
    return values


def _keys_of(values: Mapping[str, Any], path: str = "") -> Iterator[str]:
    sections = {key.rpartition(".")[0] for key in leaves()}
    for name, value in values.items():
        key = f"{path}{name}"
        if isinstance(value, dict) and key in sections:
            yield from _keys_of(value, f"{key}.")
        elif key not in sections:
            yield key


def _unknown(key: str) -> str:
    known = [*leaves(), *{key.rpartition(".")[0] for key in leaves()} - {""}]
    near = difflib.get_close_matches(key, known, 1, 0.6) or [
        other for other in known if other.rpartition(".")[2] == key.rpartition(".")[2]
    ]
    hint = f" Did you mean {near[0]}?" if near else " config.example.toml has all that are."
    return f"there is no setting called {key}.{hint}"


def _from_environment() -> dict[str, Any]:
    known = {variable(key): key for key in leaves()}
    for name in strange_variables():
        near = difflib.get_close_matches(name, known, 1, 0.9)
        if near:
            raise ConfigError(
                f"The environment has {name}, which is no setting. Did you mean {near[0]}?"
            )
    try:
        return EnvSettingsSource(Settings)()
    except SettingsError as error:
        raise ConfigError(f"The environment cannot be read: {error}.") from None


def _sentences(
    error: ValidationError,
    given: Mapping[str, Any],
    surroundings: Mapping[str, Any],
    path: Path | None,
) -> list[str]:
    out = []
    for problem in error.errors(include_url=False, include_input=False, include_context=False):
        key = ".".join(str(part) for part in problem["loc"])
        top, _, rest = key.partition(".")
        inside = surroundings.get(top)
        if top in given:
            origin = f"--{top}"
        elif top in surroundings and (not isinstance(inside, dict) or rest in inside):
            origin = variable(key)
        else:
            origin = f"{path}: {key}" if path else key
        reason = problem["msg"].removeprefix("Value error, ")
        out.append(f"{origin} cannot be used: {reason[:1].lower()}{reason[1:]}.")
    return out
