"""Every rule has a test that names it."""

import re
from pathlib import Path

RULES = [
    *(f"DOG-{number}" for number in range(1, 63)),
    *(f"ODD5-{number}" for number in range(1, 15)),
    *(f"ODD3-{number}" for number in range(1, 8)),
    *(f"T{number}" for number in range(1, 13)),
]


#: A test's first lines, with its docstring.
TEST = re.compile(r"def test_\w+\([^)]*\):\n    \"\"\"(.+?)\"\"\"", re.S)


def test_every_rule_id_is_named_in_the_docstring_of_a_test():
    named = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        for docstring in TEST.findall(path.read_text()):
            named |= set(re.findall(r"\b(?:DOG|ODD5|ODD3)-\d+|\bT\d+", docstring))

    assert [rule for rule in RULES if rule not in named] == []
