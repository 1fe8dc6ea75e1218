"""What goes wrong, as a page or as JSON: a status, and a sentence for whoever can fix it."""

from __future__ import annotations

from urllib.parse import quote

from flask import Flask, Response, current_app, request
from flask_limiter.errors import RateLimitExceeded
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException

from engine.errors import EngineError, OrderError
from pbem import journal
from pbem.errors import NotFound, Refused
from pbem.journal import Line
from pbem.store import db
from pbem.web import devices, guards, signing_in
from pbem.web.context import go_to, json_error, page, reader_words, sentence, wants_json

#: A fault, and what was too much or too busy for a moment.
PASSING = (429, 500, 503)


def set_up(app: Flask) -> None:
    app.register_error_handler(Refused, _refused)
    app.register_error_handler(devices.NotSignedIn, _not_signed_in)
    app.register_error_handler(EngineError, _engine)
    app.register_error_handler(RateLimitExceeded, _too_many)
    app.register_error_handler(CSRFError, _csrf)
    app.register_error_handler(SQLAlchemyError, _database)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _ours)


def _answer(code: str, message: str, status: int, rule: str | None = None) -> Response:
    if wants_json():
        return json_error(code, message, status, rule)
    again = request.method == "GET" and status in PASSING
    words = reader_words()
    return page("error.html", words, status, message=message, rule=rule, here="", again=again)


def _refused(error: Exception) -> Response:
    assert isinstance(error, Refused)
    if isinstance(error, NotFound) and (page_there := _without_tail()):
        return go_to(page_there, 302)
    return _answer(error.code, sentence(error, reader_words()), error.status)


def _not_signed_in(error: Exception) -> Response:
    """Why one has to sign in, and the form that asks for the link."""
    assert isinstance(error, devices.NotSignedIn)
    return _refused(error) if wants_json() else signing_in.asking(error.status, needed=True)


def _engine(error: Exception) -> Response:
    """An order or an option that the rules do not take."""
    assert isinstance(error, EngineError)
    status = 404 if request.method in ("GET", "HEAD") and not isinstance(error, OrderError) else 422
    return _answer(error.code, sentence(error, reader_words()), status, error.rule)


def _too_many(_error: Exception) -> Response:
    guards.tell_of_limit("requests")
    _ = reader_words().text
    message = _("There were too many requests from your network. Please try again later.")
    return _answer("too_many", message, 429)


def _csrf(_error: Exception) -> Response:
    _ = reader_words().text
    return _answer("form", _("This form is too old. Go back, reload the page and try again."), 400)


def _database(error: Exception) -> Response:
    if not db.is_silent(error):
        return _ours(error)
    journal.write(Line.DATABASE_SILENT, error=db.reason(error))
    _ = reader_words().text
    message = _("The service is busy for a moment. Nothing was lost; please try again.")
    response = _answer("busy", message, 503)
    response.headers["Retry-After"] = "5"
    return response


def _http(error: Exception) -> Response:
    """What Flask itself refuses: no such page, wrong method, too large, unreadable."""
    assert isinstance(error, HTTPException)
    _ = reader_words().text
    status = error.code or 500
    if status < 400:
        return Response(error.get_response().get_data(), status, dict(error.get_headers()))
    known = {
        400: ("bad_request", _("The request could not be read.")),
        405: ("method", _("This page cannot be asked for in that way.")),
        413: ("too_large", _("That is more than this service takes at once.")),
        415: ("content_type", _("Send this as application/json.")),
    }
    if status == 404:
        return _refused(NotFound())
    code, message = known.get(status, ("http", _("The request cannot be answered.")))
    response = _answer(code, message, status)
    if status == 405:
        response.headers["Allow"] = dict(error.get_headers()).get("Allow", "GET")
    return response


#: What may stand behind the address of a page besides a slash: what closes the sentence around it.
_TAIL = ".,;:!)]>*'\"’”» "


def _without_tail() -> str:
    """The address of the page that is meant by one with a tail; "" if there is none."""
    folder, slash, name = request.path.rstrip("/").rpartition("/")
    path = folder + slash + name.rstrip(_TAIL)
    if path in (request.path, folder + slash) or request.method not in guards.SAFE:
        return ""
    routes = current_app.create_url_adapter(request)
    # quoted: what stands in the address may hold a line break
    return quote(path) if routes is not None and routes.test(path, "GET") else ""


def _ours(error: Exception) -> Response:
    """A fault of this program: logged here, and shown without any detail."""
    journal.write(Line.PAGE_FAILED, route=request.endpoint, exc_info=error)
    _ = reader_words().text
    message = _("Something went wrong on our side. It was written down; please try again.")
    return _answer("internal", message, 500)
