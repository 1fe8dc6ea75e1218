"""Names that rows hold, and what each means.

Of matches and plies, why a match stalls, who acts, mails, acts of the audit log, what came of
questions and standing orders, and links.
"""

from __future__ import annotations

from enum import StrEnum


class MatchStatus(StrEnum):
    LOBBY = "lobby"
    RUNNING = "running"
    FINISHED = "finished"
    ABORTED = "aborted"


class MadeBy(StrEnum):
    """Through which door a ply came, or who made it instead of the player."""

    LINK = "link"
    MAIL = "mail"
    FORCED = "forced"
    BOT = "bot"
    DEADLINE = "deadline"
    HOST = "host"
    OPERATOR = "operator"
    STANDING = "standing"
    #: No move: the match goes on from an earlier ply.
    BACK = "back"


class StallReason(StrEnum):
    """Why a match does not go on, or goes on without one of its players."""

    #: A deadline has passed.
    OVERDUE = "overdue"
    #: There is no deadline, and the last reminder did not help.
    SILENT = "silent"
    #: A seat's mail is refused.
    MAIL = "mail"
    #: Carrying it on failed.
    SET_ASIDE = "set_aside"
    #: The host or the operator stopped all clocks.
    PAUSED = "paused"
    #: The round of the public beacon cannot be had, and the host insists on it.
    BEACON = "beacon"
    #: Seats were not taken for two days.
    LOBBY = "lobby"
    #: Somebody who was invited to take over a seat has not joined yet.
    ABSENT = "absent"
    #: Somebody who was invited does not want to play.
    DECLINED = "declined"
    #: A player wants no mail.
    MUTED = "muted"


class Actor(StrEnum):
    """Who does an act, as the audit log says it."""

    #: The person who opened the match.
    HOST = "host"
    #: The person who runs the service.
    OPERATOR = "operator"
    #: Somebody who plays, or was invited to.
    PLAYER = "player"
    #: No person: something was due.
    SERVICE = "service"


class MailStatus(StrEnum):
    PENDING = "pending"
    LEASED = "leased"
    IN_DOUBT = "in_doubt"
    SENT = "sent"
    DEAD = "dead"
    DROPPED = "dropped"


#: Mails that will never be sent again.
SETTLED = (MailStatus.SENT, MailStatus.DEAD, MailStatus.DROPPED)


class Delivery(StrEnum):
    """What is known of a mail after the relay took it, in rising order of certainty."""

    #: It has not been delivered for some time, and the relay is still trying.
    DELAYED = "delayed"
    #: An automatic reply came, so it is in somebody's mailbox.
    ANSWERED = "answered"
    DELIVERED = "delivered"
    #: It bounced, or was refused when it was handed over.
    FAILED = "failed"


class MailKind(StrEnum):
    """What a mail is for. Each kind has a folder of templates, ``templates/mail/KIND``."""

    # to players
    #: Somebody is asked to play, or to take over a seat.
    INVITATION = "invitation"
    #: All have joined: which round of the public beacon goes into the dice.
    ALL_JOINED = "all_joined"
    #: A turn has opened: all that is needed to understand it, and its link.
    YOUR_TURN = "your_turn"
    #: A turn is still open.
    REMINDER = "reminder"
    #: What was said at the table and no other mail has brought.
    WORDS = "words"
    #: What came of the answer to a turn's mail.
    REPLY_ANSWER = "reply_answer"
    #: A move was made for the player: time had run out, or the host decided so.
    PLAYED_FOR_YOU = "played_for_you"
    #: The link of a seat, because it is new or was asked for.
    SEAT_LINK = "seat_link"
    #: A bot plays in the player's place.
    BOT_TOOK_OVER = "bot_took_over"
    #: The last mail to a player who wants no more. Its link brings the mails back.
    MUTED = "muted"
    #: Whether a move may be taken back.
    CONSENT_ASKED = "consent_asked"
    #: What came of asking to take a move back.
    TAKE_BACK_ENDED = "take_back_ended"
    #: The operator set the match back.
    ROLLED_BACK = "rolled_back"
    #: Whether something may be done with the player's seat.
    PERMISSION_ASKED = "permission_asked"
    #: To the address that a seat or the host had before: what was done with it.
    SEAT_CHANGED = "seat_changed"
    #: Another player of a match that is over would like a rematch.
    REMATCH_ASKED = "rematch_asked"
    # to players and the host
    #: The match was played to its end.
    MATCH_OVER = "match_over"
    #: The match was ended without a winner.
    MATCH_ABORTED = "match_aborted"
    # to the host
    #: The match is open, with the host's link.
    MATCH_OPENED = "match_opened"
    #: The host's new link.
    HOST_LINK = "host_link"
    #: A bot holds a seat.
    BOT_SEATED = "bot_seated"
    #: A player missed a second turn: what is to be done?
    HOST_ASKED = "host_asked"
    #: The match does not go on, or a player cannot be reached.
    STALLED = "stalled"
    #: What came of asking a player about their seat.
    PERMISSION_ENDED = "permission_ended"
    # to an address
    #: The link that signs a device in, and the links of the person's matches.
    SIGN_IN = "sign_in"
    #: The link that takes an open seat.
    TAKE_SEAT = "take_seat"
    #: The link by which somebody hears of new tables.
    WATCH = "watch"
    #: A table was listed, of a kind that its reader wants to hear of.
    TABLE_OPEN = "table_open"
    #: The link that enters somebody into a series.
    SERIES_ENTER = "series_enter"
    #: Somebody has entered a series, or waits for a place in it.
    SERIES_ENTERED = "series_entered"
    #: A round was drawn: at which table a player sits, or that they have it off.
    SERIES_ROUND = "series_round"
    #: A series is over: where everybody stands.
    SERIES_OVER = "series_over"
    #: All open turns of somebody who wants one mail a day.
    DIGEST = "digest"
    #: To the operator: matches were set aside.
    MATCHES_SET_ASIDE = "matches_set_aside"
    #: To the operator: mails of a kind cannot be sent.
    OPERATOR_TOLD = "operator_told"


class AuditAct(StrEnum):
    """What a row of the audit log says was done."""

    #: The match was opened.
    OPENED = "opened"
    #: A player took their seat.
    JOINED = "joined"
    #: The match began without the round of the beacon that it waited for.
    BEACON_WAIVED = "beacon_waived"
    #: All seats were taken, and the match began.
    STARTED = "started"
    #: Somebody who was invited does not want to play.
    DECLINED = "declined"
    #: Somebody took a seat that was left open. The row has no name: they can leave again.
    TOOK_SEAT = "took_seat"
    #: Whoever had taken it left before the start: the seat is open again.
    LEFT = "left"
    #: Not all players joined in time.
    LOBBY_CLOSED = "lobby_closed"
    #: A bot holds a seat until its owner is back.
    BOT_SEATED = "bot_seated"
    #: A player took their seat back from the bot.
    CAME_BACK = "came_back"
    #: A seat was given up, or taken from its player.
    RESIGNED = "resigned"
    #: A default move was played.
    PLAYED_DEFAULT = "played_default"
    #: The host was asked what to do about a missed turn.
    HOST_ASKED = "host_asked"
    #: A day of vacation was spent, because no move came in time.
    VACATION_DAY = "vacation_day"
    #: A player announced days away.
    GOING_AWAY = "going_away"
    #: A player cancelled announced days away.
    HERE_AFTER_ALL = "here_after_all"
    #: Mail to a seat was refused.
    MAIL_REFUSED = "mail_refused"
    #: A player whose mail had bounced did something nevertheless.
    WAS_THERE = "was_there"
    #: A letter in the name of a player was not played: its sender could not be the player.
    LETTER_REFUSED = "letter_refused"
    #: One with an order was not played, because a program seems to have written it.
    LETTER_AUTOMATIC = "letter_automatic"
    #: An order that a player had left could not be played when its time came.
    ORDER_UNFIT = "order_unfit"
    #: A player wants no more mail of the match.
    MUTED = "muted"
    #: A player wants its mail again.
    UNMUTED = "unmuted"
    #: A player took their last move back.
    TOOK_BACK = "took_back"
    #: A player asked the others for consent to take a move back.
    ASKED_TO_TAKE_BACK = "asked_to_take_back"
    #: One of the others agreed.
    AGREED = "agreed"
    #: One of the others disagreed.
    DISAGREED = "disagreed"
    #: The match could not be carried on.
    SET_ASIDE = "set_aside"
    # what a host or the operator does
    #: A match that had been set aside was tried again.
    RETRIED = "retried"
    #: A turn got more time.
    EXTENDED = "extended"
    #: The mail of a turn was sent once more.
    REMINDED = "reminded"
    #: An invitation was sent once more.
    INVITED_AGAIN = "invited_again"
    #: A seat was given to somebody else.
    REPLACED = "replaced"
    #: Links were replaced by new ones.
    REISSUED = "reissued"
    #: A seat's address was corrected.
    ADDRESS_CORRECTED = "address_corrected"
    #: The host's address was corrected.
    HOST_ADDRESS_CORRECTED = "host_address_corrected"
    #: All clocks of the match were stopped.
    PAUSED = "paused"
    #: All clocks of the match were started again.
    RESUMED = "resumed"
    #: The match was ended without a winner.
    ABORTED = "aborted"
    #: The match was set back to an earlier ply.
    ROLLED_BACK = "rolled_back"
    #: The operator looked at a whole table.
    LOOKED = "looked"
    FORGOTTEN = "forgotten"
    #: A player was asked for permission to do something with their seat.
    ASKED_PERMISSION = "asked_permission"
    #: A player was told what will be done with their seat, unless they say no.
    GAVE_NOTICE = "gave_notice"
    #: A player said yes to what was asked about their seat.
    PERMITTED = "permitted"
    #: A player said no to it.
    FORBADE = "forbade"
    #: A message was hidden.
    MESSAGE_HIDDEN = "message_hidden"
    #: Players may talk at the table from now on.
    TALK_ALLOWED = "talk_allowed"
    #: Players may not talk at the table from now on.
    TALK_FORBIDDEN = "talk_forbidden"
    # of the service itself
    #: The operator logged in.
    LOGIN = "login"
    #: The operator logged out.
    LOGOUT = "logout"


class PermissionEnded(StrEnum):
    """What came of asking for permission."""

    #: It was done.
    DONE = "done"
    #: The owner said no.
    REFUSED = "refused"
    #: Nobody answered in time.
    SILENT = "silent"
    #: The owner played, or did something else, before the time was up.
    WAS_THERE = "was_there"
    #: Something else was asked for this seat.
    WITHDRAWN = "withdrawn"
    #: It cannot be done any more: the table has moved on.
    MOVED_ON = "moved_on"


class ProposalEnded(StrEnum):
    """What came of asking the table to take a move back."""

    #: All who were asked agreed, and the match went back.
    AGREED = "agreed"
    REFUSED = "refused"
    #: Whoever asked does not play any more.
    WITHDRAWN = "withdrawn"
    #: Somebody moved before all had answered.
    MOVED_ON = "moved_on"


class StandingEnded(StrEnum):
    """What came of a standing order."""

    PLAYED = "played"
    #: None of its orders was legal when it was tried.
    NOT_LEGAL = "not_legal"
    CANCELLED = "cancelled"


class Onlookers(StrEnum):
    """When people without a seat read what was said to the whole table."""

    #: As it is said.
    NOW = "now"
    #: When the match is over.
    END = "end"
    NEVER = "never"


class Purpose(StrEnum):
    """What a link is for. Each purpose has a key of its own."""

    JOIN = "join"
    TURN = "turn"
    SEAT = "seat"
    HOST = "host"
    MUTE = "mute"
    CONSENT = "consent"
    PERMIT = "permit"
    REPLY = "reply"


#: The door of each purpose, as the first part of the link's path.
DOORS = {
    Purpose.JOIN: "j",
    Purpose.TURN: "t",
    Purpose.SEAT: "s",
    Purpose.HOST: "h",
    Purpose.MUTE: "u",
    Purpose.CONSENT: "c",
    Purpose.PERMIT: "y",
}
