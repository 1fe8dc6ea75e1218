"""``pbem hash-password``: makes the value of ``operator.password_hash``."""

from __future__ import annotations

import sys

import click
from argon2 import PasswordHasher

from pbem.commands import WrongUse, json_option, print_json

#: Fewest characters of the operator's password.
SHORTEST = 12


@click.command()
@json_option
@click.option("--password", help="Asked for where it is not given; better not given.")
def command(password: str | None, as_json: bool) -> None:
    """Turn the operator's password into the hash for operator.password_hash.

    What is no terminal gives it as a line on standard input.
    """
    password = _asked() if password is None else password
    if len(password) < SHORTEST:
        raise WrongUse(f"The password needs {SHORTEST} characters or more.")
    made = PasswordHasher().hash(password)
    if as_json:
        print_json({"password_hash": made})
    else:
        click.echo(f'password_hash = "{made}"')


def _asked() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    answer: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    return answer
