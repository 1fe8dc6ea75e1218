"""What there is to know about Dogs of War before a match of it."""

from engine.game import Meta

#: What the game is, whatever set is played with.
THE_GAME = " ".join(
    (
        "Mercenary captains sell their soldiers to six noble houses.",
        "Over four years three battles a year are fought: each turn you send one captain with one"
        " soldier to one side of a battle, move its fortunes and take the reward of the space you"
        " stand on.",
        "The influence you hold is worth what its house has won.",
        "For 3 to 5 players.",
    )
)

META = Meta(
    name="dogs-of-war",
    title="Dogs of War",
    seats=(3, 4, 5),
    rules_version="2",
    older_rules=("1",),
    summary=(
        f"{THE_GAME} The rewards, tactic cards and bonus tokens are this project's own set, because"
        " no document tells the published ones."
    ),
)
