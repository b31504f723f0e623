"""The containers run the same processes as bin/run."""

import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from redis import Redis
from redis.exceptions import AuthenticationError

from embedded import redis
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
    assert served == set(settings.QUEUES)


def test_only_what_migrates_and_keeps_signs_in_as_the_owner_of_the_database() -> None:
    found = {name: environment.get("DATABASE_URL") for name, environment in ours().items()}
    connected = {name: address for name, address in found.items() if address}
    as_app = {
        name for name, address in connected.items() if address.startswith("postgresql://docintel_app:${DOCINTEL_APP_")
    }
    assert connected.keys() - as_app == {"prepare", "keeper"}
    assert "DATABASE_URL" not in services()["scheduler"]["environment"]
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
ASKING_MODELS = {"worker", "embedder", "asker", "searcher"}
PROGRAM = {"prepare", "web", *ASKING_MODELS, "scheduler", "keeper"}
# Which services are given a secret: each needs it, and the others do not.
SECRETS = {
    "POSTGRES_PASSWORD": {"database", "prepare", "keeper"},
    "DOCINTEL_APP_PASSWORD": {"prepare", "web", *ASKING_MODELS},
    "REDIS_PASSWORD": {"broker", *PROGRAM},
    "DOCINTEL_SECRET_KEY": {"web", "worker"},
    "DOCINTEL_METRICS_TOKEN": {"web"},
    "DOCINTEL_OIDC_CLIENT_SECRET": {"web"},
    "DOCINTEL_SMTP_PASSWORD": {"web", "worker"},
    "DOCINTEL_WITNESS_TOKEN": {"worker"},
    "OPENAI_API_KEY": {"web", *ASKING_MODELS},
    "DOCINTEL_EMBEDDING_API_KEY": ASKING_MODELS,
    "VOYAGE_API_KEY": ASKING_MODELS,
    "DOCINTEL_RERANK_API_KEY": ASKING_MODELS,
}
OF_SERVERS = {"POSTGRES_PASSWORD", "DOCINTEL_APP_PASSWORD", "REDIS_PASSWORD"}


def given_to(service: dict[str, Any]) -> set[str]:
    """The variables whose values a service is given, by name or within another; `:+` only says that one is set."""
    environment = service.get("environment", {})
    by_name = {name for name, value in environment.items() if value is None}
    told = re.findall(r"(?<!\$)\$\{(\w+)(?!\w|:\+)", yaml.safe_dump({**service, "build": None}))
    return by_name | set(told)


def test_what_sounds_like_a_secret_is_one() -> None:
    sounding = {name for name in documented() if re.search("KEY$|SECRET|PASSWORD|_TOKEN$", name)}
    assert sounding - {"DOCINTEL_LEDGER_KEY"} == SECRETS.keys() - OF_SERVERS  # that one is the path of a file


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_in_the_containers_that_need_it_and_in_no_other(secret: str) -> None:
    assert {name for name, service in services().items() if secret in given_to(service)} == SECRETS[secret]


def test_no_secret_is_part_of_a_build_or_of_a_command() -> None:
    for name, service in services().items():
        told = yaml.safe_dump([service.get("build"), service.get("command"), service.get("healthcheck")])
        assert [secret for secret in SECRETS if f"${{{secret}" in told] == [], name


def test_every_other_variable_reaches_every_container() -> None:
    assert documented() > NOT_OF_CONTAINERS | SET_HERE
    assert ours().keys() == PROGRAM
    for name, environment in ours().items():
        open_to_all = documented() - NOT_OF_CONTAINERS - SECRETS.keys() - {"DATABASE_URL"}
        assert open_to_all - environment.keys() == set(), name
        assert environment.keys() - documented() <= {"DOCINTEL_APP_PASSWORD"}, name


def test_every_container_does_without_what_it_need_not_have() -> None:
    for name, service in services().items():
        assert service["read_only"] is True and service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert not {"privileged", "cap_add", "pid", "network_mode", "devices"} & service.keys(), name
        assert re.fullmatch(r"\d+[mg]", service["mem_limit"]) and service["tmpfs"], name
        assert service["stop_grace_period"] in ("30s", "1m"), name
    # The image of the program has a user of its own; the others would begin as root.
    assert {name: service.get("user") for name, service in services().items() if "build" not in service} == {
        "database": "postgres",
        "broker": "redis",
    }
    assert re.search(r"^USER docintel$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)


def test_the_scheduler_has_no_file_of_the_installation() -> None:
    assert [name for name, service in services().items() if "data:/data" not in service["volumes"]] == [
        "scheduler",
        "database",
        "broker",
    ]
    assert services()["scheduler"]["volumes"] == []


def test_the_broker_asks_for_its_password(tmp_path: Path) -> None:
    """Its command, with the server of the wheel in the place of the image's."""
    shell, option, script = services()["broker"]["command"]
    assert all("REDIS_PASSWORD" in str(environment["REDIS_URL"]) for environment in ours().values())
    (tmp_path / "redis-server").symlink_to(redis._binary())
    here = f"\nport 0\nunixsocket {tmp_path}/socket\ndir {tmp_path}\nEND\n"
    command = [shell, option, script.replace("$$", "$").replace("\nEND\n", here)]
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "REDISCLI_AUTH": "of2026"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as server:
        try:
            wait_for(tmp_path / "socket")
            with Redis(unix_socket_path=f"{tmp_path}/socket") as stranger, pytest.raises(AuthenticationError):
                stranger.ping()
            with Redis(unix_socket_path=f"{tmp_path}/socket", password="of2026") as known:
                assert known.ping() and known.config_get("appendonly") == {"appendonly": "yes"}
        finally:
            server.terminate()  # the shell has become the server, so that it hears of its end
            assert server.wait(60) == 0


def wait_for(path: Path) -> None:
    until = time.monotonic() + 120
    while not path.exists():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_the_settings_read_every_variable_of_the_containers() -> None:
    text = (ROOT / "docintel_site" / "settings.py").read_text(encoding="utf-8")
    for environment in ours().values():
        assert [name for name in environment if name != "DOCINTEL_APP_PASSWORD" and f'"{name}"' not in text] == []


def test_a_variable_is_taken_over_as_it_is_called() -> None:
    for environment in ours().values():
        for name, value in environment.items():
            if name not in SET_HERE and value is not None:
                assert re.fullmatch(rf"\$\{{{name}:[-?+].*\}}", value), (name, value)


def test_the_database_is_of_the_embedded_ones_major_version() -> None:
    database = services()["database"]
    assert re.fullmatch(rf"\$\{{DATABASE_IMAGE:-pgvector/pgvector:[\d.]+-pg{MAJOR}-\S+\}}", database["image"])
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
            assert given == {
                "DOCINTEL_VERSION": "${DOCINTEL_VERSION:-}",
                "OCR": "${OCR:-0}",
                "PYTHON_IMAGE": f"${{PYTHON_IMAGE:-{images()['PYTHON_IMAGE']}}}",
            }, name
            assert given.keys() == taken


def images() -> dict[str, str]:
    """The images from elsewhere that stand in the compose file, by the variables that name others."""
    return dict(re.findall(r"\$\{(\w+_IMAGE):-([^}]+)\}", (ROOT / "docker-compose.yml").read_text()))


def test_every_image_from_elsewhere_is_pinned_by_its_digest() -> None:
    """The operator's page has the line that looks up newer ones, with the same names and tags."""
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"\b(\w+_IMAGE)=([\w./:-]+)", page))
    pinned = {name: re.fullmatch(r"(\S+)@sha256:[0-9a-f]{64}", image) for name, image in images().items()}
    assert {name: found and found[1] for name, found in pinned.items()} == told and len(told) == 3
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert f"ARG PYTHON_IMAGE={images()['PYTHON_IMAGE']}\n" in dockerfile
    assert re.findall(r"^FROM .*", dockerfile, re.MULTILINE) == ["FROM ${PYTHON_IMAGE}"]
    named = {service["image"] for service in services().values() if "build" not in service}
    assert all("@sha256:" in image for image in named)
