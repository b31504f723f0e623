"""What is installed is pinned, and every file of it is known by its hash."""

import re
import shutil
from pathlib import Path

import pytest

from launch import pin

ROOT = Path(__file__).resolve().parent.parent
COMPILED = sorted(path.name for path in ROOT.glob("requirements*.txt"))
HASH = r"--hash=sha256:[0-9a-f]{64}"


def requirements_of(name: str) -> list[str]:
    """The requirements of a file, each with its options on one line; no comments, no included files."""
    text = re.sub(r"(^|\s)#.*", "", (ROOT / name).read_text().replace("\\\n", " "), flags=re.MULTILINE)
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("-r ")]


def pins_of(name: str) -> set[str]:
    """Every pin of a file, as `name==version`, without extras."""
    return {re.sub(r"\[.*?\]", "", line.partition(" ")[0]).lower().replace("_", "-") for line in requirements_of(name)}


def test_every_file_of_pins_has_its_source() -> None:
    sources = {path.name.replace(".in", ".txt") for path in ROOT.glob("requirements*.in")}
    assert COMPILED and set(COMPILED) == sources == set(pin.FILES)


@pytest.mark.parametrize("name", COMPILED)
def test_every_requirement_is_pinned_and_has_its_hashes(name: str) -> None:
    lines = requirements_of(name)
    pinned = rf"[\w.-]+(\[[\w,-]+\])?==\S+( ; [^#]+?)?( +{HASH})+"
    assert lines and [line for line in lines if not re.fullmatch(pinned, line)] == []


@pytest.mark.parametrize("name", COMPILED)
def test_every_pin_of_a_source_is_among_the_compiled(name: str) -> None:
    asked_for = pins_of(name.replace(".txt", ".in"))
    compiled = pins_of(name) | (pins_of(pin.RUNTIME) if f"-r {pin.RUNTIME}\n" in (ROOT / name).read_text() else set())
    assert asked_for and all(re.fullmatch(r"[\w.-]+==\S+", line) for line in asked_for)
    assert asked_for - compiled == set()


def test_no_package_is_pinned_twice() -> None:
    pinned = [line.partition("==")[0] for name in COMPILED for line in pins_of(name)]
    assert sorted(set(pinned)) == sorted(pinned)


@pytest.mark.parametrize("name", [name for name in COMPILED if name != "requirements-model.txt"])
def test_what_has_a_wheel_for_each_machine_lists_all_of_them(name: str) -> None:
    """A release of compiled code has many files; one hash alone would be that of the machine it was compiled on."""
    compiled = {"numpy", "cryptography", "pydantic-core", "uvloop", "librt", "opencv-python-headless", "shapely"}
    for line in requirements_of(name):
        if re.split(r"[=\[]", line)[0] in compiled:
            assert len(re.findall(HASH, line)) > 4, line[:40]


@pytest.mark.parametrize("compiler", ["false", "docintel-absent"])
def test_a_compiler_of_pins_that_fails_or_is_missing_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, compiler: str
) -> None:
    for path in ROOT.glob("requirements*"):
        shutil.copy(path, tmp_path)
    monkeypatch.setattr(pin, "ROOT", tmp_path)
    monkeypatch.setattr(pin, "UV", [compiler])
    assert pin.pin([]) == 1
    assert all((tmp_path / name).read_bytes() == (ROOT / name).read_bytes() for name in COMPILED)
