"""The pages of the documentation, and what tests look for in them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
INDENTED = re.compile(r"(?:^    .*\n)+", re.M)


def pages() -> list[Path]:
    """Every Markdown file of the repository, also one that was not committed yet."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.split("\n") if name]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def commands(text: str, program: str) -> Iterator[str]:
    """What follows the program's name, wherever the text shows it as something to type."""
    blocks = [block for language, block in FENCE.findall(text) if language in ("", "sh", "ini")]
    plain = FENCE.sub("", text)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    lines += [line.strip() for block in INDENTED.findall(plain) for line in block.splitlines()]
    lines += re.findall(r"`([^`\n]+)`", plain)
    for line in lines:
        found = re.match(rf"(?:\S+=)?(?:\S*/)?{program}(?: +(.*?))?(?: +#.*)?$", line)
        if found:
            yield (found[1] or "").strip()


def anchors(text: str) -> set[str]:
    """The names of a page's headings, as they stand behind ``#`` in a link."""
    titles = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
