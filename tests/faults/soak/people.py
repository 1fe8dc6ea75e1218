"""People who know the service by their mails and by HTTP, and note what they were told.

Whoever gets no answer sends the same again, until there is one: a killed process must not make
their move count twice, and not make it go missing.
"""

from __future__ import annotations

import http.client
import itertools
import json
import random
import smtplib
import threading
import time
import urllib.parse
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from tests.acceptance.people import Answer, Player, Up, address
from tests.faults.invariants import Acknowledged
from tests.mail.office import parsed, text_of
from tests.parts.relay import Relay

NAMES = ("Alice", "Bob", "Carol", "Dave")
#: What an answer that was cut off looks like.
CUT = (OSError, http.client.HTTPException)
#: Seconds after which the same is sent again.
AGAIN = 0.2
#: Shares of the moves: handed in by a letter, cut off before the answer, sent once more after it.
LETTERS, CUTS, TWICE = 0.1, 0.1, 0.1
#: The share of looks after which a person does something else, and for how many seconds: their
#: turn times out where the match has a short clock.
OVERLOOKED, ELSEWHERE = 0.004, 40.0
#: Seconds without a mail after which a person asks for their links: one may have been given up.
WONDERING = 20.0
#: Most letters to one turn: the service answers a limited number of them.
MOST_LETTERS = 10


@dataclass
class Notes:
    """All that the people were told."""

    taken: list[Acknowledged] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    #: Message-IDs of letters that the door took.
    letters: list[str] = field(default_factory=list)
    #: How often an answer did not come, or was a request to come again; by what came instead.
    again: Counter[str] = field(default_factory=Counter)
    #: What nobody should ever be told.
    wrong: list[str] = field(default_factory=list)
    matches: int = 0


class PostOffice:
    """Takes the mails out of the relay, counts their copies and puts them into boxes."""

    def __init__(self, relay: Relay) -> None:
        self._relay = relay
        self._lock = threading.Lock()
        #: Copies of each Message-ID.
        self.copies: Counter[str] = Counter()
        #: Mails with links, by address: links to turns, and where answers go.
        self.boxes: dict[str, list[tuple[list[str], str]]] = defaultdict(list)

    def sort(self) -> None:
        with self._lock:
            while self._relay.taken:
                mail = self._relay.taken.pop(0)
                message = parsed(mail.content)
                self.copies[str(message["Message-ID"])] += 1
                words = text_of(message).split()
                links = [word.strip("<>.,") for word in words if "/t/" in word]
                reply = str(message["Reply-To"] or "").rpartition("<")[2].strip("> ")
                self.boxes[mail.recipients[0]].append((links, reply))


class Regular(Player):
    """Plays all matches they are in, and is not put off by a service that goes away."""

    def __init__(
        self, up: Up, name: str, seed: str, office: PostOffice, notes: Notes, door: int
    ) -> None:
        super().__init__(up, name)
        self._door = door
        self._chance = random.Random(f"{seed} {name}")
        self._office, self._notes = office, notes
        self._number = itertools.count(1)
        self._reply_to: dict[str, str] = {}
        self._letters: Counter[str] = Counter()
        self._back_at = 0.0
        self._heard_at = time.monotonic()
        #: Set while this person shall begin nothing new, and once they have come to rest.
        self.pause, self.rests, self.gone = threading.Event(), threading.Event(), False

    def live(self) -> None:
        """Plays until ``gone``; for a thread."""
        while not self.gone:
            if self.pause.is_set() or time.monotonic() < self._back_at:
                self.rests.set()
                time.sleep(0.05)
                continue
            self.rests.clear()
            if not self.play():
                time.sleep(0.1)

    def look(self) -> list[Any]:
        self._office.sort()
        box = self._office.boxes[address(self.name)]
        mails, self.read = box[self.read :], len(box)
        if mails or self.open_links:
            self._heard_at = time.monotonic()
        elif time.monotonic() > self._heard_at + WONDERING:
            self._heard_at = time.monotonic()
            self._asked(lambda: self.up.send_form("/home", email=address(self.name)))
        for links, reply in mails:
            for link in links:
                path = urllib.parse.urlsplit(link).path
                if path not in self._reply_to:
                    self._reply_to[path] = reply
                    self.open_links.append(path)
        return mails

    def play(self) -> int:
        self.look()
        taken = 0
        for link in list(self.open_links):
            if self.pause.is_set():
                break
            if self._chance.random() < OVERLOOKED:
                self._back_at = time.monotonic() + ELSEWHERE
                break
            taken += self._answer(link)
        return taken

    def _answer(self, link: str) -> int:
        page = self._page(link)
        if page is None or page["status"] != "open":
            self.open_links.remove(link)
            return 0
        offered = page["orders"] or page["example_orders"]
        order = self._chance.choice(offered)
        by_letter = self._chance.random() < LETTERS and self._may_write(link)
        time.sleep(self._chance.uniform(0, 0.1))
        return self._write(link, order) if by_letter else self._hand_in(link, order)

    def _may_write(self, link: str) -> bool:
        """Whether the link came with an address for answers, which takes a limited number."""
        return bool(self._reply_to[link]) and self._letters[link] < MOST_LETTERS

    def _page(self, link: str) -> Any:
        """What the turn's link shows; None if there is no such turn any more."""
        answer = self._asked(lambda: self.up.get(link))
        return answer.json if answer.status == 200 else None

    def _asked(self, ask: Any) -> Answer:
        """The first answer that is not to come again later."""
        while True:
            try:
                answer: Answer = ask()
            except CUT as error:
                self._notes.again[type(error).__name__] += 1
            else:
                if answer.status < 500:
                    return answer
                self._notes.again[str(answer.status)] += 1
                if answer.status != 503:
                    self._notes.wrong.append(f"{answer.status}: {answer.body[:300]!r}")
            time.sleep(AGAIN)

    def _hand_in(self, link: str, order: str) -> int:
        submission = f"{self.name} {next(self._number)}"
        asked = {"order": order, "submission": submission}
        if self._chance.random() < CUTS:
            self._cut_off(link, asked)
        answer = self._asked(lambda: self.up.post(link, asked))
        if answer.status != 200:
            self._notes.refused.append(submission)
            if answer.status not in (404, 409, 422):
                self._notes.wrong.append(f"{answer.status}: {answer.body[:300]!r}")
            return 0
        told = answer.json
        self._notes.taken.append(Acknowledged(submission, told["ply"], told["order"]))
        if self._chance.random() < TWICE:
            again = self._asked(lambda: self.up.post(link, asked))
            if (again.status, again.json) != (200, told):
                self._notes.wrong.append(f"{submission} got another receipt: {again.body!r}")
        return 1

    def _cut_off(self, link: str, asked: dict[str, str]) -> None:
        """Sends the order and hangs up, as a telephone does in a tunnel."""
        connection = http.client.HTTPConnection("127.0.0.1", self.up.port, timeout=5)
        try:
            with_json = {"Content-Type": "application/json"}
            connection.request("POST", link, json.dumps(asked), with_json)
        except CUT:
            pass
        finally:
            connection.close()

    def _write(self, link: str, order: str) -> int:
        """Answers the turn's mail; the letter is brought until the door takes or refuses it."""
        message_id = f"<{self.name}.{next(self._number)}@mail.example.org>"
        to = self._reply_to[link]
        letter = (
            f"From: {address(self.name)}\r\nTo: {to}\r\nSubject: Re: your turn\r\n"
            f"Message-ID: {message_id}\r\n\r\n{order}\r\n"
        ).encode()
        self._letters[link] += 1
        while True:
            try:
                with smtplib.LMTP("127.0.0.1", self._door, timeout=30) as door:
                    door.sendmail(address(self.name), [to], letter)
            except smtplib.SMTPRecipientsRefused as error:
                code = next(iter(error.recipients.values()))[0]
                if code >= 500:
                    return 0
                self._notes.again[f"letter {code}"] += 1
            except smtplib.SMTPResponseException as error:
                if error.smtp_code >= 500:
                    return 0
                self._notes.again[f"letter {error.smtp_code}"] += 1
            except (OSError, smtplib.SMTPException) as error:
                self._notes.again[f"letter {type(error).__name__}"] += 1
            else:
                self._notes.letters.append(message_id)
                return 1
            time.sleep(AGAIN)


#: The matches that are always running: game, how many seats, what else the host asks for. Thirty
#: minutes are half a minute of the machine's time.
FORMS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("dog", 4, {}),
    ("dogs-of-war", 3, {}),
    ("skirmish", 2, {}),
    ("dog", 4, {"clock": {"turn": "30m", "grace": "5m"}}),
    ("dog", 3, {}),
    ("dogs-of-war", 4, {"clock": {"turn": "30m", "grace": "5m"}}),
)


class Host:
    """Alice opens a match whenever one is over, so that each form is always played."""

    def __init__(self, up: Up, notes: Notes) -> None:
        self._up, self._notes = up, notes
        self._matches: list[str | None] = [None] * len(FORMS)
        self.pause, self.rests, self.gone = threading.Event(), threading.Event(), False

    def live(self) -> None:
        while not self.gone:
            for place, form in enumerate(FORMS):
                if self.pause.is_set() or self.gone:
                    break
                self.rests.clear()
                self._look_after(place, *form)
            self.rests.set()
            time.sleep(0.5)

    def _look_after(self, place: int, game: str, seats: int, asked: dict[str, Any]) -> None:
        match = self._matches[place]
        try:
            if match is None or self._up.match(match)["status"] != "running":
                # if the answer is lost, there may be one match more: it is played, too
                self._matches[place] = self._up.open(
                    list(NAMES[:seats]), game=game, confirmed=True, **asked
                )
                self._notes.matches += 1
        except (*CUT, AssertionError, KeyError, ValueError):
            return
