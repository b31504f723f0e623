"""The environment is made once, again when it is broken, and installed into only when a file has changed."""

import sys
from pathlib import Path

import pytest

from launch import environment
from launch.errors import LaunchError


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(environment, "PYTHON", tmp_path / ".venv" / "bin" / "python")
    return tmp_path


@pytest.mark.parametrize(
    ("system", "machine", "libc"), [("Darwin", "arm64", ""), ("Linux", "aarch64", "glibc"), ("Linux", "x86_64", "musl")]
)
def test_it_refuses_a_machine_without_wheels(system: str, machine: str, libc: str) -> None:
    with pytest.raises(LaunchError, match=f"this is {system} {machine}.*docker compose up"):
        environment.check_platform(system, machine, libc)


def test_it_accepts_the_machine_it_was_built_for() -> None:
    environment.check_platform("Linux", "x86_64", "glibc")


def test_it_remakes_a_broken_environment_and_keeps_a_whole_one(checkout: Path) -> None:
    environment.PYTHON.parent.mkdir(parents=True)
    environment.PYTHON.symlink_to("/gone/python3")
    environment.make_venv()
    assert environment.is_whole()
    mark = environment.VENV / "mark"
    mark.write_text("kept")
    environment.make_venv()
    assert mark.exists()


def test_it_says_what_is_missing_when_no_environment_can_be_made(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(LaunchError, match="apt install python3-venv"):
        environment.make_venv()


def test_it_installs_only_what_has_changed(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment.VENV.mkdir()
    environment.PYTHON.parent.mkdir()
    counter = checkout / "counter"
    environment.PYTHON.write_text(f'#!/bin/sh\necho "$@" >> {counter}\n')
    environment.PYTHON.chmod(0o755)
    (checkout / "requirements.txt").write_text("one==1\n")
    (checkout / "more.txt").write_text("-r requirements.txt\ntwo==2\n")
    environment.install("more.txt", "--no-deps")
    environment.install("more.txt", "--no-deps")
    environment.install("requirements.txt")
    assert len(counter.read_text().splitlines()) == 1
    (checkout / "requirements.txt").write_text("one==2\n")
    environment.install("more.txt")
    assert len(counter.read_text().splitlines()) == 2


def test_it_tries_again_after_a_failed_installation(checkout: Path) -> None:
    environment.PYTHON.parent.mkdir(parents=True)
    environment.PYTHON.symlink_to(sys.executable)
    (checkout / "requirements.txt").write_text("./missing-1.0-py3-none-any.whl\n")
    for _ in range(2):
        with pytest.raises(LaunchError, match=r"requirements.txt could not be installed: ERROR: .*missing"):
            environment.install("requirements.txt", "--no-deps", "--no-index")


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("Collecting x\nERROR: No matching distribution found for x\n[notice] a new release\n", "ERROR: No matching"),
        ("one\ntwo\n\n", "two"),
        ("", "no reason given"),
    ],
)
def test_it_picks_the_line_with_the_reason(output: str, reason: str) -> None:
    assert environment.last_line(output).startswith(reason)
