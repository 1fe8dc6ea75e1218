"""The rules of a match of Dogs of War in sentences, each with its ids: only those that hold."""

from __future__ import annotations

from engine.errors import Sentence
from engine.games.dogs_of_war import meta
from engine.games.dogs_of_war.box.components import (
    Components,
    Dog,
    RewardKind,
    catalogue,
)
from engine.games.dogs_of_war.box.names import DOG_NAMES, numbers
from engine.games.dogs_of_war.course import outcome
from engine.games.dogs_of_war.meta import Options
from engine.games.dogs_of_war.state import CAPTAINS
from engine.games.dogs_of_war.view import Words
from engine.rulebook import Chapter, Rule, chapter, chapters, rule


def rulebook(seats: int, options: Options, version: int) -> tuple[Chapter, ...]:
    """The rules with so many players and these options, by a version of the rules."""
    box = catalogue(options.components).components
    return chapters(
        _aim(options),
        _beginning(seats, options, version),
        _year(options),
        _mustering(options),
        _turn(options),
        _sides(options, box),
        _tracker(options),
        _rewards(options, box),
        _passing(options),
        _battles(options, box),
        _dogs(options),
        _end(options),
    )


def _aim(options: Options) -> Chapter:
    return chapter(
        Sentence("Aim"),
        rule(
            "DOW-99 DOW-14 DOW-96",
            "You lead mercenaries between six houses for four years. After the fourth, most points "
            "win.",
            main=True,
        ),
        rule(
            "DOW-97",
            "Points are: your victory point tokens; each influence token by the place of its house "
            "on the house track, which can be below 0; one for two coins; one for each tactic card "
            "and soldier card left.",
            main=True,
        ),
        rule(
            "DOW-4 DOW-98",
            "Your house support card is secret and counts as two influence tokens of its house, "
            "not as a card left.",
            main=True,
        ),
        rule("DOW-100", "Equal points share the victory.", options.ties == "shared"),
        rule(
            "DOW-100",
            "Of players with equal points, who has the most coins left wins.",
            options.ties == "coins",
        ),
    )


def _beginning(seats: int, options: Options, version: int) -> Chapter:
    given = bool(options.dogs)
    chosen = not given and options.dogs_by == "choice" and meta.players_choose_their_dogs(version)
    fewer = seats == 3 and (not options.two_battles or options.two_battles_fewer_influence)
    tokens = 8 if fewer else 10 if seats == 4 else 12
    low = "0" if options.crushing_at_twelve else "−1"
    return chapter(
        Sentence("The beginning"),
        rule("DOW-1", "Everybody chooses a dog of war, in the order of the seats.", chosen),
        rule("DOW-1", "The host has said who plays which dog of war.", given),
        rule("DOW-1", "Lots decide who plays which dog of war.", not chosen and not given),
        rule(
            "DOW-2 DOW-3 DOW-5 DOW-6",
            "Everybody begins with 5 coins, two tactic cards and a house support card. The support "
            "cards that are left stay unseen.",
        ),
        rule("DOW-7 DOW-8", "All houses begin on {place}, all trackers in the centre.", place=low),
        rule("DOW-9", "Lots decide who has the first-player token in the first year."),
        rule(
            "DOW-V4",
            "Two houses and the third battle are left out: there are two battles a year.",
            options.two_battles,
            main=True,
        ),
        rule(
            "DOW-11 DOW-V5" if options.two_battles else "DOW-11",
            "There are {number} influence tokens of each house.",
            number=tokens,
        ),
        rule(
            "DOW-10 DOW-12",
            "Influence tokens, soldier cards and captains are limited; coins and victory points "
            "are not.",
        ),
        rule(
            "DOW-13 DOW-29",
            "Coins, cards, influence and victory points are hidden from the others; captains, the "
            "board, piles and discards are not.",
        ),
    )


def _year(options: Options) -> Chapter:
    decisive = options.decisive_fourth_year
    return chapter(
        Sentence("A year"),
        rule(
            "DOW-15 DOW-18 DOW-19 DOW-20 DOW-16",
            "Chance pairs the houses, and gives each side of a battle a tile of six spaces and "
            "each battle a bonus reward.",
            main=True,
        ),
        rule("DOW-17", "In the fourth year each bonus reward is 3 victory points.", main=True),
        rule(
            "DOW-V3",
            "In the fourth year the first house on the track meets the second, the third the "
            "fourth, and so on; chance orders houses of equal rank.",
            decisive and options.decisive_ties == "random",
        ),
        rule(
            "DOW-V3",
            "In the fourth year the first house on the track meets the second, the third the "
            "fourth, and so on; houses of equal rank are in the order of their list.",
            decisive and options.decisive_ties == "listed",
        ),
        rule(
            "DOW-21",
            "Whoever holds the first-player token keeps it or gives it away. Whoever has it then "
            "goes first all year.",
            main=True,
        ),
    )


def _mustering(options: Options) -> Chapter:
    one = options.one_soldier_a_year
    return chapter(
        Sentence("Mustering"),
        rule(
            "DOW-22 DOW-25",
            "Everybody gets 3 coins and captains: {numbers} in years 1 to 4, and those won as a "
            "bonus the year before.",
            main=True,
            numbers=numbers(CAPTAINS),
        ),
        rule(
            "DOW-23 DOW-24",
            "Captains that are left over do not stay for the next year. Nobody has more than "
            "{number} in a year.",
            number=options.captain_limit,
        ),
        rule(
            "DOW-26 DOW-27 DOW-30",
            "Everybody buys once a year, in turn, any soldiers they can pay. Coins that are left "
            "are kept.",
            not one,
            main=True,
        ),
        rule(
            "DOW-26 DOW-27 DOW-30",
            "Everybody buys once a year, in turn, at most one soldier. Coins that are left are "
            "kept.",
            one,
            main=True,
        ),
        rule("DOW-28", "What is not in the piles cannot be bought."),
    )


def _turn(options: Options) -> Chapter:
    return chapter(
        Sentence("Your turn"),
        rule("DOW-31 DOW-69", "Turns go round until all have passed."),
        rule(
            "DOW-32 DOW-36",
            "You pass, or you act: a tactic card if you like, then one soldier and one captain on "
            "a free space of a house; the tracker moves; you take the space's reward.",
            main=True,
        ),
        rule(
            "DOW-33 DOW-34 DOW-35",
            "At most one tactic card a turn, never without a soldier and a captain; then it is "
            "discarded.",
        ),
        rule("DOW-37 DOW-63", "A space holds one captain, until the year is over."),
        rule("DOW-38", "You may have several captains with a house."),
        rule(
            "DOW-V2",
            "A battle closes at once when its tracker reaches 15: nobody is sent there any more.",
            options.sudden_death,
            main=True,
        ),
        rule(
            "DOW-V2a",
            "Whoever closes it still takes the space's reward.",
            options.sudden_death and options.sudden_death_reward,
        ),
        rule(
            "DOW-V2a",
            "Whoever closes it does not take the space's reward.",
            options.sudden_death and not options.sudden_death_reward,
        ),
    )


def _sides(options: Options, box: Components) -> Chapter:
    betrays = any(card.both_sides for card in box.tactics)
    here = options.betrayal_opens == "battle"
    return chapter(
        Sentence("For whom you may fight"),
        rule(
            "DOW-39",
            "Whoever has supported a house this year does not support its enemy.",
            main=True,
        ),
        rule(
            "DOW-40",
            "A card that opens both sides opens those of one battle, until the year is over.",
            betrays and here,
        ),
        rule(
            "DOW-40",
            "A card that opens both sides opens those of every battle, until the year is over.",
            betrays and not here,
        ),
        rule(
            "DOW-41",
            "It counts for the turn in which it is played, too.",
            betrays and options.betrayal_at_once,
        ),
        rule(
            "DOW-41",
            "It counts from your next turn on.",
            betrays and not options.betrayal_at_once,
        ),
        rule(
            "DOW-42 DOW-43 DOW-44",
            "Some spaces ask for an arquebuser or stronger, some for a knight or a war machine.",
            main=True,
        ),
        rule(
            "DOW-45",
            "You may support a house whose tracker is on 15 already.",
            not options.sudden_death,
        ),
    )


def _tracker(options: Options) -> Chapter:
    return chapter(
        Sentence("The tracker"),
        rule(
            "DOW-46 DOW-48",
            "It moves toward your house by the strength of your soldier, across the centre if need "
            "be: footman 1, arquebuser 3, knight 5, war machine 7.",
            main=True,
        ),
        rule("DOW-47", "It stops at 15; what is more is lost."),
        rule("DOW-49", "Where it stands decides the battle.", options.victor_by == "tracker"),
        rule(
            "DOW-49",
            "All strengths played decide the battle, not where the tracker stands.",
            options.victor_by == "strength",
        ),
    )


def _rewards(options: Options, box: Components) -> Chapter:
    kinds = {space.reward.kind for tile in box.tiles for space in tile if space.reward}
    soldiers = {
        RewardKind.FOOTMAN,
        RewardKind.ARQUEBUSER,
        RewardKind.KNIGHT,
        RewardKind.WAR_MACHINE,
    }
    copies, pushes = RewardKind.COPY in kinds, RewardKind.PUSH in kinds
    tactics = RewardKind.TACTICS in kinds
    return chapter(
        Sentence("Rewards"),
        rule(
            "DOW-61 DOW-62",
            "A reward is taken at once. What the supply lacks is not owed; an empty space "
            "gives nothing.",
        ),
        rule(
            "DOW-50 DOW-52",
            "Victory points and coins are as many as the space says.",
            bool(kinds & {RewardKind.POINTS, RewardKind.COINS}),
        ),
        rule("DOW-51", "A soldier comes from the pile into your hand.", bool(kinds & soldiers)),
        rule(
            "DOW-53",
            "Tactic cards are drawn. If the deck runs out the discards are shuffled; if all "
            "are too few you get what there is.",
            tactics and options.short_draw == "what_there_is",
        ),
        rule(
            "DOW-53",
            "Tactic cards are drawn. If the deck runs out the discards are shuffled; if all "
            "are too few you get none.",
            tactics and options.short_draw == "nothing",
        ),
        rule("DOW-54", "A captain is for this year.", RewardKind.CAPTAIN in kinds),
        rule(
            "DOW-55",
            "Influence is of the house you support with this captain.",
            RewardKind.INFLUENCE in kinds,
            main=True,
        ),
        rule(
            "DOW-56 DOW-57",
            "A copy takes the reward of a free space of the other tile, whatever soldier that "
            "space asks for. A copied copy gives nothing.",
            copies and options.copy_ignores_prerequisite,
        ),
        rule(
            "DOW-56 DOW-57",
            "A copy takes the reward of a free space of the other tile, if your soldier is one "
            "that space asks for. A copied copy gives nothing.",
            copies and not options.copy_ignores_prerequisite,
        ),
        rule(
            "DOW-58",
            "Coins for captains: one for each captain on the other tile.",
            RewardKind.COINS_PER_CAPTAIN in kinds,
        ),
        rule(
            "DOW-59 DOW-60",
            "A push moves the tracker by the captains already on this tile, without the one just "
            "placed.",
            pushes and not options.push_counts_self,
        ),
        rule(
            "DOW-59 DOW-60",
            "A push moves the tracker by the captains on this tile, with the one just placed.",
            pushes and options.push_counts_self,
        ),
    )


def _passing(options: Options) -> Chapter:
    forced = options.forced_pass_takes_token
    return chapter(
        Sentence("Passing"),
        rule(
            "DOW-64 DOW-66 DOW-67",
            "You may pass at any turn. Then you are out for the year: captains in hand are lost, "
            "soldiers, cards and coins are kept.",
            main=True,
        ),
        rule("DOW-65", "Whoever cannot act passes."),
        rule(
            "DOW-68",
            "Whoever passes first gets the first-player token for the next year, also if they "
            "had to.",
            forced,
            main=True,
        ),
        rule(
            "DOW-68",
            "Whoever passes first of their own will gets the first-player token for the next year.",
            not forced,
            main=True,
        ),
    )


def _battles(options: Options, box: Components) -> Chapter:
    glorious = outcome.glorious_lead(options)
    floor = options.house_floor
    influence = any(reward.kind is RewardKind.INFLUENCE for reward in box.bonuses)
    by_tracker = options.victor_by == "tracker"
    return chapter(
        Sentence("The outcome of battles"),
        rule(
            "DOW-71 DOW-72 DOW-74",
            "One battle after another: the house on whose side the tracker stands wins and climbs "
            "one space.",
            by_tracker,
            main=True,
        ),
        rule(
            "DOW-71 DOW-72 DOW-74",
            "One battle after another: the house for which more strength was played wins and "
            "climbs one space.",
            not by_tracker,
            main=True,
        ),
        rule(
            "DOW-75 DOW-V1" if options.crushing_at_twelve else "DOW-75",
            "On {lead} or more it climbs two, and its enemy falls one.",
            by_tracker,
            main=True,
            lead=glorious,
        ),
        rule(
            "DOW-75 DOW-V1" if options.crushing_at_twelve else "DOW-75",
            "With the tracker on its {lead} or more it climbs two, and its enemy falls one.",
            not by_tracker,
            main=True,
            lead=glorious,
        ),
        rule("DOW-73", "In the centre nobody wins, and nothing happens.", by_tracker, main=True),
        rule(
            "DOW-73",
            "At equal strength nobody wins, and nothing happens.",
            not by_tracker,
            main=True,
        ),
        rule("DOW-76 DOW-77", "No house falls below −1.", floor),
        rule("DOW-76 DOW-77", "Houses may fall below −1.", not floor),
        rule(
            "DOW-78 DOW-79",
            "Whoever has captains with the victor gets a point for each captain with the "
            "defeated house, whoever's they are.",
            main=True,
        ),
        rule(
            "DOW-80 DOW-81",
            "Whoever has the most captains with the victor takes the bonus reward; all who tie "
            "take it.",
            main=True,
        ),
        rule("DOW-82", "A captain won as a bonus comes at the next mustering."),
        rule(
            "DOW-83",
            "Influence won as a bonus is of the victorious house.",
            influence and options.bonus_influence == "victor",
        ),
        rule(
            "DOW-83",
            "Influence won as a bonus is of the defeated house.",
            influence and options.bonus_influence == "defeated",
        ),
        rule(
            "DOW-84",
            "If a bonus does not last for all who tie, they are served in turn order.",
            options.short_bonus == "turn_order",
        ),
        rule(
            "DOW-84",
            "If a bonus does not last for all who tie, nobody gets it.",
            options.short_bonus == "nobody",
        ),
        rule("DOW-85 DOW-86", "Then the boards are cleared; what players hold they keep."),
    )


def _dogs(options: Options) -> Chapter:
    """The abilities of those who may be in the match."""
    there = options.dogs or tuple(Dog)
    found: list[Rule | None] = []
    ids = {
        Dog.BLACKMANE: "DOW-87",
        Dog.ORDALIA: "DOW-88",
        Dog.OMALLEY: "DOW-90",
        Dog.CONQUEROR: "DOW-91 DOW-92 DOW-70",
        Dog.STORMCROW: "DOW-94",
    }
    for dog in there:
        said = Words(options).ability(dog)
        found.append(
            rule(
                ids[dog],
                "{dog}: {ability}",
                main=True,
                dog=Sentence(DOG_NAMES[dog]),
                ability=said,
            )
        )
        found += _resolved(dog, options)
    return chapter(Sentence("The dogs of war"), *found)


def _resolved(dog: Dog, options: Options) -> list[Rule | None]:
    """How unclear parts of an ability are read in this match."""
    needs = options.ordalia_needs_captain
    picks = options.conqueror_on_both_sides == "picks"
    chooses = options.stormcrow_withdraws == "by_choice"
    own = options.stormcrow_counts_own
    return {
        Dog.BLACKMANE: [],
        Dog.ORDALIA: [
            rule("DOW-89", "Ordalia needs a captain there for it.", needs),
            rule("DOW-89", "Ordalia needs no captain there for it.", not needs),
            rule(
                "DOW-88",
                "Ordalia's extra captain counts in the whole outcome.",
                options.ordalia_counts_for == "outcome",
            ),
        ],
        Dog.OMALLEY: [],
        Dog.CONQUEROR: [
            rule("DOW-93", "With captains on both sides the Conqueror picks one.", picks),
            rule("DOW-93", "With captains on both sides the Conqueror moves nothing.", not picks),
        ],
        Dog.STORMCROW: [
            rule("DOW-95", "For Stormcrow's own points they count.", own and not chooses),
            rule("DOW-95", "For Stormcrow's own points those that stay count.", own and chooses),
            rule("DOW-95", "For Stormcrow's own points they do not count either.", not own),
        ],
    }[dog]


def _end(options: Options) -> Chapter:
    variants = bool(
        options.crushing_at_twelve
        or options.sudden_death
        or options.decisive_fourth_year
        or options.two_battles
    )
    return chapter(
        Sentence("Variants"),
        rule("DOW-V6", "The variants above hold together.", variants),
    )
