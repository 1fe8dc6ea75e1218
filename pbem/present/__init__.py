"""What templates get: a match and its view as words, local times and pictures. No rules.

- ``times``: instants as people read them;
- ``story``: what happened, in sentences;
- ``tables``: a match, a turn and its orders, ready for a page or a mail;
- ``dice``: whether the public beacon is in the dice;
- ``rulebooks``: the rules of a match;
- ``pictures``: the board, as a drawing and in words.
"""

from pbem.present.dice import chain_name
from pbem.present.dice import sentence as dice_sentence
from pbem.present.pictures import board, board_text, choices_text, help_text
from pbem.present.rulebooks import rulebook
from pbem.present.stalls import waits
from pbem.present.story import (
    LineShown,
    act_sentence,
    event_sentences,
    last_events,
    lines,
    paragraphs,
    told_apart,
)
from pbem.present.tables import (
    OutcomeShown,
    SeatShown,
    TableShown,
    TurnShown,
    clock_sentence,
    game_title,
    match_title,
    outcome,
    policy_sentence,
    seat_names,
    table,
    to_move,
    turn,
)
from pbem.present.times import Moment, moment, span

__all__ = [
    "LineShown",
    "Moment",
    "OutcomeShown",
    "SeatShown",
    "TableShown",
    "TurnShown",
    "act_sentence",
    "board",
    "board_text",
    "chain_name",
    "choices_text",
    "clock_sentence",
    "dice_sentence",
    "event_sentences",
    "game_title",
    "help_text",
    "last_events",
    "lines",
    "match_title",
    "moment",
    "outcome",
    "paragraphs",
    "policy_sentence",
    "rulebook",
    "seat_names",
    "span",
    "table",
    "to_move",
    "told_apart",
    "turn",
    "waits",
]
