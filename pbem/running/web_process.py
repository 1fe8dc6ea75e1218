"""The web as a process: its command line, its environment, and whether it answers."""

from __future__ import annotations

import http.client
import os
import sys
from pathlib import Path

from pbem.config import Settings, in_url, reachable


def environment(settings: Settings, config: Path | None = None) -> dict[str, str]:
    """The environment in which the parts read the same settings, from the file if one is named."""
    place = str(Path(__file__).parents[2])
    return {
        "PBEM_HOME": str(settings.home),
        "PBEM_HOST": settings.host,
        "PBEM_PORT": str(settings.port),
        **({"PBEM_CONFIG": str(config)} if config else {}),
        "PYTHONPATH": os.pathsep.join(filter(None, [place, os.environ.get("PYTHONPATH")])),
        "PYTHONUNBUFFERED": "1",
        # numpy would start a thread for each core, in a process that forks
        "OPENBLAS_NUM_THREADS": "1",
    }


def web_command(settings: Settings, application: str = "pbem:create_app()") -> list[str]:
    """The command line of gunicorn. What an operator may set otherwise is in ``gunicorn_config``:
    ``GUNICORN_CMD_ARGS`` counts for more than that file, and for less than this line.
    """
    return [
        *(sys.executable, "-m", "gunicorn", application),
        *("--bind", f"{in_url(settings.host)}:{settings.port}"),
        *("--workers", str(settings.web.workers)),
        *("--threads", str(settings.web.threads)),
        *("--worker-class", "pbem.running.web_worker.WebWorker"),
        *("--logger-class", "pbem.running.gunicorn_config.GunicornLogger"),
        *("--config", "python:pbem.running.gunicorn_config"),
    ]


def web_answers(settings: Settings) -> bool:
    connection = http.client.HTTPConnection(reachable(settings.host), settings.port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
