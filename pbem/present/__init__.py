"""What templates get: a match and its view as words, local times and pictures. No rules.

- ``times``: instants as people read them;
- ``story``: what happened, in sentences;
- ``talk``: what people said, where they said it;
- ``matches``, ``persons``: a match, a seat and a person in place of their rows;
- ``tables``: a match, a turn and its orders, ready for a page or a mail;
- ``dice``: whether the public beacon is in the dice;
- ``charts``: how a match came about;
- ``replay``: a match after one of its plies;
- ``rulebooks``: the rules of a match;
- ``pictures``: the board, as a drawing and in words;
- ``own_matches``: the matches of a person, a line each;
- ``stalls``, ``deliveries``, ``permissions``, ``remedy_effects``: why a match stalls, and what is
  done about it;
- ``standings``, ``series``: ratings, leagues and tournaments;
- ``covers``: the pictures of the first page;
- ``colours``: those of a drawing, for whoever shows it without a page's stylesheets.
"""

from pbem.present.charts import Chart, chart
from pbem.present.charts import drawing as chart_drawing
from pbem.present.dice import chain_name
from pbem.present.dice import of_service as dice_of_service
from pbem.present.dice import sentence as dice_sentence
from pbem.present.matches import Stage, match, offers, own_seat
from pbem.present.own_matches import own_board
from pbem.present.persons import person
from pbem.present.pictures import board, board_text, choices, choices_text, help_text
from pbem.present.replay import StepShown, picture, step
from pbem.present.rulebooks import rulebook
from pbem.present.stalls import stands_still, waits
from pbem.present.story import (
    LineShown,
    act_sentence,
    event_sentences,
    events_since,
    last_events,
    lines,
    names_before,
    newest_first,
    paragraphs,
    told_apart,
)
from pbem.present.tables import (
    TableShown,
    clock_sentence,
    for_players,
    game_title,
    joined,
    match_title,
    others,
    outcome,
    policy_sentence,
    seat_names,
    status,
    status_name,
    table,
    to_move,
    turn,
    usual_number,
)
from pbem.present.talk import among as talk_among
from pbem.present.times import Moment, days_away, span

__all__ = [
    "Chart",
    "LineShown",
    "Moment",
    "Stage",
    "StepShown",
    "TableShown",
    "act_sentence",
    "board",
    "board_text",
    "chain_name",
    "chart",
    "chart_drawing",
    "choices",
    "choices_text",
    "clock_sentence",
    "days_away",
    "dice_of_service",
    "dice_sentence",
    "event_sentences",
    "events_since",
    "for_players",
    "game_title",
    "help_text",
    "joined",
    "last_events",
    "lines",
    "match",
    "match_title",
    "names_before",
    "newest_first",
    "offers",
    "others",
    "outcome",
    "own_board",
    "own_seat",
    "paragraphs",
    "person",
    "picture",
    "policy_sentence",
    "rulebook",
    "seat_names",
    "span",
    "stands_still",
    "status",
    "status_name",
    "step",
    "table",
    "talk_among",
    "to_move",
    "told_apart",
    "turn",
    "usual_number",
    "waits",
]
