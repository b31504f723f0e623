"""Which program answered: what counts as a version, which source wins, and what the digest of the code depends on."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval import version
from retrieval.version import (
    DIGITS,
    WRITTEN,
    VersionMissing,
    digest_of_code,
    of_checkout,
    program_version,
    write_version,
)


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A program of two files, in no checkout and without a version."""
    root = tmp_path / "program"
    (root / "app").mkdir(parents=True)
    (root / "app" / "views.py").write_text("a = 1\n")
    (root / "app" / "words.txt").write_text("the\n")
    monkeypatch.setattr(version, "ROOT", root)
    monkeypatch.setattr(version, "FILE", root / "VERSION")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    program_version.cache_clear()
    yield root
    program_version.cache_clear()


def git(root: Path, *words: str) -> str:
    command = ["git", "-C", str(root), "-c", "user.name=n", "-c", "user.email=n@example.org", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def checkout(copy: Path) -> Path:
    git(copy, "init", "-q")
    git(copy, "add", ".")
    git(copy, "commit", "-qm", "First")
    return copy


@pytest.mark.parametrize(
    ("text", "is_version"),
    [
        ("v1.2", True),
        ("1a2b3c4", True),
        ("v1.2-7-g1a2b3c4+", True),
        ("2026_11", True),
        ("x" * 80, True),
        ("x" * 81, False),
        ("", False),
        ("$Format:%h$", False),
        ("-v", False),
        ("+", False),
        ("v1 2", False),
        ("v1\n", False),
        ("<b>", False),
        ("../VERSION", False),
    ],
)
def test_what_is_a_version(text: str, is_version: bool) -> None:
    assert bool(WRITTEN.fullmatch(text)) is is_version


@pytest.mark.parametrize("given", ["v1.2", "2026.11-rc1", "x" * 80])
def test_a_version_that_is_written_is_the_version(copy: Path, given: str) -> None:
    write_version(given)
    assert program_version() == given


@pytest.mark.parametrize("given", ["", "unknown", "two words", "x" * 81, "v1\nv2", "$Format:%h$"])
def test_what_is_none_is_refused_with_what_to_do_and_nothing_is_written(copy: Path, given: str) -> None:
    with pytest.raises(VersionMissing, match="--build-arg DOCINTEL_VERSION"):
        write_version(given)
    assert not (copy / "VERSION").exists()


@pytest.mark.parametrize("text", ["", "   \n", "$Format:%(describe)$", "not a version"])
def test_a_place_holder_is_no_version(copy: Path, text: str) -> None:
    (copy / "VERSION").write_text(text)
    assert program_version() == f"code-{digest_of_code()}"


def test_a_checkout_is_told_by_its_commit_whatever_the_file_says(checkout: Path) -> None:
    (checkout / "VERSION").write_text("v9")
    commit = git(checkout, "rev-parse", "HEAD")
    assert commit.startswith(program_version()) and len(program_version()) >= 7


def test_a_changed_checkout_says_so(checkout: Path) -> None:
    (checkout / "app" / "views.py").write_text("a = 2\n")
    assert of_checkout().endswith("+") and git(checkout, "rev-parse", "HEAD").startswith(of_checkout()[:-1])


def test_a_checkout_without_a_commit_and_a_broken_one_are_told_by_their_code(copy: Path) -> None:
    (copy / ".git").write_text("gitdir: /nowhere\n")
    assert of_checkout() == ""
    (copy / ".git").unlink()
    git(copy, "init", "-q")
    assert of_checkout() == "" and program_version().startswith("code-")


def test_without_git_the_code_tells(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert of_checkout() == "" and program_version() == f"code-{digest_of_code()}"


@pytest.mark.parametrize(
    ("path", "is_code"),
    [
        ("app/views.py", True),
        ("app/new.py", True),
        ("app/deep/down/page.html", True),
        ("app/phrasing.fr.toml", True),
        ("app/pack.csv", True),
        ("app/notes.md", False),
        ("app/views.pyc", False),
        ("manage.py", False),  # beside the folders
        (".hidden/views.py", False),
        ("var/settings.py", False),
    ],
)
def test_the_digest_depends_on_the_code_and_on_nothing_else(copy: Path, path: str, is_code: bool) -> None:
    before = digest_of_code()
    (copy / path).parent.mkdir(parents=True, exist_ok=True)
    (copy / path).write_bytes(b"b = 2\xff\n")
    assert (digest_of_code() != before) is is_code
    assert len(before) == DIGITS and int(before, 16) >= 0


def test_a_file_that_is_renamed_or_whose_end_moves_to_the_next_changes_the_digest(copy: Path) -> None:
    before = digest_of_code()
    (copy / "app" / "views.py").rename(copy / "app" / "pages.py")
    renamed = digest_of_code()
    (copy / "app" / "pages.py").write_text("a = ")
    (copy / "app" / "words.txt").write_text("1\nthe\n")
    assert len({before, renamed, digest_of_code()}) == 3
