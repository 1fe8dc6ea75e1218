"""A remedy is one file: what the tests bring is offered, foreseen, done and told like others."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from pbem.acts.remedies import REMEDIES
from pbem.looks import match_look
from pbem.present import lines, seat_names
from pbem.store.names import Purpose
from pbem.words.i18n import translator
from tests.acts.stalls import CLOCK
from tests.parts.own_remedy import BREATHE
from tests.web.house import WebHouse, hidden, secret


@pytest.fixture(autouse=True)
def _with_breathe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REMEDIES, "breathe", BREATHE)


def test_it_is_offered_with_its_field_foreseen_and_done_on_the_hosts_page(
    web: WebHouse, client: FlaskClient
) -> None:
    match = web.running(clock=CLOCK)
    before = web.turn(match, 1).due_at
    path = web.path(match, Purpose.HOST, -1)

    page = client.get(path)
    preview = client.post(f"{path}/preview", data={"remedy": "breathe", "by": "3h"})
    unchanged = web.turn(match, 1).due_at == before
    done = client.post(f"{path}/apply", data={**hidden(preview), "sure": "yes"})

    assert "Let everybody breathe…" in page.text
    assert 'How long a breath <input name="by" value="3h"' in " ".join(page.text.split())
    assert "Bob: Wednesday, 3 June 2026, 01:00 UTC" in preview.text
    assert preview.text.count("a reminder") == 4
    assert unchanged
    assert done.status_code == 200
    assert before is not None
    assert web.turn(match, 1).due_at == before + timedelta(hours=3)


def test_the_tables_history_tells_it(web: WebHouse, client: FlaskClient) -> None:
    match = web.running(clock=CLOCK)
    path = web.path(match, Purpose.HOST, -1)

    client.post(f"{path}/apply", data={"remedy": "breathe", "by": "3h", "sure": "yes"})

    look = match_look.table(web.service, match.id)
    told = lines(look, seat_names(look.seats), "UTC", translator("en", "dog"))
    assert told[-1].sentences == ("The host let everybody breathe.",)


def test_it_is_first_of_what_helps_and_can_be_done_to_several_matches(
    web: WebHouse, client: FlaskClient
) -> None:
    one, two = (web.running(clock=CLOCK) for _ in range(2))
    web.wait(hours=11)
    web.log_in(client)
    console = client.get("/operator")
    ticked = {"stall": [f"{one.id}:", f"{two.id}:"], "remedy": "breathe", "by": "1d"}

    form = {**ticked, "csrf_token": secret(console)}
    preview = client.post("/operator/several/preview", data=form)

    assert re.search('<option value="breathe" *>Let everybody breathe</option>', console.text)
    assert preview.text.count("Everybody has") == 2
