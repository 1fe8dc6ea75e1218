"""What is said at a table."""

from __future__ import annotations

from pbem.people import talk
from pbem.store.names import Actor
from tests.faults.acts.moments import CLOCK, Act, Given, Place, keep_company
from tests.parts.cast import by
from tests.web.house import WebHouse


def talking(house: WebHouse) -> Given:
    match = house.running(clock=CLOCK)
    talk.allow(house.service, match.id, True, actor=Actor.HOST)
    return {"match": match.id}


def after_words(house: WebHouse) -> Given:
    given = talking(house)
    said = talk.say(house.service, by(house.service, given["match"], 1), "table", "Insults", "1")
    return {**given, "message": talk.sign(said)}


def a_day_after_words(house: WebHouse) -> Given:
    given = after_words(house)
    house.clock.move(talk.PATIENCE)
    return given


def _say(place: Place, given: Given) -> None:
    talk.say(place.service, by(place.service, given["match"], 1), "table", "Hello", "once")


def _hide(place: Place, given: Given) -> None:
    message = given["message"]
    talk.hide(place.service, given["match"], message, "Insults", actor=Actor.HOST)


def _note(place: Place, given: Given) -> None:
    talk.write_note(place.service, by(place.service, given["match"], 1), "Keep the 7")


ACTS: dict[str, Act] = {
    "say something": Act(("talk.say",), talking, _say),
    "hide a message": Act(("talk.order",), after_words, _hide),
    "keep a note": Act(("talk.own",), talking, _note),
    "words that no mail has brought": Act(("talk.mail",), a_day_after_words, keep_company),
}
