"""`python -m benchmarks NAME`: retrieval, requests, speed (--data DIR --questions FILE), scale, parsing, audit, …"""

import argparse
import json
import os
import sys
from pathlib import Path

from benchmarks.commands import COMMANDS

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    options = read_arguments()
    command = COMMANDS[options.command]
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "docintel_site.settings")
    with command.around(options):
        figures = command.measure(options)
        if figures is None:
            return 1
        if out := vars(options).get("out"):
            out.write_text(json.dumps(figures, ensure_ascii=False, indent=1, default=str))
        command.show(figures)
        return int(command.is_failed(figures))


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, command in COMMANDS.items():
        own = commands.add_parser(name, help=command.help)
        for option, settings in command.options:
            own.add_argument(option, **settings)
    return parser.parse_args()


def in_a_sentence() -> int | str:
    """The exit code of `main`; a missing development package is named with how to install it."""
    try:
        return main()
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        if package and (ROOT / package).exists():
            raise  # an error of ours
        pip = f"{sys.executable} -m pip install -r requirements-dev.txt"
        return f"The benchmarks need the development packages ({error}). In {ROOT}: {pip}"


if __name__ == "__main__":
    raise SystemExit(in_a_sentence())
