"""What players do, at their doors and by letters."""

from __future__ import annotations

from datetime import timedelta

from sqlmodel import select

from pbem.acts import absence, deliverability, going_back, invitees, standing_orders
from pbem.acts import lobby as lobbies
from pbem.mail import gateway, return_path
from pbem.mail.doors import webhook
from pbem.mail.mailer import post_due
from pbem.service import Service
from pbem.store.models import Link, Mail, Match
from pbem.store.names import Purpose
from tests.faults.acts.moments import (
    Act,
    Given,
    Place,
    lobby,
    moved_on,
    moves,
    on_link,
    packing,
    posting,
    running,
    work,
)
from tests.parts import remedies
from tests.web.conftest import HOOK_KEY
from tests.web.house import WebHouse


def lobby_that_insists(house: WebHouse) -> Given:
    """All but Dave have joined, and the host insists on the beacon, which cannot be reached."""
    given = lobby(house)
    with house.service.database.write("test") as session:
        match = session.get(Match, given["match"])
        assert match is not None
        match.beacon_required = True
    return given


def seat_page(house: WebHouse) -> Given:
    given = running(house)
    return {**given, "path": house.path(house.match(given["match"]), Purpose.SEAT, 1)}


def moved(house: WebHouse) -> Given:
    """One has moved and may take it back; nobody has acted since."""
    match, seat, _ = house.before_a_choice()
    house.play(match, seat, house.good_order(match, seat))
    return {"match": match.id, "link": house.link(match, Purpose.SEAT, seat).id}


def agreed_but_one(house: WebHouse) -> Given:
    given = moved_on(house)
    with house.service.database.read() as session:
        link = session.exec(select(Link).where(Link.id == given["link"])).one()
    proposal = going_back.propose(house.service, link)
    asked = sorted({0, 1, 2, 3} - {proposal.seat})
    match = house.match(given["match"])
    found = [house.link(match, Purpose.CONSENT, seat) for seat in asked]
    for one in found[:-1]:
        going_back.answer(house.service, one, agreed=True)
    return {"match": given["match"], "link": found[-1].id}


def outdated(house: WebHouse) -> Given:
    """The table was asked, and then somebody moved."""
    given = moved_on(house)
    with house.service.database.read() as session:
        link = session.exec(select(Link).where(Link.id == given["link"])).one()
    going_back.propose(house.service, link)
    match = house.match(given["match"])
    (waiting,) = house.waiting(match)
    house.play(match, waiting, house.good_order(match, waiting))
    return given


def bot_holds(house: WebHouse) -> Given:
    given = seat_page(house)
    remedies.put_bot(house.service, given["match"], 1, actor="operator")
    house.work()
    return given


def hand_in(place: Place, given: Given) -> None:
    """Every player's program hands its move in, and notes each receipt."""
    client = place.app.test_client()
    for number, (path, order) in enumerate(given["moves"]):
        asked = {"order": order, "submission": f"program {number}"}
        answer = client.post(path, json=asked)
        assert answer.status_code == 200, answer.text
        told = answer.get_json()
        place.note({"submission": asked["submission"], "ply": told["ply"], "order": told["order"]})


def open_match(place: Place, _: Given) -> None:
    people = [{"name": name, "email": f"{name.lower()}@example.org"} for name in ("Ann", "Ben")]
    asked = {
        "game": "dog",
        "host": people[0],
        "seats": [{**one, "confirmed": True} for one in people] + [{"bot": "easy"}] * 2,
    }
    answer = place.app.test_client().post("/api/matches", json=asked)
    assert answer.status_code == 201, answer.text


def _leave_orders(service: Service, link: Link) -> None:
    standing_orders.leave(service, link, ["give 2", "give 3"])


def _cancel_orders(service: Service, link: Link) -> None:
    for row in standing_orders.of_seat(service, link.match_id, link.seat):
        standing_orders.cancel(service, link, row.id or 0)


def _agree(service: Service, link: Link) -> None:
    going_back.answer(service, link, agreed=True)


def _mute_and_unmute(service: Service, link: Link) -> None:
    deliverability.mute(service, link)
    deliverability.unmute(service, link)


def seat_link(house: WebHouse) -> Given:
    given = running(house)
    return {**given, "link": house.link(house.match(given["match"]), Purpose.SEAT, 1).id}


def orders_left(house: WebHouse) -> Given:
    given = moves(house)
    match = house.match(given["match"])
    house.play(match, 1)
    given["link"] = house.link(match, Purpose.SEAT, 1).id
    with house.service.database.read() as session:
        link = session.exec(select(Link).where(Link.id == given["link"])).one()
    _leave_orders(house.service, link)
    return given


def _letter(place: Place, _: Given) -> None:
    letter = b"To: a@example.org\r\nFrom: b@example.org\r\nSubject: Hello\r\n\r\nHello"
    assert place.app.test_client().post("/dev/mail", data=letter).status_code == 202


def answerable(house: WebHouse) -> Given:
    """Bob's open turn, its reply address, and an order of his to answer with."""
    given = running(house)
    match = house.match(given["match"])
    given["address"] = gateway.reply_address(house.service, house.link(match, Purpose.REPLY, 1))
    given["order"] = house.orders(match, 1)[0]
    return given


def returned(house: WebHouse) -> Given:
    """A mail to Bob came back, so his clock stands; he has a question all the same."""
    given = answerable(house)
    deliverability.mail_refused(
        house.service, given["match"], 1, "bob@example.org", "550", came_back=True
    )
    return {**given, "order": "help"}


def answerable_on_vacation(house: WebHouse) -> Given:
    match = house.match(packing(house)["match"])
    address = gateway.reply_address(house.service, house.link(match, Purpose.REPLY, 1))
    today = house.clock.now().date()
    return {
        "match": match.id,
        "address": address,
        "order": f"away {today + timedelta(days=1)} to {today + timedelta(days=2)}",
    }


def _answer(given: Given) -> bytes:
    return (
        f"To: {given['address']}\r\nFrom: bob@example.org\r\nSubject: Re: your turn\r\n"
        f"Message-ID: <one@mail.example.org>\r\n\r\n{given['order']}\r\n"
    ).encode()


def _answer_by_mail(place: Place, given: Given) -> None:
    gateway.arrived(place.service, _answer(given))


def _answer_by_hook(place: Place, given: Given) -> None:
    """A mail service posts the answer, and posts it again as long as it is not told 200."""
    letter, timestamp = _answer(given), str(int(place.service.now().timestamp()))
    code = webhook.signature(HOOK_KEY, timestamp, letter)
    headers = {webhook.TIMESTAMP: timestamp, webhook.SIGNATURE: code}
    answer = place.app.test_client().post("/hooks/mail", data=letter, headers=headers)
    assert answer.status_code == 200, answer.text


def sent(house: WebHouse) -> Given:
    """Bob's turn was mailed; where the mail comes back to."""
    given = running(house)
    while post_due(house.service):
        pass
    with house.service.database.read() as session:
        mail = session.exec(select(Mail).where(Mail.kind == "your_turn", Mail.seat == 1)).one()
    given["back"] = return_path.address(house.service, mail, "bob@example.org")
    return given


def _bounce(place: Place, given: Given) -> None:
    letter = (
        f"To: {given['back']}\r\nFrom: MAILER-DAEMON@mx.example.org\r\n"
        "Subject: failure notice\r\n\r\n550 5.1.1 There is no such mailbox.\r\n"
    )
    gateway.arrived(place.service, letter.encode())


def _vacation(place: Place, given: Given) -> None:
    letter = (
        f"To: {given['back']}\r\nFrom: bob@example.org\r\nSubject: Away\r\n"
        "Auto-Submitted: auto-replied\r\n\r\nUntil Monday.\r\n"
    )
    gateway.arrived(place.service, letter.encode())


def _mail_my_turn(place: Place, given: Given) -> None:
    place.post(f"{given['moves'][0][0]}/mail")


def _refuse_mail(place: Place, given: Given) -> None:
    deliverability.mail_refused(place.service, given["match"], 1, "bob@example.org", "550 no")


ACTS: dict[str, Act] = {
    "open": Act(("create", "start"), lambda _: {}, open_match),
    "join and wait for a round": Act(
        ("join", "beacon.fix"), lobby_that_insists, posting(phrase="five words", name="", zone="")
    ),
    "join": Act(("join", "start"), lobby, posting(phrase="five words", name="", zone="")),
    "decline": Act(("decline",), lobby, on_link(lobbies.decline)),
    "hand in": Act(("submit",), moves, hand_in),
    "settings": Act(
        ("preferences",), seat_page, posting(do="settings", zone="Europe/Zurich", language="es")
    ),
    "never invited again": Act(("invitees",), lobby, on_link(invitees.never)),
    "a letter fails its check": Act(
        ("letter_refused",), seat_link, on_link(deliverability.letter_refused)
    ),
    "mute": Act(("mute",), seat_link, on_link(deliverability.mute)),
    "unmute": Act(("mute",), seat_link, on_link(_mute_and_unmute)),
    "come back": Act(("come_back",), bot_holds, posting(do="come-back")),
    "give the seat up": Act(("resign",), seat_link, on_link(absence.resign)),
    "leave orders": Act(("standing",), seat_link, on_link(_leave_orders)),
    "cancel orders": Act(("standing",), orders_left, on_link(_cancel_orders)),
    "take back": Act(("go_back",), moved, on_link(going_back.take_back)),
    "ask to take back": Act(("propose",), moved_on, on_link(going_back.propose)),
    "agree": Act(("answer", "go_back"), agreed_but_one, on_link(_agree)),
    "a question is outdated": Act(("end_proposal",), outdated, work),
    "mail my turn": Act(("resend",), moves, _mail_my_turn),
    "vacation by mail": Act(
        ("announce_vacation", "lines.answer"), answerable_on_vacation, _answer_by_mail
    ),
    "letter": Act(("mailbox.receive",), lambda _: {}, _letter),
    "answer by mail": Act(("submit", "lines.answer"), answerable, _answer_by_mail),
    "a sign of life by mail": Act(("lines.answer", "was_there"), returned, _answer_by_mail),
    "answer by a mail service": Act(("submit", "lines.answer"), answerable, _answer_by_hook),
    "bounce": Act(("mail_refused", "came_back"), sent, _bounce),
    "vacation answer": Act(("came_back",), sent, _vacation),
    "mail_refused": Act(("mail_refused",), running, _refuse_mail),
}
