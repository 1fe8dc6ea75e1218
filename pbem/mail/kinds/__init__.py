"""What each kind of mail says: the values its templates get. One function for each kind.

A function gives None if there is nothing to tell any more.

A mail to the host shows what everybody may see, even if the host plays: their seat gets mails of
its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbem.acts.mail_relevance import Subject
from pbem.mail.kinds import answers, hosts, open_tables, operators, people, players, series
from pbem.mail.values import MailValues, Reader
from pbem.service import Service
from pbem.store.models import Mail
from pbem.store.names import MailKind
from pbem.words.i18n import Translator

OF_A_MATCH: Mapping[MailKind, Callable[[Service, Subject, Translator], MailValues | None]] = {
    MailKind.INVITATION: players.invitation,
    MailKind.ALL_JOINED: players.all_joined,
    MailKind.YOUR_TURN: players.turn,
    MailKind.REMINDER: players.turn,
    MailKind.WORDS: players.words,
    MailKind.REPLY_ANSWER: answers.reply_answer,
    MailKind.PLAYED_FOR_YOU: players.played_for_you,
    MailKind.SEAT_LINK: players.with_seat_link,
    MailKind.BOT_TOOK_OVER: players.with_seat_link,
    MailKind.MUTED: players.muted,
    MailKind.CONSENT_ASKED: players.consent_asked,
    MailKind.TAKE_BACK_ENDED: players.take_back_ended,
    MailKind.ROLLED_BACK: players.rolled_back,
    MailKind.PERMISSION_ASKED: players.permission_asked,
    MailKind.SEAT_CHANGED: players.seat_changed,
    MailKind.REMATCH_ASKED: players.rematch_asked,
    MailKind.MATCH_OVER: players.ending,
    MailKind.MATCH_ABORTED: players.ending,
    MailKind.MATCH_OPENED: hosts.to_host,
    MailKind.HOST_LINK: hosts.to_host,
    MailKind.BOT_SEATED: hosts.to_host,
    MailKind.HOST_ASKED: hosts.host_asked,
    MailKind.STALLED: hosts.stalled,
    MailKind.PERMISSION_ENDED: hosts.permission_ended,
}


WITHOUT_MATCH: Mapping[MailKind, Callable[[Service, Mail], tuple[MailValues, Reader] | None]] = {
    MailKind.SIGN_IN: people.sign_in,
    MailKind.TAKE_SEAT: open_tables.take_seat,
    MailKind.WATCH: open_tables.watch,
    MailKind.TABLE_OPEN: open_tables.table_open,
    MailKind.SERIES_ENTER: series.enter,
    MailKind.SERIES_ENTERED: series.entered,
    MailKind.SERIES_ROUND: series.round_drawn,
    MailKind.SERIES_OVER: series.over,
    MailKind.DIGEST: people.digest,
    MailKind.MATCHES_SET_ASIDE: operators.matches_set_aside,
    MailKind.OPERATOR_TOLD: operators.operator_told,
}
