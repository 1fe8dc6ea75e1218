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
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, urlsplit

from pydantic import (
    BaseModel,
    Field,
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

from pbem.config.sections import (
    BeaconRounds,
    Clocks,
    HostName,
    Incoming,
    Keep,
    Limits,
    Log,
    Mail,
    Operator,
    Section,
    Web,
    Work,
    is_here,
    refuse_truth,
)
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


class Settings(BaseSettings):
    """All settings, made by ``load_settings``; ``Settings()`` has the defaults.

    If ``base_url``, ``database_url``, ``secrets_file`` or ``allow_confirmed_seats`` is left empty,
    it gets a value that follows from the others.
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
    host: HostName = Field(default="127.0.0.1", min_length=1)
    port: int = Field(default=8000, ge=1, le=65535)
    base_url: str = Field(default="", max_length=500)
    database_url: str = Field(default="", max_length=1000, repr=False)
    #: Empty: the embedded broker, a Redis or Valkey that `pbem up` starts.
    broker_url: str = Field(default="", max_length=1000, repr=False)
    #: Empty: ``secrets.toml`` in the home directory, made on first use.
    secrets_file: Path = Path()
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

    _numbers = field_validator("*", mode="before")(refuse_truth)

    @field_validator("home", mode="before")
    @classmethod
    def _is_named(cls, value: object) -> object:
        if value == "":
            raise ValueError('write the path of a folder, as "/srv/pbem"')
        return value

    @field_validator("secrets_file", mode="before")
    @classmethod
    def _is_a_file(cls, value: object) -> object:
        # as a path it is the same as "", which stands for the file in the home
        if value and isinstance(value, str) and Path(value) == Path():
            raise ValueError('write the path of a file, as "/srv/pbem/secrets.toml"')
        return value

    @field_validator("home", "secrets_file")
    @classmethod
    def _path(cls, value: Path) -> Path:
        if "\x00" in str(value):
            raise ValueError("no path has a NUL in it")
        return value

    @field_validator("zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        if value not in texts.zones():
            raise ValueError('this is not a time zone; write it as "Europe/Madrid" or "UTC"')
        return value

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str) -> str:
        try:
            parts = urlsplit(value)
        except ValueError:
            parts = urlsplit("")
        more = parts.query or parts.fragment or "@" in parts.netloc or re.search(r"[\s\x00]", value)
        # asking for a port that is none raises a ValueError, too
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        if value and (more or not known):
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
            parts = make_url(value or "sqlite:///path")
            if parts.port is not None and not 0 < parts.port < 1 << 16:
                raise ValueError
        except (ArgumentError, ValueError):
            raise ValueError(f"this cannot be read as a URL; {ENCODED}") from None
        if scheme == "sqlite" and not parts.database:
            # a database in the memory of each process
            raise ValueError('write "sqlite:///path"')
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
        host = {"0.0.0.0": "localhost", "::": "localhost"}.get(self.host, self.host)  # noqa: S104
        home, keys = _whole(self.home), self.secrets_file
        values: dict[str, object] = {
            "home": home,
            "base_url": self.base_url or f"http://{in_url(host)}:{self.port}",
            "database_url": self.database_url or f"sqlite:///{home / 'pbem.sqlite3'}",
            "secrets_file": home / "secrets.toml" if keys == Path() else _whole(keys),
            "allow_confirmed_seats": self.allow_confirmed_seats
            if self.allow_confirmed_seats is not None
            else self.mail.mode == "mailbox",
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        return self

    # --- what follows from the settings ---

    @property
    def is_https(self) -> bool:
        """Whether people reach the service by HTTPS."""
        return urlsplit(self.base_url).scheme == "https"

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
        return not self.mailbox and not is_here(urlsplit(self.base_url).hostname)

    @property
    def takes_letters(self) -> bool:
        """Whether mail can come in: by a door, or by the mailbox's page."""
        return self.mailbox or self.incoming.is_open

    def keys(self) -> Keys:
        """The keys that sign links, made on first use; KeysError if the file cannot be used."""
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


def in_url(host: str) -> str:
    """A host as a URL has it: an address of IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


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
    environment = _from_environment()
    path = _file(config, given, environment)
    from_file = _from_file(path) if path else {}
    values: dict[str, Any] = {**from_file}
    for name, value in environment.items():
        both = isinstance(value, dict) and isinstance(values.get(name), dict)
        values[name] = {**values[name], **value} if both else value
    try:
        return Settings(**{**values, **given})
    except ValidationError as error:
        raise ConfigError(*_sentences(error, given, environment, path)) from None


def strange_variables() -> list[str]:
    """Variables named PBEM_... that are no settings and resemble none; `pbem doctor` lists them.

    They are not refused, because container platforms add their own (``PBEM_SERVICE_HOST``).
    """
    known = {variable(key) for key in leaves()} | NOT_SETTINGS
    return sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)


def _file(
    config: Path | str | None, given: Mapping[str, Any], environment: Mapping[str, Any]
) -> Path | None:
    named = config or os.environ.get("PBEM_CONFIG")
    if named:
        path = _whole(Path(named))
        if not path.is_file():
            raise ConfigError(f"There is no settings file {path}.")
        return path
    home = Path(given.get("home") or environment.get("home") or "var")
    path = _whole(home) / "config.toml"
    return path if path.is_file() else None


def _whole(path: Path) -> Path:
    """The path from the root on; ``~`` is the home of a user."""
    try:
        return path.expanduser().absolute()
    except RuntimeError:
        raise ConfigError(f"{path} cannot be used: there is no such user.") from None


def _from_file(path: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(_text(path))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path} is not in TOML: {error}.") from None
    unknown = [key for key in _keys_of(values) if key not in set(leaves())]
    if unknown:
        raise ConfigError(*(f"{path}: {_unknown(key, _line_of(path, key))}" for key in unknown))
    return values


def _text(path: Path) -> str:
    # editors of Windows put a mark (BOM) before it
    return path.read_text(encoding="utf-8-sig")


def _line_of(path: Path, key: str) -> str:
    """The line of the file in which a key has got its value, as " (line 3)"."""
    lines = _text(path).split("\n")
    for number in range(1, len(lines) + 1):
        try:
            found: Any = tomllib.loads("\n".join(lines[:number]))
        except tomllib.TOMLDecodeError:
            continue  # in the middle of a list
        for name in key.split("."):
            # a list may be refused for one of its values
            found = found.get(name) if isinstance(found, dict) else found
        if found is not None:
            return f" (line {number})"
    return ""


def _keys_of(values: Mapping[str, Any], path: str = "") -> Iterator[str]:
    sections = {key.rpartition(".")[0] for key in leaves()}
    for name, value in values.items():
        # "mail.port" in quotation marks is no key of [mail]
        key = path + (f'"{name}"' if "." in name else name)
        if isinstance(value, dict) and key in sections:
            yield from _keys_of(value, f"{key}.")
        elif key not in sections:
            yield key


def _unknown(key: str, line: str) -> str:
    known = [*leaves(), *{key.rpartition(".")[0] for key in leaves()} - {""}]
    near = difflib.get_close_matches(key, known, 1, 0.6) or [
        other for other in known if other.rpartition(".")[2] == key.rpartition(".")[2]
    ]
    hint = f" Did you mean {near[0]}?" if near else " config.example.toml has all that are."
    return f"there is no setting called {key}{line}.{hint}"


def _from_environment() -> dict[str, Any]:
    known = {variable(key): key for key in leaves()}
    for name in strange_variables():
        near = difflib.get_close_matches(name, known, 1, 0.85)
        if near:
            raise ConfigError(
                f"The environment has {name}, which is no setting. Did you mean {near[0]}?"
            )
    try:
        return EnvSettingsSource(Settings)()
    except SettingsError as error:
        # it names the section of a list, or a section that is a variable as a whole
        named = str(error).partition('"')[2].partition('"')[0]
        wrong = sorted(name for name in os.environ if name.startswith(PREFIX + named.upper()))
        raise ConfigError(
            f"{' or '.join(wrong)} cannot be used: write a list as "
            """'["https://a.example", "https://b.example"]', and each key of a section as a """
            "variable of its own, like PBEM_MAIL_PORT."
        ) from None


#: What is wrong with a value, by pydantic's name for it, in plain words.
_REASONS = {
    "int_type": "write a whole number",
    "int_parsing": "write a whole number",
    "int_from_float": "write a whole number",
    "finite_number": "write a whole number",
    "float_type": "write a number",
    "float_parsing": "write a number",
    "bool_type": "write true or false",
    "bool_parsing": "write true or false",
    "string_type": "write a text, in quotation marks",
    "path_type": "write a path, in quotation marks",
    "tuple_type": 'write a list, as ["...", "..."]',
    "literal_error": "write {expected}",
    "greater_than_equal": "it must be {ge} or more",
    "less_than_equal": "it must be {le} or less",
    "string_too_short": "it must not be empty",
    "string_too_long": "it must have {max_length} characters or fewer",
    "string_pattern_mismatch": "it has characters that cannot stand there, or none",
    "too_short": "the list must not be empty",
    "too_long": "the list must not have more than {max_length}",
    "model_type": "this is a section: write [{section}], and its keys below",
}


def _sentences(
    error: ValidationError,
    given: Mapping[str, Any],
    environment: Mapping[str, Any],
    path: Path | None,
) -> list[str]:
    out = []
    for problem in error.errors(include_url=False, include_input=False):
        key = ".".join(str(part) for part in problem["loc"])
        top, _, rest = key.partition(".")
        inside, line = environment.get(top), ""
        if top in given:
            origin = f"--{top}"
        elif top in environment and (not isinstance(inside, dict) or rest in inside):
            origin = variable(key)
        else:
            origin = f"{path}: {key}" if path else key
            line = _line_of(path, key) if path else ""
        reason = _REASONS.get(problem["type"], problem["msg"].removeprefix("Value error, "))
        if problem["type"] in _REASONS:
            reason = reason.format(section=key.partition(".")[0], **problem.get("ctx", {}))
        out.append(f"{origin} cannot be used: {reason[:1].lower()}{reason[1:]}{line}.")
    return out
