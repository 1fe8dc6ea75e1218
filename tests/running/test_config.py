"""Settings: where they come from, what is refused, and that the example tells all of it."""

from __future__ import annotations

import re
import stat
import tomllib
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from sqlalchemy import make_url

from pbem.config import Settings, leaves, load_settings
from pbem.config.sections import duration
from pbem.errors import ConfigError
from pbem.store.keys import KeysError, is_private, load_keys, new_key

EXAMPLE = Path(__file__).parents[2] / "config.example.toml"


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import os

    for name in list(os.environ):
        if name.startswith("PBEM_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def refusal(**over: object) -> str:
    with pytest.raises(ConfigError) as caught:
        load_settings(**over)  # type: ignore[arg-type]
    return str(caught.value)


def test_without_a_file_everything_lives_under_home(tmp_path: Path) -> None:
    settings = load_settings()

    assert settings.home == tmp_path / "var"
    assert settings.database_url == f"sqlite:///{tmp_path}/var/pbem.sqlite3"
    assert settings.base_url == "http://127.0.0.1:8000"
    assert settings.broker == f"redis+socket://{tmp_path}/var/broker/broker.sock"


def test_the_environment_wins_over_the_file_and_flags_win_over_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pbem.toml").write_text('port = 1001\nlanguage = "es"\n[mail]\nport = 2525\n')
    monkeypatch.setenv("PBEM_PORT", "1002")
    monkeypatch.setenv("PBEM_MAIL_HOST", "relay.example.org")

    from_both = load_settings(config=tmp_path / "pbem.toml")
    with_flag = load_settings(config=tmp_path / "pbem.toml", port=1003)

    assert (from_both.port, from_both.language) == (1002, "es")
    assert (from_both.mail.port, from_both.mail.host) == (2525, "relay.example.org")
    assert with_flag.port == 1003


def test_a_file_in_home_is_found(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here/config.toml").write_text("port = 1001")

    assert load_settings(home=tmp_path / "here").port == 1001


@pytest.mark.parametrize(
    ("text", "key", "near"),
    [
        ("prot = 1", "prot", "port"),
        ("[mail]\nhots = 'x'", "mail.hots", "mail.host"),
        ("[mial]\nhost = 'x'", "mial", "mail"),
        ("smtp_port = 1", "smtp_port", "port"),
        ('"mail.port" = 25', '"mail.port"', "port"),
    ],
)
def test_an_unknown_key_is_refused_with_the_file_and_the_nearest_key(
    tmp_path: Path, text: str, key: str, near: str
) -> None:
    path = tmp_path / "pbem.toml"
    path.write_text(text)

    sentence = refusal(config=path)

    assert f"{path}: there is no setting called {key}" in sentence
    assert re.search(rf"Did you mean (\w+\.)?{near}", sentence)


def test_a_misspelt_variable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_DATABSE_URL", "postgresql://db/pbem")

    assert "Did you mean PBEM_DATABASE_URL?" in refusal()


def test_two_letters_exchanged_in_a_variable_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_PROT", "9000")

    assert "Did you mean PBEM_PORT?" in refusal()


@pytest.mark.parametrize("name", ["PBEM_BEACON_URLS", "PBEM_MAIL"])
def test_a_variable_for_a_list_or_a_section_is_told_how_to_write_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "https://api.drand.sh/x")

    assert refusal().startswith(f"{name} cannot be used: write a list as ")


def test_a_variable_that_resembles_no_setting_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PBEM_SERVICE_PORT_HTTP", "tcp://10.0.0.1:80")

    assert load_settings().port == 8000


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("port", "70000", "65535"),
        ("port", '"web"', "a whole number"),
        ("port", "true", "a number"),
        ("port", "80.5", "a whole number"),
        ("host", "1", "a text"),
        ("host", '""', "empty"),
        ("home", '""', "a folder"),
        ("home", '"a\\u0000b"', "NUL"),
        ("home", "1", "a path"),
        ("secrets_file", "0", "a path"),
        ("secrets_file", '"."', "a file"),
        ("allow_confirmed_seats", '"perhaps"', "true or false"),
        ("sweep_seconds", '"often"', "a number"),
        ("sweep_seconds", "0", "0.2"),
        ("zone", '"Mars/Olympus"', "time zone"),
        ("base_url", '"games.example.org"', "https://"),
        ("base_url", '"https://games.example.org:99999"', "65535"),
        ("base_url", '"https://[::1"', "https://"),
        ("base_url", '"https://games.example.org/#top"', "https://"),
        ("base_url", '"https://me:word@games.example.org"', "https://"),
        ("base_url", '"https://games. example.org"', "https://"),
        ("database_url", '"mysql://db/x"', "postgresql://"),
        ("database_url", '"sqlite://"', "sqlite:///path"),
        ("database_url", '"postgresql://db:99999/x"', "cannot be read as a URL"),
        ("broker_url", '"amqp://x"', "redis://"),
        ("language", '"tlh"', "'en' or 'es'"),
        ("clocks.turn", '"soon"', "72h"),
        ("clocks.turn", '"91d"', "90 days"),
        ("clocks.reserve", '"91d"', "90 days"),
        ("clocks.grace", '"3d"', "2 days"),
        ("limits.body_bytes", "1", "10000"),
        ("incoming.webhook_key", '"short"', "32 characters"),
        ("operator.password_hash", '"secret"', "hash-password"),
        ("operator.password_hash", '"$argon2id$v=19"', "hash-password"),
        ("operator.password_hash", '"$argon2id$v=19$m=65536,t=3,p=4$abc$def"', "hash-password"),
        ("mail.from_name", '"a\\nBcc: x"', "characters"),
        ("host", '"http://["', "the name alone"),
        ("mail.host", '"smtp://relay.example.org"', "the name alone"),
        ("mail.host", '"relay.example.org:25"', "the name alone"),
        ("mail.host", '"münchen.example"', "in ASCII"),
        ("mail.from_address", '"pbem@münchen.example"', "an address in ASCII"),
        ("mail.from_address", '""', "empty"),
        ("operator.address", '"jürgen@example.org"', "an address in ASCII"),
        ("beacon.urls", '"https://api.drand.sh/x"', "a list"),
        ("beacon.urls", "[]", "the list must not be empty"),
        ("beacon.urls", '["https://[::1"]', "https://api.drand.sh/CHAIN"),
        ("beacon.urls", '["https://api.drand.sh:44x3/CHAIN"]', "https://api.drand.sh/CHAIN"),
        ("beacon.urls", '["https://api.drand.sh:99999/CHAIN"]', "https://api.drand.sh/CHAIN"),
        ("beacon.urls", '["http://127.evil.example/CHAIN"]', "https://api.drand.sh/CHAIN"),
        ("log.sentry_dsn", '"sentry"', "as Sentry shows it"),
        ("log.sentry_dsn", '"https://key@sentry.example.org:44x3/1"', "as Sentry shows it"),
        ("mail.reply_domain", '"@example.org"', "the name alone"),
        ("mail.return_path_domain", '"https://example.org"', "the name alone"),
        ("incoming.lmtp_host", '"local host"', "the name alone"),
        ("incoming.imap_host", '"imaps://imap.example.org"', "the name alone"),
        ("mail", "25", "[mail]"),
        ("mail", '"relay"', "[mail]"),
    ],
)
def test_a_value_out_of_bounds_is_refused_with_its_key_and_the_bound(
    tmp_path: Path, key: str, value: str, reason: str
) -> None:
    section, _, name = key.rpartition(".")
    path = tmp_path / "pbem.toml"
    path.write_text(f"[{section}]\n{name} = {value}" if section else f"{name} = {value}")

    sentence = refusal(config=path)

    assert sentence.startswith(f"{path}: {key} cannot be used: ")
    assert sentence.endswith(f" (line {2 if section else 1}).")
    assert reason in sentence


def test_a_refusal_names_the_line_also_where_a_value_has_several(tmp_path: Path) -> None:
    path = tmp_path / "pbem.toml"
    path.write_text('# mine\n[beacon]\nurls = [\n  "ftp://a",\n]\n\n[mail]\nprot = 25\n')

    unknown = refusal(config=path)
    path.write_text(path.read_text().replace("prot", "port"))
    refused = refusal(config=path)

    assert unknown.endswith(
        "there is no setting called mail.prot (line 8). Did you mean mail.port?"
    )
    assert refused.endswith(' as "https://api.drand.sh/CHAIN" (line 5).')


@pytest.mark.parametrize(
    ("section", "keys", "reason"),
    [
        ("mail", {"password": "hunter2"}, "password has no user"),
        ("incoming", {"imap_host": "imap.example.org"}, "imap_host has no imap_user"),
        ("incoming", {"imap_user": "play"}, "imap_user has no imap_host"),
        ("incoming", {"imap_password": "hunter2"}, "imap_password has no imap_user"),
    ],
)
def test_a_key_that_does_nothing_without_another_is_refused(
    section: str, keys: dict[str, str], reason: str
) -> None:
    """Not a user without a password: commands at a terminal may run without the variable."""
    sentence = refusal(**{section: keys})

    assert f"{section} cannot be used: {reason}." in sentence
    assert "hunter2" not in sentence


def test_a_file_of_a_windows_editor_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pbem.toml"
    path.write_bytes(b"\xef\xbb\xbfport = 8123\r\n")

    assert load_settings(config=path).port == 8123


@pytest.mark.parametrize(
    "host", ["relay", "relay.example.org.", "10.0.0.1", "::1", "xn--mnchen-3ya.de"]
)
def test_a_name_or_an_address_of_a_machine_is_taken(host: str) -> None:
    assert load_settings(mail={"host": host}).mail.host == host


def test_paths_may_begin_at_somebody_s_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    settings = load_settings(home="~/games", secrets_file="~/keys.toml")

    assert settings.home == tmp_path / "games"
    assert settings.secrets_file == tmp_path / "keys.toml"
    assert refusal(home="~nobody-has-this-name/x").endswith("there is no such user.")


def test_a_refused_variable_is_named_as_in_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PBEM_MAIL_PORT", "0")

    assert refusal().startswith("PBEM_MAIL_PORT cannot be used: ")


def test_a_refusal_never_shows_a_secret(tmp_path: Path) -> None:
    path = tmp_path / "pbem.toml"
    path.write_text('[operator]\npassword_hash = "hunter2"')

    assert "hunter2" not in refusal(config=path)


def test_a_file_that_is_not_there_or_not_toml_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("port 1")
    (tmp_path / "deep.toml").write_text("port = " + "[" * 5000)

    assert "There is no settings file" in refusal(config=tmp_path / "none.toml")
    assert "is not in TOML" in refusal(config=tmp_path / "bad.toml")
    assert "is not in TOML" in refusal(config=tmp_path / "deep.toml")


def test_settings_shown_hold_no_passwords() -> None:
    settings = load_settings(
        database_url="postgresql://u:hunter2@db/x", broker_url="redis://:hunter2@r/0"
    )

    assert "hunter2" not in repr(settings)


def test_seats_may_count_as_joined_only_where_no_mail_is_sent() -> None:
    assert load_settings().allow_confirmed_seats is True
    assert load_settings(mail={"mode": "smtp"}).allow_confirmed_seats is False
    assert load_settings(mail={"mode": "smtp"}, allow_confirmed_seats=True).allow_confirmed_seats


@pytest.mark.parametrize(
    "door",
    [
        {"lmtp_port": 2003},
        {"imap_host": "imap.example.org", "imap_user": "play"},
        {"webhook_key": "k" * 32},
    ],
)
def test_letters_come_in_by_any_door_and_by_the_mailbox(door: dict[str, object]) -> None:
    assert load_settings().takes_letters
    assert not load_settings(mail={"mode": "smtp"}).takes_letters
    assert load_settings(mail={"mode": "smtp"}, incoming=door).takes_letters


@pytest.mark.parametrize(
    ("host", "uses"),
    [
        *(("localhost", False), ("127.0.0.2", False), ("[::1]", False)),
        *(("games.example.org", True), ("127.evil.example", True), ("10.0.0.1", True)),
    ],
)
def test_the_beacon_is_used_where_others_reach_the_service(host: str, uses: bool) -> None:
    settings = load_settings(mail={"mode": "smtp"}, base_url=f"http://{host}:8000")

    assert settings.uses_beacon is uses


def test_a_long_home_still_has_a_short_enough_socket(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path / ("x" * 120))

    assert len(bytes(settings.broker_socket)) <= 100


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("72h", timedelta(hours=72)),
        ("1d12h", timedelta(hours=36)),
        ("15 M", timedelta(minutes=15)),
        ("0", timedelta()),
        ("2w", timedelta(days=14)),
    ],
)
def test_a_length_of_time_is_read(text: str, length: timedelta) -> None:
    assert duration(text) == length


@pytest.mark.parametrize("text", ["", "72", "three hours", "9999999w" * 20])
def test_what_is_no_length_of_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="write a length of time"):
        duration(text)


# --- the example ---


def keys_in_example() -> dict[str, str]:
    """Every key of the file, commented-out ones too, with its value as written."""
    section, found = "", {}
    for line in EXAMPLE.read_text().splitlines():
        if head := re.fullmatch(r"\[(\w+)\]", line):
            section = head[1] + "."
        elif pair := re.fullmatch(r"(?:# )?(\w+) = (.+)", line):
            found[section + pair[1]] = pair[2]
    return found


def test_the_example_has_every_key_and_no_other() -> None:
    assert set(keys_in_example()) == set(leaves())


def test_the_example_shows_the_defaults(tmp_path: Path) -> None:
    assert load_settings(config=EXAMPLE) == load_settings()


def test_every_key_of_the_example_is_explained() -> None:
    explained = False
    for line in EXAMPLE.read_text().splitlines():
        if line.startswith("# "):
            explained = True
        elif not line:
            explained = False
        elif " = " in line:
            assert explained, line


def test_the_example_is_toml_as_it_stands() -> None:
    assert tomllib.loads(EXAMPLE.read_text())


# --- passwords in URLs ---


@pytest.mark.parametrize("sign", ["p@ss", "p%ss", "p@ss/word", "p/ss@word", "p?a@b", "p#a@b"])
@pytest.mark.parametrize(
    ("key", "url"),
    [
        ("database_url", "postgresql://pbem:{}@db.example.org/pbem"),
        ("broker_url", "redis://:{}@broker.example.org:6379/0"),
    ],
)
def test_a_password_that_was_not_percent_encoded_is_refused_and_not_shown(
    key: str, url: str, sign: str
) -> None:
    with pytest.raises(ConfigError, match="write @ as %40") as refused:
        load_settings(**{key: url.format(sign)})

    assert sign not in str(refused.value)


def test_a_broker_whose_password_has_a_slash_is_refused() -> None:
    with pytest.raises(ConfigError, match="write @ as %40"):
        load_settings(broker_url="redis://:p/ss@broker.example.org:6379/0")


def test_a_password_that_was_percent_encoded_is_taken_with_any_sign() -> None:
    password = "p@ss/w%rd:41?x#y"
    coded = quote(password, safe="")

    settings = load_settings(
        database_url=f"postgresql://pbem:{coded}@db.example.org/pbem",
        broker_url=f"redis://:{coded}@broker.example.org:6379/0",
    )

    assert make_url(settings.database_url).password == password
    assert make_url(settings.database_url).host == "db.example.org"


# --- keys ---


def test_keys_are_made_once_and_only_for_the_owner() -> None:
    settings = load_settings()

    first, second = settings.keys(), settings.keys()

    assert first == second
    assert stat.S_IMODE(settings.secrets_file.stat().st_mode) == 0o600
    assert is_private(settings.secrets_file)


def test_each_purpose_has_its_own_key() -> None:
    keys = load_settings().keys()

    assert keys.of("turn") != keys.of("reply")
    assert len(keys.of("turn")[0]) == 32


def test_the_newest_key_signs_and_older_ones_verify(tmp_path: Path) -> None:
    old, new = new_key(), new_key()
    (tmp_path / "old.toml").write_text(f'keys = ["{old}"]')
    (tmp_path / "both.toml").write_text(f'keys = ["{new}", "{old}"]')

    before, after = load_keys(tmp_path / "old.toml"), load_keys(tmp_path / "both.toml")

    assert after.of("turn")[0] != before.of("turn")[0]
    assert after.of("turn")[1] == before.of("turn")[0]


def test_one_purpose_can_be_given_a_newer_key(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(f'keys = ["{"1" * 64}"]\n[purposes]\nturn = ["{"2" * 64}"]')

    keys = load_keys(tmp_path / "a.toml")

    assert keys.of("turn")[0] == bytes.fromhex("2" * 64)
    assert len(keys.of("turn")) == 2
    assert len(keys.of("reply")) == 1


@pytest.mark.parametrize("text", ["keys = []", "keys = ['zz']", "keys = ['00']", "x = 1", "=", ""])
def test_a_file_that_holds_no_keys_is_refused_without_showing_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.toml").write_text(text)

    with pytest.raises(KeysError, match="does not hold keys"):
        load_keys(tmp_path / "a.toml")


def test_keys_do_not_show_in_a_traceback() -> None:
    keys = load_settings().keys()

    assert keys.main[0].hex() not in repr(keys)
    assert repr(keys.main[0]) not in repr(keys)


def test_defaults_stand_without_any_file_or_variable() -> None:
    assert Settings() == load_settings()
