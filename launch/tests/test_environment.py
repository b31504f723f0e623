"""The environment is made once, again when it is broken, and installed into only when a file has changed."""

import hashlib
import sys
from pathlib import Path
from zipfile import ZipFile

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
    ("system", "machine", "libc"),
    [("Darwin", "x86_64", ""), ("Linux", "riscv64", "glibc"), ("Linux", "x86_64", "musl")],
)
def test_it_refuses_a_machine_without_wheels(system: str, machine: str, libc: str) -> None:
    with pytest.raises(LaunchError, match=f"this is {system} {machine}.*docker compose up"):
        environment.check_platform(system, machine, libc)


def test_it_accepts_the_machine_it_was_built_for(capsys: pytest.CaptureFixture[str]) -> None:
    environment.check_platform("Linux", "x86_64", "glibc")
    assert not capsys.readouterr().out


@pytest.mark.parametrize(("system", "machine", "libc"), [("Darwin", "arm64", ""), ("Linux", "aarch64", "glibc")])
def test_it_says_where_it_was_never_tried(
    system: str, machine: str, libc: str, capsys: pytest.CaptureFixture[str]
) -> None:
    environment.check_platform(system, machine, libc)
    assert f"made for {system} {machine}" in capsys.readouterr().out


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


def test_what_was_installed_is_compiled_but_for_tests_and_what_is_no_python(checkout: Path) -> None:
    environment.PYTHON.parent.mkdir(parents=True)
    environment.PYTHON.symlink_to(sys.executable)
    packages = environment.VENV / "lib" / "python3.11" / "site-packages"
    for name, source in {"one.py": "", "of_another_python.py": "print 1", "package/tests/two.py": ""}.items():
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_text(source)
    environment.compile_modules()
    assert [path.name.partition(".")[0] for path in packages.rglob("*.pyc")] == ["one"]


def test_it_tries_again_after_a_failed_installation(checkout: Path) -> None:
    environment.PYTHON.parent.mkdir(parents=True)
    environment.PYTHON.symlink_to(sys.executable)
    (checkout / "requirements.txt").write_text(f"missing==1.0 --hash=sha256:{'0' * 64}\n")
    for _ in range(2):
        with pytest.raises(LaunchError, match=r"requirements.txt could not be installed: ERROR: .*missing"):
            environment.install("requirements.txt", "--no-deps", "--no-index")


@pytest.mark.parametrize("listed", ["own==1.0", f"own==1.0 --hash=sha256:{'0' * 64}"])
def test_it_installs_no_file_whose_hash_is_missing_or_another(checkout: Path, listed: str) -> None:
    environment.PYTHON.parent.mkdir(parents=True)
    environment.PYTHON.symlink_to(sys.executable)
    with ZipFile(checkout / "own-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("own-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: own\nVersion: 1.0\n")
    (checkout / "requirements.txt").write_text(listed)
    with pytest.raises(LaunchError, match=r"(?i)requirements.txt could not be installed: .*hash"):
        environment.install("requirements.txt", "--no-deps", "--no-index", f"--find-links={checkout}", "--dry-run")


def test_it_installs_from_a_folder_of_kept_files(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As docs/operations.md says: without an index, and still no file but the one that is listed."""
    environment.PYTHON.parent.mkdir(parents=True)
    environment.PYTHON.symlink_to(sys.executable)
    kept = checkout / "kept" / "own-1.0-py3-none-any.whl"
    kept.parent.mkdir()
    with ZipFile(kept, "w") as wheel:
        wheel.writestr("own-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: own\nVersion: 1.0\n")
        wheel.writestr("own-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    digest = hashlib.sha256(kept.read_bytes()).hexdigest()
    (checkout / "requirements.txt").write_text(f"own==1.0 --hash=sha256:{digest}")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(LaunchError, match="No matching distribution"):
        environment.install("requirements.txt", "--dry-run")
    monkeypatch.setenv("PIP_FIND_LINKS", str(kept.parent))
    assert environment.install("requirements.txt", "--dry-run")


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
