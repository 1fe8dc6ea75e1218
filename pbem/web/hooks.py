"""The webhook that mail services post letters to. It exists only if a key is set.

No browser posts here, so there is no CSRF token: the signature takes its place. A post with a
foreign Origin is refused as everywhere.
"""

from __future__ import annotations

from flask import Blueprint, Response, request

from pbem.errors import Busy
from pbem.mail.doors import intake, webhook
from pbem.web.context import json_answer, json_error, reader_words, service

door = Blueprint("hooks", __name__, url_prefix="/hooks")


@door.post("/mail")
def mail() -> Response:
    """200: done; 401: not signed; 413: too long; 503: post it again."""
    here = service()
    request.max_content_length = here.settings.incoming.max_bytes
    body = request.get_data(cache=False)
    headers = request.headers
    webhook.check(
        here, headers.get(webhook.TIMESTAMP, ""), headers.get(webhook.SIGNATURE, ""), body
    )
    taken = intake.take(here, body)
    if taken.how == "later":
        _ = reader_words().text
        message = _("The service is busy for a moment. Nothing was lost; please try again.")
        response = json_error(Busy.code, message, Busy.status)
        response.headers["Retry-After"] = "60"
        return response
    return json_answer({"taken": taken.how == "done", "result": taken.result})
