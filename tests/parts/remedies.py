"""The remedies in a word each, as tests ask for them: all go the way that every door goes."""

from __future__ import annotations

from pbem.acts.remedies import carry_out
from pbem.acts.remedy import Asked
from pbem.service import Service
from pbem.store import links
from pbem.store.names import Actor


def extend(service: Service, match_id: str, seat: int, by: str, *, actor: str) -> None:
    carry_out(service, match_id, Asked("extend", seat, by=by), Actor(actor))


def remind(service: Service, match_id: str, seat: int, *, actor: str) -> None:
    carry_out(service, match_id, Asked("remind", seat), Actor(actor))


def play_default(service: Service, match_id: str, seat: int, *, actor: str) -> None:
    carry_out(service, match_id, Asked("default", seat), Actor(actor))


def put_bot(service: Service, match_id: str, seat: int, *, actor: str, bot: str = "") -> None:
    carry_out(service, match_id, Asked("bot", seat, bot=bot), Actor(actor))


def replace(
    service: Service, match_id: str, seat: int, name: str, email: str, *, actor: str
) -> None:
    carry_out(service, match_id, Asked("replace", seat, name=name, email=email), Actor(actor))


def correct_address(service: Service, match_id: str, seat: int, email: str, *, actor: str) -> None:
    carry_out(service, match_id, Asked("correct-address", seat, email=email), Actor(actor))


def reissue(service: Service, match_id: str, seat: int, *, actor: str) -> None:
    asked = Asked("reissue-host") if seat == links.HOST else Asked("reissue", seat)
    carry_out(service, match_id, asked, Actor(actor))


def resign(service: Service, match_id: str, seat: int, *, actor: str) -> None:
    carry_out(service, match_id, Asked("resign", seat), Actor(actor))


def correct_host_address(service: Service, match_id: str, email: str, *, actor: str) -> None:
    carry_out(service, match_id, Asked("correct-host-address", email=email), Actor(actor))


def pause(service: Service, match_id: str, span: str, *, actor: str) -> None:
    carry_out(service, match_id, Asked("pause", by=span), Actor(actor))


def retry(service: Service, match_id: str, *, actor: str) -> None:
    carry_out(service, match_id, Asked("retry"), Actor(actor))


def abort(service: Service, match_id: str, *, actor: str) -> None:
    carry_out(service, match_id, Asked("abort"), Actor(actor))
