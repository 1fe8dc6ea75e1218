"""One remedy for several stalled matches at once: the console's checkboxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pbem import present
from pbem.acts import remedies
from pbem.acts.remedy import Asked, OfSeat
from pbem.errors import BadInput, Refused
from pbem.present.remedy_effects import EffectShown
from pbem.service import Service
from pbem.store.names import Actor
from pbem.store.table import load
from pbem.web import remedy_forms
from pbem.web.context import match_id_of, sentence, whole_number
from pbem.words.i18n import Translator

#: One form names at most this many matches.
MOST = 100


@dataclass(frozen=True)
class OneOfSeveral:
    """What a remedy does in one match: its effect, or why it cannot be done there."""

    #: As the form names it: ``MATCH:SEAT``, or ``MATCH:`` for the whole match.
    place: str
    title: str
    effect: EffectShown | None
    problem: str


def read(given: Mapping[str, str], places: Sequence[str]) -> list[tuple[str, str, Asked]]:
    """The form: for each place its text, its match and what is asked there; or BadInput."""
    remedy = remedies.find(given.get("remedy", ""))
    if not remedy.for_several:
        raise BadInput("Choose what is to be done.", field="remedy")
    if not 1 <= len(places) <= MOST:
        raise BadInput("Tick the matches it is for, at most {most}.", field="stall", most=MOST)
    asked = Asked(remedy.name, by=given.get("by", "").strip())
    found: dict[tuple[str, int | None], tuple[str, str, Asked]] = {}
    for place in places:
        match_id, _, seat_text = place.partition(":")
        match_id = match_id_of(match_id)
        seat = whole_number(seat_text, "seat", 0, 99) if seat_text else None
        if not isinstance(remedy, OfSeat):
            seat = None
        # a remedy of a whole match is applied once, even if two of its seats were ticked
        found.setdefault((match_id, seat), (place, match_id, replace(asked, seat=seat)))
    return list(found.values())


def preview(
    service: Service, wanted: Sequence[tuple[str, str, Asked]], words: Translator
) -> list[OneOfSeveral]:
    """What would happen in each match. Nothing is changed."""
    return [_preview(service, *one, words) for one in wanted]


def _preview(
    service: Service, place: str, match_id: str, asked: Asked, words: Translator
) -> OneOfSeveral:
    with service.database.read() as session:
        title = present.match_title(load(session, match_id).match, words)
    try:
        if isinstance(remedies.find(asked.remedy), OfSeat) and asked.seat is None:
            raise BadInput("This needs a seat: nobody of this match was named.", field="seat")
        zone = service.settings.zone
        effect = remedy_forms.effect(service, match_id, asked, Actor.OPERATOR, zone, words)
    except Refused as error:
        return OneOfSeveral(place, title, None, sentence(error, words))
    return OneOfSeveral(place, title, effect, "")


def apply(
    service: Service, wanted: Sequence[tuple[str, str, Asked]], words: Translator
) -> list[OneOfSeveral]:
    """Does it in each match that allows it, one after the other, and tells what was done."""
    done = []
    for place, match_id, asked in wanted:
        shown = _preview(service, place, match_id, asked, words)
        if shown.effect is not None:
            try:
                remedies.carry_out(service, match_id, asked, Actor.OPERATOR)
            except Refused as error:
                # the match moved on between preview and act: the others are done nevertheless
                shown = replace(shown, effect=None, problem=sentence(error, words))
        done.append(shown)
    return done
