"""Names, phrases and addresses: what is taken, and what is refused with a sentence."""

import secrets

import pytest

from pbem.errors import BadInput
from pbem.words import texts


@pytest.mark.parametrize("name", ["Ann", "José María", "李小龍", "O'Malley", "<script>", "{{7*7}}"])
def test_names_people_have_are_taken_as_they_are(name):
    assert texts.name(f"  {name} ") == name


@pytest.mark.parametrize(
    "name",
    [
        "Ann\r\nBcc: x@y",
        "An\x00n",
        "Ann\u202egro",
        "An\u200bn",
        "An\u2028n",
        "=?UTF-8?Q?=0A?=Bcc: x@y",
        "An\ud800n",
    ],
)
def test_signs_that_could_do_harm_elsewhere_are_refused(name):
    with pytest.raises(BadInput, match="characters that cannot be used"):
        texts.name(name)


@pytest.mark.parametrize(
    "text",
    [
        "\u200d",
        "\u3164",
        "\u115f\u1160",
        "\uffa0",
        "\u2800",
        "\u034f",
        "\ufe0f",
        "\u0301" * 59,
        "\u3164 \u3164",
        "\u17b4\u17b5",
    ],
)
@pytest.mark.parametrize("taken", [texts.name, texts.phrase])
def test_what_nobody_can_see_is_refused(taken, text):
    with pytest.raises(BadInput, match="needs at least one visible character"):
        taken(text)


@pytest.mark.parametrize("text", ["A" + "\u0301" * 59, "Zoe" + "\u0336" * 5, "A\u200d", "\u200dA"])
@pytest.mark.parametrize("taken", [texts.name, texts.phrase])
def test_a_heap_of_marks_and_a_joiner_that_joins_nothing_are_refused(taken, text):
    with pytest.raises(BadInput, match=r"too many marks|characters that cannot be used"):
        taken(text)


@pytest.mark.parametrize(
    "name",
    [
        "Nguyễn Thị Ánh",
        "क्षितिज",
        "สมชาย ผู้ใหญ่",
        "བསྒྲུབས",
        "שָׁלוֹם",
        "1\ufe0f\u20e3",
        "👩\u200d🚀",
        "김철수",
        "…",
    ],
)
def test_names_with_marks_that_their_script_needs_are_taken(name):
    assert texts.name(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ben", "BEN"),
        ("Ann Lee", "  ann \u00a0 lee "),
        ("Strauß", "STRAUSS"),
        ("Zoë", "zoe\u0308"),
        ("Ben", "Ｂｅｎ"),
        ("Ben", "B\u200den"),
        ("❤ Ben", "❤\ufe0f Ben"),
    ],
)
def test_names_that_read_the_same_are_one(one, other):
    assert texts.folded(one) == texts.folded(other)


def test_names_that_read_otherwise_are_two():
    assert len({texts.folded(name) for name in ("Ben", "Bén", "Be n", "Ben 2", "李", "")}) == 6


def test_a_name_of_a_megabyte_is_refused_at_once():
    with pytest.raises(BadInput, match="at most 60 characters"):
        texts.name("x" * 1_000_000)


def test_a_name_of_spaces_is_missing():
    with pytest.raises(BadInput, match="missing"):
        texts.name("   ")


@pytest.mark.parametrize(
    "address",
    [
        "ann@example.org",
        "a.b+c@mail.example.org",
        "x@localhost",
        "o'neil@example.org",
        "a=b@example.org",
        "x.a=b@example.org",
    ],
)
def test_addresses_that_mail_can_be_sent_to_are_taken(address):
    assert texts.address(address) == address


def test_an_address_keeps_its_name_and_lowers_its_domain():
    assert texts.address(" Ann@EXAMPLE.org ") == "Ann@example.org"


@pytest.mark.parametrize(
    "address",
    [
        "ann",
        "ann@",
        "@example.org",
        "ann@exa mple.org",
        "ann@example.org\r\nBcc: x@y",
        '"quoted text"@example.org',
        "ann..b@example.org",
        "a=?utf-8?q?b?=@example.org",
        "ann@-example.org",
        "x" * 65 + "@example.org",
        "ann@" + "x" * 64 + ".org",
        "ann@example.org\x00",
    ],
)
def test_what_is_no_address_is_told_back_in_a_sentence(address):
    with pytest.raises(BadInput, match="not an e-mail address"):
        texts.address(address)


def test_a_drawn_phrase_is_five_words_and_another_each_time():
    phrases = {texts.drawn_phrase(secrets.token_bytes) for _ in range(20)}

    assert len(phrases) == 20
    assert all(len(phrase.split()) == 5 for phrase in phrases)


def test_an_unknown_zone_or_language_is_told_what_would_do():
    with pytest.raises(BadInput, match="Europe/Madrid"):
        texts.zone("Mars/Olympus")
    # the list has it where the machine has one, and it is another zone on each
    with pytest.raises(BadInput, match="Europe/Madrid"):
        texts.zone("localtime")
    with pytest.raises(BadInput, match="en, es"):
        texts.language("tlh")


def test_of_an_address_with_an_apostrophe_nothing_stays_in_what_a_mail_service_says():
    said = "550 5.1.1 <mary.o'brien@example.org>: User unknown"

    shown = texts.without_addresses(said, "mary.o'brien@example.org")

    assert shown == "550 5.1.1 …: User unknown"
