"""The remedies in a word each, as tests ask for them: all go the way that every door goes."""

from __future__ import annotations

from pbem.acts.remedies import carry_out
from pbem.acts.remedy import RemedyRequest
from pbem.service import Service
from pbem.store import links
from pbem.store.names import Actor


def extend(service: Service, match_id: str, seat: int, by: str, *, actor: str) -> None:
    carry_out(service, match_id, RemedyRequest("extend", seat, by=by), Actor(actor))


def remind(service: Service, match_id: str, seat: int, *, actor: str) -> None:
    carry_out(service, match_id, RemedyRequest("remind", seat), Actor(actor))


def play_default(service: Service, match_id: str, seat: int, *, actor: str) -> None:
    carry_out(service, match_id, RemedyRequest("default", seat), Actor(actor))


def put_bot(service: Service, match_id: str, seat: int, *, actor: str) -> None:
    carry_out(service, match_id, RemedyRequest("bot", seat), Actor(actor))


def replace(
    service: Service, match_id: str, seat: int, name: str, email: str, *, actor: str
) -> None:
    carry_out(
        service, match_id, RemedyRequest("replace", seat, name=name, email=email), Actor(actor)
    )


def correct_address(service: Service, match_id: str, seat: int, email: str, *, actor: str) -> None:
    carry_out(service, match_id, RemedyRequest("correct-address", seat, email=email), Actor(actor))


def reissue(service: Service, match_id: str, seat: int, *, actor: str) -> None:
    asked = RemedyRequest("reissue-host") if seat == links.HOST else RemedyRequest("reissue", seat)
    carry_out(service, match_id, asked, Actor(actor))


def resign(service: Service, match_id: str, seat: int, *, actor: str) -> None:
    carry_out(service, match_id, RemedyRequest("resign", seat), Actor(actor))


def correct_host_address(service: Service, match_id: str, email: str, *, actor: str) -> None:
    carry_out(service, match_id, RemedyRequest("correct-host-address", email=email), Actor(actor))


def pause(service: Service, match_id: str, span: str, *, actor: str) -> None:
    carry_out(service, match_id, RemedyRequest("pause", by=span), Actor(actor))


def retry(service: Service, match_id: str, *, actor: str) -> None:
    carry_out(service, match_id, RemedyRequest("retry"), Actor(actor))


def abort(service: Service, match_id: str, *, actor: str) -> None:
    carry_out(service, match_id, RemedyRequest("abort"), Actor(actor))
