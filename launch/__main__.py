"""Enter the environment from the machine's Python: `python -m launch run|test …`."""

import os
import sys

from launch import environment
from launch.errors import LaunchError
from launch.options import parse_run


def main(command: str, arguments: list[str]) -> None:
    """Prepare the environment of a command, then replace this process by the command."""
    if command == "run" and parse_run(arguments).command == "down" and not environment.PYTHON.exists():
        return print("DocIntel was never started here.")
    requirements, module = {
        "run": ("requirements.txt", "launch.start"),
        "test": ("requirements-dev.txt", "launch.check"),
    }[command]
    try:
        environment.prepare_environment(requirements)
    except LaunchError as error:
        sys.exit(str(error))
    os.execv(environment.PYTHON, [str(environment.PYTHON), "-m", module, *arguments])


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2:])
    except KeyboardInterrupt:
        sys.exit(130)
