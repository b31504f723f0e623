"""The options of bin/run, read before anything is installed and again inside the environment."""

import argparse
import os


def parse_run(arguments: list[str]) -> argparse.Namespace:
    """`port`, `demo` and `command` (up or down) of bin/run; exits on an invalid option."""
    parser = argparse.ArgumentParser(
        prog="bin/run",
        description="Start DocIntel with its own PostgreSQL and Redis; Ctrl-C stops everything.",
        epilog="DATABASE_URL and REDIS_URL name servers of your own; DOCINTEL_HOME says where the data lives (var/).",
    )
    parser.add_argument(
        "command", nargs="?", choices=["up", "down"], default="up", help="down stops a running DocIntel"
    )
    parser.add_argument("--port", type=port, default=os.environ.get("DOCINTEL_PORT") or "8000", help="default: 8000")
    parser.add_argument("--demo", action="store_true", help="load the samples and ask five questions")
    return parser.parse_args(arguments)


def port(text: str) -> int:
    """A TCP port that needs no privileges."""
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 1 to 65535")
    return int(text)
