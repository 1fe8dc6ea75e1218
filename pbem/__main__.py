"""``python -m pbem``: the command line, as ``pbem``."""

from pbem.cli import main

if __name__ == "__main__":
    main()
