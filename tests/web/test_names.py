"""Each name that rows hold has its entry wherever names are explained, and nothing else has."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.mail import kinds
from pbem.present import deliveries, story
from pbem.store.names import Actor, AuditAct, MailKind
from pbem.words.i18n import translator

TEMPLATES = Path(__file__).parents[2] / "templates" / "mail"
WORDS = translator("en")


def test_each_kind_of_mail_has_its_templates() -> None:
    assert {folder.name for folder in TEMPLATES.iterdir() if folder.is_dir()} == set(MailKind)


def test_each_kind_of_mail_has_somebody_who_tells_it() -> None:
    assert {*kinds.OF_A_MATCH, *kinds.WITHOUT_MATCH} == set(MailKind)


@pytest.mark.parametrize("kind", MailKind)
def test_each_kind_of_mail_has_a_name_for_people(kind: MailKind) -> None:
    assert deliveries.mail_kind(kind, WORDS) != kind


def test_each_act_has_its_sentence() -> None:
    # a move is told by the log
    assert set(story._acts(WORDS.text)) == set(AuditAct) - {AuditAct.PLAYED_DEFAULT}


@pytest.mark.parametrize("actor", Actor)
def test_each_actor_has_a_name_for_people(actor: Actor) -> None:
    assert story._actor(actor, WORDS) != actor
