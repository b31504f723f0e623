"""The containers run the same processes as bin/run."""

import re
from pathlib import Path
from typing import Any

import yaml

from docintel_site.status import QUEUES
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


def test_mail_and_sign_on_can_be_set_for_containers() -> None:
    reference = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    people = reference.partition("## People and mail")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)`", people, re.MULTILINE)) <= services()["web"]["environment"].keys()
