"""A small game as a plug-in: what ``pbem new-game`` writes under another name.

The files beside this one are a whole plug-in for Nim, shown in ``docs/game-authors.md`` as well.
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent


def files(name: str, title: str) -> dict[str, str]:
    """The files of a plug-in by their path. ``name`` is a game's name as in links."""
    return {
        renamed(str(path.relative_to(HERE)), name, title): renamed(
            path.read_text(encoding="utf-8"), name, title
        )
        for path in sorted(HERE.rglob("*"))
        if path.is_file() and path != Path(__file__) and "__pycache__" not in path.parts
    }


def renamed(text: str, name: str, title: str) -> str:
    """Nim's text with another name in all its forms."""
    words = name.split("-")
    short = "".join(word[0] for word in words) if len(words) > 1 else name[:3]
    of_class = "".join(word.capitalize() for word in words)
    forms = (
        (r"pbem_nim", "pbem_" + "_".join(words)),
        (r"pbem-nim", f"pbem-{name}"),
        (r"\bNim(?=Options|State|View|\(|\[)", of_class),
        (r"\bNim\b", title),
        (r"\bnim\b", name),
        (r"\bNIM\b", short.upper()),
    )
    # all at once: a new name may hold the old one, as in hex-nim
    old = "|".join(f"({form})" for form, _ in forms)
    return re.sub(old, lambda found: forms[(found.lastindex or 0) - 1][1], text)
