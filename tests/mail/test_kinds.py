"""Every kind of mail, come about by real acts: complete, threaded, and nobody else's business."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from engine.codec import encode
from engine.dice import SeededDice
from pbem.acts import deliverability, matches
from pbem.errors import NotPossible
from pbem.mail import mailbox
from pbem.mail.render import render
from pbem.people import proofs
from pbem.store import links
from pbem.store.names import MailKind, MailStatus, Purpose
from pbem.words import templating
from tests.acts.owners import CLOCK, overdue
from tests.mail.golden import LANGUAGES, raw_of, shown
from tests.mail.kinds import GOLDEN, KINDS, every_kind
from tests.mail.office import Office, html_of, office_service, parsed, text_of
from tests.parts import remedies
from tests.parts.cast import address

LINK = re.compile(r"https?://[^\s<>\"']+")


@pytest.fixture(scope="module", params=LANGUAGES)
def mails(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, _sqlite_template: Path
) -> Iterator[tuple[str, dict[str, bytes]]]:
    """A language, and a raw mail of every kind in it."""
    home = tmp_path_factory.mktemp("kinds")
    copy = home / "pbem.sqlite3"
    copy.write_bytes(_sqlite_template.read_bytes())
    office = Office(office_service(home, f"sqlite:///{copy}"))
    yield request.param, every_kind(office, request.param)
    office.service.database.close()


def test_every_kind_has_its_three_templates_and_every_folder_its_kind() -> None:
    folders = {path.parent.name for path in (templating.location() / "mail").glob("*/*")}

    assert folders == set(KINDS)
    for kind in KINDS:
        for file in ("subject.txt", "body.txt", "body.html"):
            assert templating.source(f"mail/{kind}/{file}")


def test_mails_are_as_the_golden_ones(mails: tuple[str, dict[str, bytes]]) -> None:
    language, raw = mails
    for kind in KINDS:
        text, html = shown(raw[kind])

        assert text == (GOLDEN / language / f"{kind}.txt").read_text(), kind
        assert html == (GOLDEN / language / f"{kind}.html").read_text(), kind


def test_both_parts_bring_the_same_links(mails: tuple[str, dict[str, bytes]]) -> None:
    _, raw = mails
    for kind in KINDS:
        message = parsed(raw[kind])
        in_text = set(LINK.findall(text_of(message)))
        in_html = set(re.findall(r'href="([^"]+)"', html_of(message)))
        # a mail program makes a link of an address by itself
        in_text |= {f"mailto:{one}" for one in re.findall(r"\br\+\S+@\S+", text_of(message))}

        assert in_text == in_html, kind
        assert "https://games.example.org/privacy" in in_text, kind


def test_a_subject_says_the_news_first_and_within_what_a_phone_shows(
    mails: tuple[str, dict[str, bytes]],
) -> None:
    _, raw = mails
    subjects = {kind: str(parsed(raw[kind])["Subject"]) for kind in KINDS}

    assert [one for one in subjects.values() if one.startswith(("Dog", "Friday Cup, "))] == []
    news = {kind: one.partition(" · ")[0] for kind, one in subjects.items()}
    assert {kind: one for kind, one in news.items() if len(one) > 50} == {}


def test_a_mail_has_one_button_to_press_and_others_are_plain(
    mails: tuple[str, dict[str, bytes]],
) -> None:
    _, raw = mails
    for kind in sorted({*KINDS} - {"digest"}):
        main = re.findall(r'class="button" [^>]*><a href="([^"]+)"', html_of(parsed(raw[kind])))

        assert len(main) <= 1, kind
    over = html_of(parsed(raw["match_over"]))
    assert re.search(r'class="button" [^>]*><a href="[^"]+/m/', over)
    assert re.search(r'class="button plain" [^>]*><a href="[^"]+/rematch"', over)


def test_nothing_in_a_mail_comes_from_elsewhere(mails: tuple[str, dict[str, bytes]]) -> None:
    _, raw = mails
    for kind in KINDS:
        html = html_of(parsed(raw[kind]))

        assert not re.search(r"<script|<link|<iframe|<form|@import|url\(|https?:[^\"]*\.png", html)
        assert set(re.findall(r'src="(\w+):', html)) <= {"cid"}
        assert len(html.encode()) < 100_000, "longer mails are cut off by some programs"


def test_pictures_are_small_enough_and_have_words_beside_them(
    mails: tuple[str, dict[str, bytes]],
) -> None:
    _, raw = mails
    for kind in ("your_turn", "reminder", "played_for_you", "match_over"):
        message = parsed(raw[kind])
        pictures = [part for part in message.walk() if part.get_content_maintype() == "image"]

        images = re.findall(r"<img [^>]*>", html_of(message))
        # the board; and how the match went
        assert len(pictures) == len(images) == (2 if kind == "match_over" else 1)
        for picture in pictures:
            content = picture.get_payload(decode=True)
            assert isinstance(content, bytes)
            assert content.startswith((b"\x89PNG", b"\xff\xd8"))
            assert len(content) < 200_000
            cid = picture["Content-ID"].strip("<>")
            [image] = [one for one in images if f'src="cid:{cid}"' in one]
            assert re.search(r'alt="[^"]+"', image)


def test_lines_of_the_text_are_short_but_for_links(mails: tuple[str, dict[str, bytes]]) -> None:
    _, raw = mails
    for kind in KINDS:
        lines = text_of(parsed(raw[kind])).splitlines()

        assert [line for line in lines if len(line) > 78 and "://" not in line] == []
        assert [line for line in lines if "://" in line and not line.startswith("http")] == []


def test_a_deadline_is_an_instant_and_never_a_span(mails: tuple[str, dict[str, bytes]]) -> None:
    language, raw = mails
    text = " ".join(text_of(parsed(raw["your_turn"])).split())

    zone = {"en": "America/New_York", "es": "Europe/Madrid"}[language]
    assert re.search(rf"2026, \d\d:\d\d \({zone}; [^)]*UTC\)", text)
    assert not re.search(r"\bleft\b|\bquedan\b", text)


def test_of_a_deadline_the_time_is_bold_and_its_zone_is_not(
    mails: tuple[str, dict[str, bytes]],
) -> None:
    _, raw = mails
    for kind in ("your_turn", "reminder", "digest"):
        html = html_of(parsed(raw[kind]))
        bold = re.findall(r"<strong>([^<]*2026[^<]*)</strong>", html)

        assert bold, kind
        assert not [text for text in bold if "UTC" in text], kind
        assert re.search(r"</strong>\s*<div class=\"quiet\"[^>]*>\w+/\w+; [^<]*UTC</div>", html)


def test_mails_to_players_can_be_ended_with_one_click(
    mails: tuple[str, dict[str, bytes]],
) -> None:
    _, raw = mails
    for kind in ("invitation", "your_turn", "reminder", "played_for_you", "match_over"):
        message = parsed(raw[kind])

        assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        url = message["List-Unsubscribe"].strip("<>")
        assert re.fullmatch(r"https://games\.example\.org/u/[0-9a-z]+-[a-z2-7]{32}", url)
        assert url in text_of(message)


def test_mails_of_one_match_to_one_reader_are_one_thread(
    mails: tuple[str, dict[str, bytes]],
) -> None:
    _, raw = mails
    reminder, played = parsed(raw["reminder"]), parsed(raw["played_for_you"])

    assert reminder["References"] == played["References"] == reminder["In-Reply-To"]
    assert reminder["Message-ID"] != played["Message-ID"]
    assert parsed(raw["match_over"])["References"] != reminder["References"]


@pytest.mark.parametrize(
    ("language", "table", "subjects"),
    [
        (
            "en",
            "Dog with Alice, Carol and Dave",
            ["Your move", "Reminder: your move", "Your turn is overdue"],
        ),
        (
            "es",
            "Dog con Alice, Carol y Dave",
            ["Te toca", "Recordatorio: te toca", "Tu turno ha vencido"],
        ),
    ],
)
def test_a_reminder_says_in_its_subject_that_it_is_one_and_stays_in_the_thread(
    keeper: Office, language: str, table: str, subjects: list[str]
) -> None:
    keeper.running(language=language, clock={"turn": "10h", "grace": "1h", "reserve": "10h"})
    keeper.post_all()
    for hours in (6, 5):
        keeper.wait(hours=hours)
        keeper.post_all()

    mails = mailbox.listed(keeper.service, address("bob"))

    assert [mail.subject for mail in mails] == [f"{subject} · {table}" for subject in subjects]
    assert re.search(rf"<h1[^>]*>{subjects[-1]}</h1>", mails[-1].html)
    assert len({mail.headers["References"] for mail in mails}) == 1


def assert_brings_its_record(raw: bytes) -> None:
    """The record is attached, and stands by itself."""
    message = parsed(raw)
    [attached] = message.iter_attachments()
    record = json.loads(attached.get_payload(decode=True))  # type: ignore[arg-type]

    assert record["complete"]
    # as on the page of the match
    assert attached.get_filename() == f"pbem-{record['match']}.json"
    for part in ("seed", "digest", "chain_head"):
        assert record[part] in text_of(message)


def test_the_last_mail_brings_a_record_that_stands_by_itself(
    mails: tuple[str, dict[str, bytes]],
) -> None:
    assert_brings_its_record(mails[1]["match_over"])


def test_so_does_the_mail_of_a_match_that_was_ended_early(keeper: Office) -> None:
    match = keeper.running()
    remedies.abort(keeper.service, match.id, actor="host")
    keeper.post_all()

    assert_brings_its_record(raw_of(keeper, keeper.owed("match_aborted", 1)))


def test_a_host_without_a_seat_reads_at_the_end_what_happened_not_since_a_turn_of_theirs(
    keeper: Office,
) -> None:
    match = keeper.running(host=matches.Person(name="Erin", email=address("erin")))
    remedies.abort(keeper.service, match.id, actor="operator")
    keeper.post_all()

    told = parsed(raw_of(keeper, keeper.owed("match_aborted", links.HOST)))

    for body in (text_of(told).casefold(), html_of(told).casefold()):
        assert "what happened" in body
        assert "since your last turn" not in body


def test_a_match_that_never_began_has_no_dice_to_check(
    mails: tuple[str, dict[str, bytes]],
) -> None:
    message = parsed(mails[1]["match_aborted"])

    assert list(message.iter_attachments()) == []
    assert "pbem verify" not in text_of(message) + html_of(message)
    # with this they can still tell a record from another
    [digest] = re.findall(r"digest=([0-9a-f]{64})", message["Pbem-Proof"])
    assert digest in text_of(message)


def test_a_score_of_one_thing_is_said_once(mails: tuple[str, dict[str, bytes]]) -> None:
    language, raw = mails
    text = text_of(parsed(raw["match_over"])).replace("\r", "")

    what = {"en": "Pawns in the End Zone", "es": "Peones en la meta"}[language]
    assert re.search(rf"^2\. Alice: \d \({what}\)$", text, re.M)


def test_words_from_the_table_stand_under_one_heading(
    mails: tuple[str, dict[str, bytes]],
) -> None:
    html = html_of(parsed(mails[1]["words"]))

    assert len(re.findall("<h[12]", html)) == 1
    assert "Good evening. Shall we begin on Sunday?" in html


# --- whose business it is ---


def test_a_turn_mail_shows_its_own_hand_and_link_and_nobody_elses(keeper: Office) -> None:
    match = keeper.running()
    table = keeper.table(match)
    keeper.post_all()

    for seat in keeper.waiting(match):
        [kept] = [
            mail
            for mail in mailbox.listed(keeper.service, address(table.seats[seat].name))
            if "/t/" in mail.text
        ]
        cards = " ".join("joker" if card == "*" else card for card in table.state.hands[seat])
        assert f"Your hand: {cards}" in kept.text
        tokens = set(re.findall(r"/t/([0-9a-z]+-[a-z2-7]{32})", kept.text + kept.html))
        assert tokens == {keeper.token(keeper.link(match, Purpose.TURN, seat))}


def test_two_worlds_that_differ_in_a_secret_make_the_same_mails_for_the_others(
    keeper: Office,
) -> None:
    match = keeper.running()
    mail = keeper.owed("your_turn", 1)
    before = render(keeper.service, mail).content
    table = keeper.table(match)
    other = table.game.other_world(table.state, 1, SeededDice(b"another world"))
    assert other != table.state

    with keeper.service.database.write("test") as session:
        row = session.get(type(match), match.id)
        assert row is not None
        row.state_json = encode(other).decode()
        session.add(row)

    assert render(keeper.service, mail).content == before


def test_mail_to_a_host_who_plays_shows_no_hand(keeper: Office) -> None:
    match = keeper.running()
    deliverability.mail_refused(keeper.service, match.id, 2, address("carol"), "550")
    keeper.post_all()

    kept = [mail for mail in mailbox.listed(keeper.service) if "/h/" in mail.text]

    assert len(kept) == 2
    assert not [mail for mail in kept if "Your hand" in mail.text or "/t/" in mail.text]


def test_no_mail_shows_an_address_other_than_its_readers(keeper: Office) -> None:
    keeper.running()
    keeper.open(confirmed=False)
    keeper.post_all()

    for kept in mailbox.listed(keeper.service):
        body = kept.text + kept.html
        assert set(re.findall(r"[\w.]+@example\.org", body)) <= set()


# --- what is still wanted ---


def status(office: Office, kind: str, seat: int) -> tuple[str, str | None]:
    office.post_all()
    row = office.owed(kind, seat)
    return row.status, row.last_error


def test_a_mail_about_a_closed_turn_is_not_sent(keeper: Office) -> None:
    match = keeper.running()
    keeper.play(match, 1)

    assert status(keeper, "your_turn", 1) == (MailStatus.DROPPED, "The turn is closed.")


def test_a_host_who_gave_more_time_is_not_told_that_it_is_over(keeper: Office) -> None:
    match = keeper.running(clock=CLOCK)
    overdue(keeper, match, 1)

    remedies.extend(keeper.service, match.id, 1, "6h", actor="host")

    assert status(keeper, "host_asked", links.HOST)[0] == MailStatus.DROPPED


def test_who_muted_a_match_gets_how_it_ended_and_the_links_they_ask_for(keeper: Office) -> None:
    match = keeper.running()
    keeper.post_all()
    link = keeper.link(match, Purpose.MUTE, 1)
    deliverability.mute(keeper.service, link)
    with pytest.raises(NotPossible, match="wants no more mail"):
        remedies.remind(keeper.service, match.id, 1, actor="host")
    # half of the time is up at midnight, and reminders wait for the morning
    keeper.wait(hours=45)
    remedies.abort(keeper.service, match.id, actor="host")

    assert status(keeper, "reminder", 1)[0] == MailStatus.DROPPED
    assert status(keeper, "match_aborted", 1)[0] == MailStatus.SENT


def test_who_is_muted_by_a_mail_they_passed_on_is_told_at_once_with_the_link_that_undoes_it(
    keeper: Office,
) -> None:
    match = keeper.running()
    keeper.post_all()
    link = keeper.link(match, Purpose.MUTE, 1)

    deliverability.mute(keeper.service, link)
    keeper.post_all()

    told = mailbox.listed(keeper.service, address("bob"))[-1]
    undoes = links.url(keeper.service.keys, keeper.service.settings.base_url, link)
    assert told.subject == "No more mail · Dog with Alice, Carol and Dave"
    assert undoes in told.text
    assert undoes in told.html
    assert "List-Unsubscribe" not in told.headers


def test_a_host_reads_first_what_is_wrong(keeper: Office) -> None:
    match = keeper.running()
    deliverability.mute(keeper.service, keeper.link(match, Purpose.SEAT, 1))
    deliverability.mail_refused(keeper.service, match.id, 2, address("carol"), "550")
    keeper.post_all()

    told = [mail for mail in mailbox.listed(keeper.service, address("alice")) if "/h/" in mail.text]

    for mail, news in zip(
        told[-2:], ("Bob wants no more mail", "Mail to Carol does not arrive"), strict=True
    ):
        assert mail.subject == f"{news} · Dog with Alice, Bob, Carol and Dave"
        assert re.search(rf"<h1[^>]*>{news}</h1>", mail.html)


def test_mail_that_is_stopped_again_and_again_bombs_nobody(keeper: Office) -> None:
    match = keeper.running()
    link = keeper.link(match, Purpose.SEAT, 1)
    for _ in range(deliverability.MOST_MUTINGS):
        deliverability.mute(keeper.service, link)
        deliverability.unmute(keeper.service, link)

    with pytest.raises(NotPossible, match="too often today"):
        deliverability.mute(keeper.service, link)
    mails = len(keeper.mails("muted")), len(keeper.mails("stalled"))
    keeper.clock.move(timedelta(days=1, seconds=1))
    deliverability.mute(keeper.service, link)

    assert mails == (deliverability.MOST_MUTINGS, deliverability.MOST_MUTINGS)
    assert keeper.seat(match, 1).muted_at is not None


def test_a_player_who_has_mail_again_is_not_told_that_there_is_none(keeper: Office) -> None:
    match = keeper.running()
    link = keeper.link(match, Purpose.SEAT, 1)

    deliverability.mute(keeper.service, link)
    deliverability.unmute(keeper.service, link)
    keeper.post_all()

    assert status(keeper, "muted", 1)[0] == MailStatus.DROPPED


def test_a_muted_player_is_not_told_of_turns(keeper: Office) -> None:
    match = keeper.running()
    with keeper.service.database.write("test") as session:
        link = links.make(session, Purpose.MUTE, match, keeper.seat(match, 1), keeper.service.now())
    deliverability.mute(keeper.service, link)

    told = status(keeper, "your_turn", 1)

    assert told == (MailStatus.DROPPED, "The player wants no mail about this match.")
    assert keeper.owed("stalled", links.HOST).status == MailStatus.SENT


def test_a_muted_player_gets_the_link_they_ask_for(keeper: Office) -> None:
    match = keeper.running()
    keeper.post_all()
    deliverability.mute(keeper.service, keeper.link(match, Purpose.MUTE, 1))
    keeper.post_all()
    before = len(mailbox.listed(keeper.service, address("bob")))

    deliverability.resend_link(keeper.service, keeper.link(match, Purpose.TURN, 1))
    keeper.post_all()

    assert len(mailbox.listed(keeper.service, address("bob"))) == before + 1


def test_mail_owed_under_links_that_died_is_not_sent(keeper: Office) -> None:
    match = keeper.open(confirmed=False)
    remedies.replace(keeper.service, match.id, 1, "Frank", "frank@example.org", actor="operator")
    keeper.post_all()

    invitations = [mail for mail in keeper.mails("invitation") if mail.seat == 1]

    assert sorted((mail.status, mail.last_error or "") for mail in invitations) == [
        ("dropped", "The links it would bring are dead."),
        ("sent", ""),
    ]
    assert len(mailbox.listed(keeper.service, "frank@example.org")) == 1
    to_bob = mailbox.listed(keeper.service, address("bob"))
    assert [mail.subject.partition(" · ")[0] for mail in to_bob] == [
        "Somebody else has your seat now"
    ]


def test_an_invitation_is_not_sent_to_who_has_joined(keeper: Office) -> None:
    match = keeper.running()
    keeper.owe_again(match.id, 1)

    assert status(keeper, "invitation", 1) == (MailStatus.DROPPED, "The player has joined.")


def test_mail_of_a_match_that_is_over_is_not_sent_but_for_how_it_ended(keeper: Office) -> None:
    match = keeper.running()
    remedies.abort(keeper.service, match.id, actor="host")

    assert status(keeper, "your_turn", 1)[1] == "The match is over."
    assert status(keeper, "match_aborted", 1)[0] == MailStatus.SENT


def asked_for_links(keeper: Office, name: str, email: str = "") -> mailbox.MailboxMail:
    """The mail that comes to who asks for the link to sign in."""
    proofs.owe(keeper.service, MailKind.SIGN_IN, email or address(name), "en")
    keeper.post_all()
    return mailbox.listed(keeper.service, address(name))[-1]


def test_the_mail_to_sign_in_has_the_links_of_the_matches_that_go_on(keeper: Office) -> None:
    match = keeper.running()
    keeper.open(confirmed=False)
    over = keeper.running(bots=2)
    remedies.abort(keeper.service, over.id, actor="host")
    keeper.post_all()

    # it comes to the address as stored
    bobs = asked_for_links(keeper, "bob", "BOB@example.org")
    alices, erins = (asked_for_links(keeper, name) for name in ("alice", "erin"))

    assert [re.sub(r".*/([a-z]+)/.*", r"\1", link) for link in bobs.links[:4]] == [
        *("home", "t", "s", "j")
    ]
    assert keeper.token(keeper.link(match, Purpose.TURN, 1)) in bobs.text
    assert len([link for link in alices.links if "/h/" in link]) == 2
    assert len([link for link in erins.links if re.search(r"/[a-z]/", link)]) == 0
    assert not any(over.id in mail.text for mail in (bobs, alices))


def test_links_come_with_whom_one_plays_and_until_when(keeper: Office) -> None:
    keeper.running()

    text = asked_for_links(keeper, "bob").text

    assert "Dog, with Alice, Carol and Dave\nIt is your turn. Please play by Fri" in text.replace(
        "\r", ""
    )


def test_what_was_done_after_the_own_move_is_told_too(keeper: Office) -> None:
    """An extension given at the very ply of the reader's last move is news to them."""
    match = keeper.running()
    keeper.play(match, 0)
    keeper.clock.move(timedelta(minutes=1))
    remedies.extend(keeper.service, match.id, 1, "24h", actor="host")
    keeper.work()
    while 0 not in keeper.waiting(match):
        seat = keeper.waiting(match)[0]
        keeper.play(match, seat, keeper.good_order(match, seat))
        keeper.work()
    keeper.post_all()

    kept = [m for m in mailbox.listed(keeper.service, address("alice")) if "/t/" in m.text][-1]

    assert "The host gave Bob until" in kept.text


def test_a_turn_comes_from_who_made_the_move_and_not_from_who_has_the_seat_now(
    keeper: Office,
) -> None:
    match = keeper.play_on(keeper.running(), plies=5)
    (reader,) = keeper.waiting(match)
    mover = (reader - 1) % 4
    name = keeper.seat(match, mover).name
    remedies.replace(keeper.service, match.id, mover, "Frank", address("frank"), actor="operator")

    keeper.post_all()

    mail = parsed(raw_of(keeper, keeper.owed("your_turn", reader)))
    assert mail["From"].addresses[0].display_name == f"{name}, by pbem"
