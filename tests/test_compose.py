"""The containers run the same processes as bin/run."""

import re
from pathlib import Path
from typing import Any

import yaml

from docintel_site.status import QUEUES
from embedded.postgres import MAJOR, QUIET
from launch.children import commands

ROOT = Path(__file__).resolve().parent.parent


def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    return found


def option(command: list[str], name: str) -> str:
    return command[command.index(name) + 1] if name in command else ""


def worker_of(command: list[str]) -> tuple[str, ...]:
    return tuple(option(command, name) for name in ("-n", "-Q", "-c", "--pool"))


def test_the_workers_are_those_of_bin_run() -> None:
    here = {worker_of(command) for command in commands(8000).values() if "worker" in command}
    there = {
        worker_of(service.get("command", "").split())
        for service in services().values()
        if "-Q" in service.get("command", "")
    }
    assert there == here


def test_every_queue_of_the_status_page_is_served() -> None:
    served = {queue for command in commands(8000).values() for queue in option(command, "-Q").split(",")} - {""}
    assert served == set(QUEUES)


def test_only_what_migrates_and_keeps_signs_in_as_the_owner_of_the_database() -> None:
    ours = {name: service["environment"]["DATABASE_URL"] for name, service in services().items() if "build" in service}
    as_app = {name for name, address in ours.items() if address.startswith("postgresql://docintel_app:${DOCINTEL_APP_")}
    assert ours.keys() - as_app == {"prepare", "keeper"}
    prepare = services()["prepare"]
    assert "restrict_database --password-from DOCINTEL_APP_PASSWORD" in prepare["command"]
    assert "DOCINTEL_APP_PASSWORD" in prepare["environment"]


def test_no_server_is_reachable_from_outside_without_a_password() -> None:
    assert [name for name, service in services().items() if "ports" in service] == ["web"]
    assert services()["web"]["ports"] == ["127.0.0.1:8000:8000"]
    assert ":?" in services()["database"]["environment"]["POSTGRES_PASSWORD"]


def documented() -> set[str]:
    """Every variable of the reference."""
    reference = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `(\w+)` \|", reference, re.MULTILINE))


def ours() -> dict[str, dict[str, str | None]]:
    """The environment of every service that runs the program."""
    return {name: service["environment"] for name, service in services().items() if "build" in service}


# The image says where its data is; ports and environments of Python are those of bin/run.
NOT_OF_CONTAINERS = {"DOCINTEL_HOME", "DOCINTEL_PORT", "DOCINTEL_VENV"}
# The servers are those of the file itself.
SET_HERE = {"DATABASE_URL", "REDIS_URL"}


def test_every_documented_variable_reaches_every_container() -> None:
    assert documented() > NOT_OF_CONTAINERS | SET_HERE
    for name, environment in ours().items():
        assert documented() - NOT_OF_CONTAINERS - environment.keys() == set(), name
        assert environment.keys() - documented() <= {"DOCINTEL_APP_PASSWORD"}, name


def test_the_settings_read_every_variable_of_the_containers() -> None:
    text = (ROOT / "docintel_site" / "settings.py").read_text(encoding="utf-8")
    for environment in ours().values():
        assert [name for name in environment if name != "DOCINTEL_APP_PASSWORD" and f'"{name}"' not in text] == []


def test_a_variable_is_taken_over_as_it_is_called() -> None:
    for environment in ours().values():
        for name, value in environment.items():
            if name not in SET_HERE and value is not None:
                assert re.fullmatch(rf"\$\{{{name}:[-?].*\}}", value), (name, value)


def test_the_database_is_of_the_embedded_ones_major_version() -> None:
    database = services()["database"]
    assert re.fullmatch(rf"pgvector/pgvector:pg{MAJOR}", database["image"])
    # From 18 on the image keeps its data in a directory of the major version below this one.
    assert database["volumes"] == ["database:/var/lib/postgresql"]


def test_the_database_logs_no_values() -> None:
    command = services()["database"]["command"].split()
    assert {option: command[command.index(option) - 1] for option in command if "=" in option} == {
        f"{name}={value}": "-c" for name, value in QUIET.items()
    }


def test_the_arguments_of_the_image_are_those_of_the_dockerfile() -> None:
    taken = set(re.findall(r"^ARG (\w+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE))
    for name, service in services().items():
        if "build" in service:
            given = service["build"]["args"]
            assert given == {"DOCINTEL_VERSION": "${DOCINTEL_VERSION:-}", "OCR": "${OCR:-0}"}, name
            assert given.keys() == taken
