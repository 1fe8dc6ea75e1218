"""Moving, command and sight, in sentences."""

from __future__ import annotations

from engine.errors import Sentence
from engine.games.skirmish.meta import SkirmishOptions
from engine.rulebook import Chapter, chapter, rule


def moving(options: SkirmishOptions) -> Chapter:
    tested = options.jump_test
    return chapter(
        Sentence("Moving"),
        rule("SKR-26", "Walking: 1 AP an inch.", main=True),
        rule("SKR-27", "Running: 3 AP for up to 5 inches.", main=True),
        rule(
            "SKR-27",
            "A man who runs fires only at enemies spotted before.",
            options.running_bars_new_targets,
        ),
        rule(
            "SKR-47",
            "A man who runs in two turns one after the other tests FT, or has 5 AP in the next.",
        ),
        rule(
            "SKR-28 SKR-29 SKR-30",
            "Lying down is free, standing up 3 AP. A man lying down crawls: 2 AP an inch.",
            main=True,
        ),
        rule("SKR-31", "Walking in rubble: 2 AP an inch."),
        rule(
            "SKR-32",
            "Running in rubble: {ap} AP for up to 5 inches, and a test of ST or he falls.",
            ap=options.rubble_run_ap,
        ),
        rule(
            "SKR-33",
            "Climbing: 2 AP an inch up or down, 1 across, up to twice a man's height.",
        ),
        rule(
            "SKR-34 SKR-35",
            "Jumping an inch: 2 AP. Two inches: 7 AP, with a run-up of 3 inches.",
        ),
        rule("SKR-44", "A jump needs a test of ST: who fails falls short and lies.", tested),
        rule("SKR-40", "Turning is free."),
        rule(
            "SKR-36 SKR-37",
            "Picking something up, also what the dead, the captured and unconscious friends have: "
            "1 AP each, for rounds 1 AP in all. Dropping is free.",
        ),
        rule("SKR-43", "What weapons cost to fire and reload is in the table."),
        rule(
            "SKR-48 SKR-49 SKR-50",
            "Nobody moves or shoots through men, but over the dead, and over men who lie or stand "
            "an inch lower.",
        ),
        rule("SKR-52", "Wounds and carrying make moves dearer."),
    )


def command() -> Chapter:
    return chapter(
        Sentence("Command"),
        rule(
            "SKR-54",
            "A leader commands everyone in sight within as many inches as his CC; by radio "
            "anywhere.",
        ),
        rule(
            "SKR-55",
            "A man who leaves that range tests ML once. If he fails, he goes back into it.",
        ),
        rule(
            "SKR-56 SKR-57",
            "A man tells those in his command range and sight, or with radios, what he spots. Else "
            "only who sees a target fires at it.",
        ),
        rule(
            "SKR-160 SKR-161",
            "Hand-held radios are for leaders; earpieces connect a whole team.",
        ),
    )


def sight(options: SkirmishOptions, night: bool) -> Chapter:
    dark = night and not options.generous_night_sight
    return chapter(
        Sentence("Sight"),
        rule("SKR-53", "A man sees a half circle in front of him.", main=True),
        rule(
            "SKR-59 SKR-60",
            "More than half of a target must be in sight for a plain shot. At less, only an "
            "aimed shot, or one at a man who has fired in view without a flash suppressor.",
            main=True,
        ),
        rule("SKR-61", "It is dark: nobody is seen farther than 10 inches.", dark, main=True),
        rule(
            "SKR-61",
            "Darkness hides nobody, it only makes shots harder.",
            night and options.generous_night_sight,
        ),
        rule("SKR-62", "Smoke does not hide, but makes shots harder."),
    )
