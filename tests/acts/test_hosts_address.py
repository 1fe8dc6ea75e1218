"""A host's own address that takes no mail is corrected by the operator."""

import pytest

from pbem.acts.foresight import foresee
from pbem.acts.mail_relevance import subject, unwanted
from pbem.acts.remedy import RemedyRequest
from pbem.errors import BadInput, NotFound, NotPossible
from pbem.looks import match_look
from pbem.mail.render import gather, write
from pbem.present.remedy_effects import foreseen
from pbem.store import links
from pbem.store.names import Actor, Purpose
from pbem.words.i18n import translator
from tests.parts import remedies
from tests.parts.cast import House

RIGHT = "right@example.net"


def correct(house: House, match, email: str = RIGHT) -> None:
    remedies.correct_host_address(house.service, match.id, email, actor="operator")


def test_the_new_link_goes_to_the_new_address_and_the_old_link_is_dead(house: House):
    match = house.running()
    old = house.token(house.link(match, Purpose.HOST, links.HOST))

    correct(house, match)

    (mail,) = house.mails("host_link")
    with house.service.database.read() as session:
        assert subject(session, mail).address == RIGHT
        with pytest.raises(NotFound):
            links.find(session, house.service.keys, old, Purpose.HOST, house.clock.now())
    new = house.token(house.link(match, Purpose.HOST, links.HOST))
    assert new != old


def test_who_was_reached_there_is_told_at_the_address_before(house: House):
    match = house.running()
    before = match.host_email

    correct(house, match)
    correct(house, match, RIGHT.upper())

    (mail,) = house.mails("seat_changed")
    with house.service.database.read() as session:
        assert subject(session, mail).address == before
        assert unwanted(subject(session, mail)) is None


@pytest.mark.parametrize(
    ("language", "said", "ask"),
    [
        (
            "en",
            "Mail for the host of this match goes to another address from now on.",
            "If you do not know why, ask whoever runs the service.",
        ),
        (
            "es",
            "Desde ahora el correo del anfitrión de esta partida va a otra dirección.",
            "Si no sabes por qué, pregunta a quien lleva el servicio.",
        ),
    ],
)
def test_the_mail_says_what_was_done_and_whom_to_ask_and_has_no_link_of_the_host(
    house: House, language: str, said: str, ask: str
):
    match = house.running(language=language)

    correct(house, match)

    text = write(house.service, gather(house.service, house.mails("seat_changed")[0])).text
    assert said in text
    assert ask in text
    assert RIGHT not in text
    assert "/h/" not in text


def test_the_table_is_told_without_the_address(house: House):
    match = house.running()

    correct(house, match)

    acts = [line.act for line in match_look.table(house.service, match.id).lines if line.act]
    assert acts[-1].act == "host_address_corrected"
    assert RIGHT not in acts[-1].detail_json


def test_the_seat_of_a_host_who_plays_keeps_its_address_and_the_preview_says_so(house: House):
    match = house.running()
    seat = house.seat(match, 0)
    wanted = RemedyRequest("correct-host-address", email=RIGHT)
    words = translator("en", "dog")
    seen = foresee(house.service, match.id, wanted, Actor.OPERATOR)
    shown = foreseen(seen, match.zone, words)

    correct(house, match)

    assert "The seat of Alice has the old address and keeps it" in shown.sentence
    assert house.seat(match, 0).email == seat.email
    assert house.seat(match, 0).epoch == seat.epoch


def test_an_address_that_is_none_is_refused(house: House):
    match = house.running()

    with pytest.raises(BadInput):
        correct(house, match, "not an address")

    assert house.match(match.id).host_email == match.host_email


def test_a_match_that_is_over_has_no_host_to_reach(house: House):
    match = house.running()
    remedies.abort(house.service, match.id, actor="host")

    with pytest.raises(NotPossible, match="over"):
        correct(house, match)
