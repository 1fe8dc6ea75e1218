"""One remedy for several stalled matches at once: the console's checkboxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pbem import present
from pbem.acts import remedies
from pbem.acts.previewed import moment
from pbem.acts.remedy import OfSeat, RemedyRequest
from pbem.errors import BadInput, Refused
from pbem.present.remedy_effects import EffectShown
from pbem.store.names import Actor
from pbem.web import remedy_forms
from pbem.web.context import match_id_of, sentence, service, whole_number
from pbem.words.i18n import Translator

#: One form names at most this many matches.
MOST = 100


@dataclass(frozen=True)
class OneOfSeveral:
    """What a remedy does in one match: its effect, or why it cannot be done there."""

    #: As the form names it: ``MATCH:SEAT``, or ``MATCH:`` for the whole match. The form of a
    #: preview says of which moment it is, after another colon.
    place: str
    title: str
    effect: EffectShown | None
    problem: str


class BulkRequest(NamedTuple):
    """What is asked for in one match, and the moment of its preview, "" if there was none."""

    match_id: str
    asked: RemedyRequest
    seen: str


def read(given: Mapping[str, str], places: Sequence[str]) -> list[BulkRequest]:
    """The form: what is asked at each place; or BadInput."""
    remedy = remedies.find(given.get("remedy", ""))
    if not remedy.for_several:
        raise BadInput("Choose what is to be done.", field="remedy")
    if not 1 <= len(places) <= MOST:
        raise BadInput("Tick the matches it is for, at most {most}.", field="stall", most=MOST)
    asked = RemedyRequest(remedy.name, by=given.get("by", "").strip())
    found: dict[tuple[str, int | None], BulkRequest] = {}
    for place in places:
        match_id, seat_text, seen, *_ = (*place.split(":"), "", "")
        match_id = match_id_of(match_id)
        seat = whole_number(seat_text, "seat", 0, 99) if seat_text else None
        if not isinstance(remedy, OfSeat):
            seat = None
        # a remedy of a whole match is applied once, even if two of its seats were ticked
        found.setdefault((match_id, seat), BulkRequest(match_id, replace(asked, seat=seat), seen))
    return list(found.values())


def preview(wanted: Sequence[BulkRequest], words: Translator) -> list[OneOfSeveral]:
    """What would happen in each match. Nothing is changed."""
    return [_preview(one, words) for one in wanted]


def _preview(wanted: BulkRequest, words: Translator) -> OneOfSeveral:
    match_id, asked, _ = wanted
    table = service().read(match_id)
    title = present.match_title(table.match, words)
    place = f"{match_id}:{'' if asked.seat is None else asked.seat}"
    try:
        if isinstance(remedies.find(asked.remedy), OfSeat) and asked.seat is None:
            raise BadInput(
                "This is done for one player, and the whole match was ticked. Choose the player on "
                "the page of the match.",
                field="seat",
            )
        place = f"{place}:{moment(service(), table, asked)}"
        zone = service().settings.zone
        effect = remedy_forms.effect(match_id, asked, Actor.OPERATOR, zone, words)
    except Refused as error:
        return OneOfSeveral(place, title, None, sentence(error, words))
    return OneOfSeveral(place, title, effect, "")


def apply(wanted: Sequence[BulkRequest], words: Translator) -> list[OneOfSeveral]:
    """Does it in each match that allows it, one after the other, and tells what was done."""
    done = []
    for one in wanted:
        shown = _preview(one, words)
        if shown.effect is not None:
            try:
                remedies.carry_out(service(), one.match_id, one.asked, Actor.OPERATOR, one.seen)
            except Refused as error:
                # the match moved on between preview and act: the others are done nevertheless
                shown = replace(shown, effect=None, problem=sentence(error, words))
        done.append(shown)
    return done
