"""Matches and series for programs. The turn's own interface is at its link (``pbem.web.turn``)."""

from __future__ import annotations

from flask import Blueprint, Response, request
from werkzeug.exceptions import UnsupportedMediaType

from pbem.looks import match_look
from pbem.people import open_tables
from pbem.people.series.acts import NewSeries
from pbem.people.series.for_programs import series_json
from pbem.web import devices, guards, programs, series
from pbem.web.body import read_json
from pbem.web.context import base_url, json_answer, match_id_of, service
from pbem.web.match import record_answer

door = Blueprint("api", __name__, url_prefix="/api")


@door.post("/matches")
def create() -> Response:
    if request.mimetype != "application/json":
        raise UnsupportedMediaType()
    here = service()
    wanted = read_json(open_tables.NewTable)
    guards.allow_opening()
    match = open_tables.create(here, wanted, proved=devices.proves(wanted.host.email))
    response = json_answer(programs.match(match_look.table(here, match.id)), 201)
    response.headers["Location"] = f"{base_url()}/api/matches/{match.id}"
    return response


@door.get("/matches/<match_id>")
def show(match_id: str) -> Response:
    return json_answer(programs.match(match_look.table(service(), match_id_of(match_id), newest=0)))


@door.get("/matches/<match_id>/record")
def record(match_id: str) -> Response:
    return record_answer(match_id_of(match_id))


@door.post("/series")
def create_series() -> Response:
    """Makes a series for whoever is signed in."""
    if request.mimetype != "application/json":
        raise UnsupportedMediaType()
    wanted, host = read_json(NewSeries), devices.signed_in()
    made = series.make(wanted, host)
    with service().database.read() as session:
        response = json_answer(series_json(session, made.id, base_url()), 201)
    response.headers["Location"] = f"{base_url()}/series/{made.id}"
    return response
