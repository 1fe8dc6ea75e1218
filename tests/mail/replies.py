"""Replies as mail programs send them, and what each must do.

``PROGRAMS`` are the forms: how a program writes what somebody typed (``TEXT``) around the quote of
our mail. ``REPLIES`` is the table: program, what was typed, what it does. ``ORDER`` stands for a
legal order. ``python -m tests.mail.replies en`` prints the answers, to be read by eye.
"""

from __future__ import annotations

import base64
import quopri
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from pbem.mail import gateway
from pbem.store import db
from tests.mail.correspondence import newest
from tests.mail.office import Office, office_service
from tests.parts.cast import address

#: Our mail, as programs quote it.
OURS = (
    "Hello Bob,\n\nIt is your turn in Dog with Alice, Carol and Dave. Play here:\n\n"
    "https://games.example.org/t/1-aaaa\n\nWHAT YOU CAN PLAY\n  give 2\n  give K\n\n-- \nDog"
)
MARKED = "\n".join(f"> {line}".rstrip() for line in OURS.split("\n"))
Form = Callable[[str], str]


def plain(body: str, head: str = "", charset: str = "utf-8") -> Form:
    """One text part: ``body`` with TEXT in it."""

    def written(text: str) -> str:
        kind = f"Content-Type: text/plain; charset={charset}\n"
        return f"{kind}{head}\n{body.replace('TEXT', text)}\n"

    return written


def coded(body: str, how: str) -> Form:
    """One text part, quoted-printable or base64."""

    def written(text: str) -> str:
        raw = body.replace("TEXT", text).encode()
        code = quopri.encodestring(raw) if how == "quoted-printable" else base64.encodebytes(raw)
        head = f"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {how}\n"
        return f"{head}\n{code.decode()}\n"

    return written


def html(body: str) -> Form:
    """HTML alone; lines become ``<div>``s."""

    def written(text: str) -> str:
        divs = "".join(f"<div>{line or '<br>'}</div>" for line in text.split("\n"))
        page = quopri.encodestring(body.replace("TEXT", divs).encode()).decode()
        head = "Content-Type: text/html; charset=utf-8\n"
        return f"{head}Content-Transfer-Encoding: quoted-printable\n\n{page}\n"

    return written


def both(first: Form, second: Form) -> Form:
    """A text part, and the same in HTML."""

    def written(text: str) -> str:
        parts = "".join(f"--=_x\n{form(text)}\n" for form in (first, second))
        return f'Content-Type: multipart/alternative; boundary="=_x"\n\n{parts}--=_x--\n'

    return written


def above(attribution: str, quote: str = MARKED) -> str:
    """The answer stands above the quote."""
    return f"TEXT\n\n{attribution}\n\n{quote}"


def below(attribution: str, quote: str = MARKED) -> str:
    """The answer stands below the quote."""
    return f"{attribution}\n{quote}\n\nTEXT"


GMAIL_HTML = html(
    'TEXT<br><div class="gmail_quote gmail_quote_container"><div class="gmail_attr">On Tue wrote:'
    "</div><blockquote>give 2<br>give K</blockquote></div>"
)
CITED = '<blockquote type="cite"><div>give 2</div><div>give K</div></blockquote>'
OUTLOOK = (
    "From: pbem <pbem@localhost>\nSent: Tuesday, June 2, 2026 2:00 PM\nTo: Bob\nSubject: x\n\n"
)
RULE = "_" * 32 + "\n"

PROGRAMS: dict[str, Form] = {
    "gmail web": both(
        plain(above("On Tue, Jun 2, 2026 at 2:00 PM pbem <p@localhost> wrote:")), GMAIL_HTML
    ),
    "html beside an empty text": both(plain(" \n"), GMAIL_HTML),
    "gmail wrapped": plain(above("On Tue, Jun 2, 2026 at 2:00 PM pbem\n<pbem@localhost> wrote:")),
    "gmail de": plain(above("Am Di., 2. Juni 2026 um 14:00 Uhr schrieb pbem <p@localhost>:")),
    "gmail fr": plain(above("Le mar. 2 juin 2026 à 14:00, pbem <p@localhost> a écrit :")),
    "gmail es": plain(above("El mar, 2 jun 2026 a las 14:00, pbem (<p@localhost>) escribió:")),
    "gmail it": plain(
        above("Il giorno mar 2 giu 2026 alle ore 14:00 pbem <p@localhost> ha scritto:")
    ),
    "gmail pt": plain(above("Em ter., 2 de jun. de 2026 às 14:00, pbem <p@localhost> escreveu:")),
    "gmail nl": plain(above("Op di 2 jun 2026 om 14:00 schreef pbem <p@localhost>:")),
    "gmail pl": plain(above("wt., 2 cze 2026 o 14:00 pbem <p@localhost> napisał(a):")),
    "gmail sv": plain(above("Den tis 2 juni 2026 kl 14:00 skrev pbem <p@localhost>:")),
    "gmail ru": plain(above("вт, 2 июн. 2026 г. в 14:00, pbem <p@localhost>:")),
    "gmail ja": plain(above("2026年6月2日(火) 14:00 pbem <p@localhost>:")),
    "gmail pl wrapped": plain(above("wt., 2 cze 2026 o 14:00 pbem\n<p@localhost> napisał(a):")),
    "gmail app": both(
        coded(above("On Tue, Jun 2, 2026, 2:00 PM pbem <p@localhost> wrote:"), "base64"), GMAIL_HTML
    ),
    "gmail html only": GMAIL_HTML,
    "apple mail": coded(
        "TEXT\n\n> On 2 Jun 2026, at 14:00, pbem <p@localhost> wrote:\n>=20\n" + MARKED,
        "quoted-printable",
    ),
    "apple mail below": plain(below("> On 2 Jun 2026, at 14:00, pbem <p@localhost> wrote:\n>")),
    "ios": coded(
        "TEXT\nSent from my iPhone\n\n> On 2 Jun 2026, at 14:00, pbem wrote:\n" + MARKED,
        "quoted-printable",
    ),
    "ios de": coded(
        "TEXT\n\nVon meinem iPhone gesendet\n\n> Am 02.06.2026 um 14:00 schrieb pbem:\n" + MARKED,
        "quoted-printable",
    ),
    "ios fr": plain(
        "TEXT\nEnvoyé de mon iPhone\n\n> Le 2 juin 2026 à 14:00, pbem a écrit :\n" + MARKED
    ),
    "ios it": plain(
        "TEXT\nInviato da iPhone\n\n> Il giorno 2 giu 2026, alle ore 14:00, pbem ha scritto:\n"
        + MARKED
    ),
    "ios ja": plain("TEXT\niPhoneから送信\n\n> 2026/06/02 14:00、pbem のメール:\n" + MARKED),
    "ios html only": html("TEXT<br><div>Sent from my iPhone</div><br>" + CITED),
    "outlook desktop": coded(f"TEXT\n\n{OUTLOOK}{OURS}", "quoted-printable"),
    "outlook original": plain(f"TEXT\n\n-----Original Message-----\n{OUTLOOK}{OURS}"),
    "outlook de": plain(
        f"TEXT\n\nVon: pbem <p@localhost>\nGesendet: Dienstag, 2. Juni 2026 14:00\n"
        f"An: Bob\n\n{OURS}"
    ),
    "outlook html only": html(
        '<style>p{margin:0}</style>TEXT<div id="divRplyFwdMsg">From: pbem</div><div>give 2</div>'
    ),
    "outlook web": coded(f"TEXT\n{RULE}{OUTLOOK}{OURS}", "base64"),
    "outlook ios": plain(
        f"TEXT\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n{RULE}{OUTLOOK}{OURS}"
    ),
    "outlook android de": plain(
        f"TEXT\n\nHolen Sie sich Outlook für Android\n{RULE}{OUTLOOK}{OURS}"
    ),
    "thunderbird": plain(above("On 02.06.26 14:00, pbem wrote:"), "Content-Language: en-US\n"),
    "thunderbird below": plain(
        below("On 02.06.26 14:00, pbem wrote:") + "\n\n-- \nBob", "Content-Language: en-US\n"
    ),
    "thunderbird flowed": lambda text: (
        "Content-Type: text/plain; charset=UTF-8; format=flowed\n\n"
        + below("Am 02.06.26 um 14:00 schrieb pbem:").replace("TEXT", text)
    ),
    "thunderbird html": html(
        '<div class="moz-cite-prefix">On 02.06.26 14:00, pbem wrote:<br></div>' + CITED + "TEXT"
    ),
    "thunderbird html above": html(
        'TEXT<br><div class="moz-cite-prefix">On 02.06.26 14:00, pbem wrote:<br></div>' + CITED
    ),
    "html with what is not shown": html(
        '<div style="display: none; max-height: 0">give 3<div>give 4</div><img>give 5</div>'
        '<p hidden>give 6</p><span style="VISIBILITY:hidden">give 7</span>TEXT'
    ),
    "mutt signed": plain(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nTEXT\n\n"
        + MARKED
        + "\n-----BEGIN PGP SIGNATURE-----\n\niHUEARYIAB0=\n-----END PGP SIGNATURE-----"
    ),
    "k-9": plain(f"TEXT\n-- \nSent from my Android device with K-9 Mail.\n\n{MARKED}"),
    "fairemail": plain(f"TEXT\n\nJun 2, 2026, 14:00 by p@localhost:\n\n{MARKED}"),
    "yahoo": plain(
        f"TEXT\n\n    On Tuesday, June 2, 2026 at 02:00:00 PM GMT+2, "
        f"pbem <p@localhost> wrote:\n\n {OURS}"
    ),
    "yahoo html only": html(
        'TEXT<div class="ydp yahoo_quoted"><div>On Tuesday pbem wrote:</div><div>give 2</div></div>'
    ),
    "gmx": plain(
        f"TEXT\n\nGesendet: Dienstag, 02. Juni 2026 um 14:00\n"
        f"Von: pbem <p@localhost>\nAn: bob\nBetreff: x\n\n{OURS}"
    ),
    "web.de": html(
        'TEXT<div name="quote"><div>Gesendet: Dienstag, 02. Juni 2026 um 14:00</div>'
        "<div>Von: pbem</div><div>give 2</div></div>"
    ),
    "gmx app": plain(
        f"TEXT\n-- \nDiese Nachricht wurde von meinem Android Gerät mit GMX Mail gesendet."
        f"\n\n{MARKED}"
    ),
    "proton": plain(above("On Tuesday, June 2nd, 2026 at 2:00 PM, pbem <p@localhost> wrote:")),
    "proton signature": plain(
        "TEXT\n\nSent with Proton Mail secure email.\n\n"
        "On Tuesday, June 2nd, 2026 at 2:00 PM, pbem <p@localhost> wrote:\n\n" + MARKED
    ),
    "samsung": coded(
        f"TEXT\n\nSent from my Galaxy\n\n-------- Original message --------\nFrom: pbem\n\n{OURS}",
        "base64",
    ),
    "mutt": plain(below("On Tue, Jun 02, 2026 at 02:00:00PM +0200, pbem wrote:")),
    "mutt cut": plain(
        "On Tue, Jun 02, 2026 at 02:00:00PM +0200, pbem wrote:\n"
        "> WHAT YOU CAN PLAY\n>   give 2\n\nTEXT\n\n> give K"
    ),
    "roundcube": plain(above("On 2026-06-02 14:00, pbem wrote:")),
    "roundcube below": plain(below("On 2026-06-02 14:00, pbem wrote:")),
    "mail.ru": plain(above("Вторник, 2 июня 2026, 14:00 +03:00 от pbem <p@localhost>:")),
    "quote that a program broke": plain(
        below("On 2026-06-02 14:00, pbem wrote:").replace("\n> give K", "\n>   give\nK")
    ),
}

#: program, what was typed, what it does: ``plays`` the order, ``helps`` with the legal moves,
#: ``keeps_nothing`` (there is no order), ``too_late`` and ``and_waits`` play the first of two and
#: say what became of the second, or what is said of the line.
REPLIES: list[tuple[str, str, str]] = [
    *((program, "ORDER", "plays") for program in PROGRAMS),
    ("gmail web", "Hi,\n\nORDER\n\nBob", "plays"),
    ("gmail app", "Hello pbem,\nORDER\nThanks!", "plays"),
    ("gmail de", "Hallo zusammen,\n\nORDER\n\nViele Grüße\nBob", "plays"),
    ("gmail es", "Hola:\n\nORDER\nSaludos\nBob", "plays"),
    ("ios", "ORDER.", "plays"),
    ("ios", "“ORDER”", "plays"),
    ("ios fr", "Bonjour,\nORDER", "plays"),
    ("outlook desktop", "Dear all,\n\nORDER\n\nKind regards,\nBob Example", "plays"),
    ("outlook web", "ORDER\nBest,\nBob", "plays"),
    ("thunderbird below", "Hi\nORDER", "plays"),
    ("mutt", "ORDER\n\n-- \nBob", "plays"),
    ("samsung", "ORDER\nBob", "plays"),
    ("gmail web", "UPPER", "plays"),
    ("gmail web", "ORDER!", "plays"),
    ("apple mail", "?", "helps"),
    ("gmail app", "What can I play?", "helps"),
    ("ios", "How do I play", "helps"),
    ("gmail es", "¿Qué puedo jugar?", "helps"),
    ("proton", "ORDER?", "helps"),
    ("yahoo", "HELP", "helps"),
    ("gmail web", "STOP", "stop"),
    ("outlook web", "Unsubscribe", "stop"),
    ("ios", "Please stop sending me mails.", "stop"),
    ("gmail es", "No más correos", "stop"),
    ("gmx", "darme de baja", "stop"),
    ("gmail app", "I resign", "resign"),
    ("ios", "I’d like to resign.", "resign"),
    ("outlook desktop", "Hi,\n\nI quit", "resign"),
    ("gmail es", "Me rindo", "resign"),
    ("yahoo", "i give up", "resign"),
    ("gmail web", "I’m away until Friday", "when"),
    ("ios", "On vacation until 5 June", "when"),
    ("gmail es", "Estoy de vacaciones hasta el viernes", "when"),
    ("outlook web", "away 2026-06-20 to 2026-06-22", "away"),
    ("gmail web", "I'm away 2026-06-20 to 2026-06-22.", "away"),
    ("gmail app", "I’m back!", "here"),
    ("gmail es", "Ya estoy de vuelta", "here"),
    ("thunderbird", "undo", "not_moved"),
    ("ios", "Oops, undo that please", "not_moved"),
    ("gmail es", "Me he equivocado", "not_moved"),
    ("gmail web", "Thanks!", "thanks"),
    ("outlook ios", "Ok", "thanks"),
    ("gmail es", "Muchas gracias", "thanks"),
    ("gmail web", "Good game, thank you all!", "thanks"),
    ("gmail es", "Buena partida, gracias a todos", "thanks"),
    ("gmail web", "Hi,", "keeps_nothing"),
    ("ios", "", "keeps_nothing"),
    ("apple mail below", "", "keeps_nothing"),
    ("mutt", "I would like to move my pawn", "wrong"),
    ("gmail web", "undo\nORDER", "not_moved"),
    ("gmail web", "STOP\nORDER", "stop"),
    # said to a telephone: signs in words, a beginning and an end that are no order
    ("ios", "ORDER period", "wrong"),
    ("ios", "Hey I would like to play ORDER please", "wrong"),
    ("samsung", "Give the king to my partner comma please", "wrong"),
    ("gmail app", "four from thirteen to seventeen", "wrong"),
    ("ios", "Question mark", "wrong"),
    ("gmail es", "Dame la carta y juega el rey", "wrong"),
    # two moves: a turn takes what the game takes in it, and the rest is told to be too late
    ("gmail web", "ORDER\nORDER", "too_late"),
    ("outlook web", "Hi,\n\nORDER\nthen ORDER\n\nBob", "too_late"),
    ("mutt", "ORDER\nwait ORDER", "and_waits"),
    ("thunderbird", "not an order\nORDER", "wrong"),
]

#: What the answer says, in English and in Spanish.
SAYS: dict[str, tuple[str, str]] = {
    "plays": ("- Played.", "- Jugado."),
    "helps": ("What you can play", "Lo que puedes jugar"),
    "stop": ("You still get mail about this match.", "Sigues recibiendo correo"),
    "resign": ("You still have your seat.", "Todavía tienes tu asiento."),
    "when": ("Write the days like this: away", "Escribe los días así: ausente"),
    "away": ("You are away from", "Estás fuera"),
    "here": ("Welcome back.", "Hola de nuevo"),
    "not_moved": ("You have not moved yet.", "Todavía no has jugado"),
    "thanks": ("There is no order in this", "Aquí no hay ninguna orden"),
    "keeps_nothing": ("The mail contained no order.", "El correo no contenía ninguna orden."),
    "wrong": ("", ""),
    "too_late": ("Your turn was over by then.", "Para entonces tu turno había terminado."),
    "and_waits": ("It waits for your next decision.", "Espera a tu próxima decisión."),
}


def letter(program: str, typed: str, order: str, to: str, sender: str, key: str) -> bytes:
    """The letter that this program sends."""
    text = typed.replace("ORDER", order).replace("UPPER", order.upper())
    head = f"From: Bob <{sender}>\nTo: pbem <{to}>\nSubject: Re: your turn\nMIME-Version: 1.0\n"
    return f"{head}Message-ID: <{key}@example.org>\n{PROGRAMS[program](text)}".encode()


def shown(language: str) -> None:
    """Prints what was typed and what is answered, for all that is no order."""
    with tempfile.TemporaryDirectory() as home:
        url = f"sqlite:///{home}/pbem.sqlite3"
        db.upgrade(url)
        office = Office(office_service(Path(home), url))
        office.running(clock={"turn": "72h", "vacation_days": 20}, language=language)
        to = newest(office, "bob").reply_to
        for number, (program, typed, does) in enumerate(REPLIES):
            if does != "plays":
                raw = letter(program, typed, "K out", to, address("bob"), f"{number}")
                gateway.arrived(office.service, raw)
                text = newest(office, "bob").text.partition("-- ")[0]
                print(f"=== {typed!r} ({does})\n{text}")
        office.service.database.close()


if __name__ == "__main__":
    shown(sys.argv[1])
