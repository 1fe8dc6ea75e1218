"""Every rule, every vector and every resolution has a test that names it."""

import re
from pathlib import Path

NUMBERS = [*range(1, 151), *range(160, 176), *range(180, 190)]
RULES = {
    *(f"SKR-{number}" for number in NUMBERS),
    *(f"SKR-132{letter}" for letter in "abcd"),
    *(f"T{number}" for number in range(1, 18)),
    *(f"R{number}" for number in range(1, 26)),
}
#: A test's name and its first lines, with its docstring.
TEST = re.compile(r"def (test_\w+)\([^)]*\):\n    \"\"\"(.+?)\"\"\"", re.S)


def expanded(docstring):
    """The ids a docstring names; "SKR-69, 70, 71" names three."""
    for run in re.findall(r"SKR-(\d+[a-d]?(?:, \d+[a-d]?)*)", docstring):
        yield from (f"SKR-{number}" for number in run.split(", "))


def test_every_rule_id_is_named_by_a_test():
    named = set()
    for path in Path(__file__).parent.rglob("test_*.py"):
        for name, docstring in TEST.findall(path.read_text()):
            named |= set(expanded(docstring))
            found = re.match(r"test_([tr]\d+)_", name)
            named |= {found[1].upper()} if found else set()

    assert sorted(RULES - named) == []
    assert sorted(named - RULES) == []
