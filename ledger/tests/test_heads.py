"""Heads in a file: one a line, whole or not there, and a signature that nobody makes without the key."""

import json
from pathlib import Path

import pytest

from ledger.chain import Head
from ledger.heads import BadHeadFile, add_head, last_head, make_key, read_heads, write_head

FIRST, SECOND = Head(4, "a" * 64), Head(9, "b" * 64)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    make_key(tmp_path / "ledger.pem")
    return tmp_path / "ledger.pem"


def test_it_adds_and_reads_heads(tmp_path: Path) -> None:
    path = tmp_path / "new" / "heads.jsonl"
    assert last_head(path) is None
    for head in (FIRST, SECOND):
        add_head(path, head)
        assert last_head(path) == head
    assert read_heads(path) == [FIRST, SECOND]
    write_head(path, FIRST)
    assert read_heads(path) == [FIRST]


def test_a_signed_head_is_read_with_its_public_key_and_no_other(tmp_path: Path, key: Path) -> None:
    path, other = tmp_path / "heads.jsonl", make_key(tmp_path / "other.pem")
    add_head(path, FIRST, key)
    add_head(path, SECOND, key)
    assert read_heads(path, Path(f"{key}.pub")) == read_heads(path) == [FIRST, SECOND]
    with pytest.raises(BadHeadFile, match="line 1 is not signed with this key"):
        read_heads(path, other)
    add_head(path, Head(10, "c" * 64))
    with pytest.raises(BadHeadFile, match="line 3 has no signature"):
        read_heads(path, Path(f"{key}.pub"))


@pytest.mark.parametrize(
    "change", [{"sequence": 5}, {"hash": "c" * 64}, {"exported_at": "2020-01-01T00:00:00.000000Z"}]
)
def test_no_word_of_a_signed_head_can_be_altered(tmp_path: Path, key: Path, change: dict[str, object]) -> None:
    path = tmp_path / "heads.jsonl"
    write_head(path, FIRST, key)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(BadHeadFile, match="is not signed with this key"):
        read_heads(path, Path(f"{key}.pub"))


def test_the_private_key_is_its_owners_and_never_overwritten(key: Path) -> None:
    assert key.stat().st_mode & 0o777 == 0o600
    with pytest.raises(BadHeadFile, match="cannot be written"):
        make_key(key)


@pytest.mark.parametrize("content", [None, b"", b"no key", b"\xff"])
def test_it_explains_a_key_that_is_none(tmp_path: Path, key: Path, content: bytes | None) -> None:
    bad = tmp_path / "bad.pem"
    if content is not None:
        bad.write_bytes(content)
    with pytest.raises(BadHeadFile, match="cannot be read"):
        write_head(tmp_path / "head.json", FIRST, bad)
    write_head(tmp_path / "head.json", FIRST, key)
    with pytest.raises(BadHeadFile, match="cannot be read"):
        read_heads(tmp_path / "head.json", bad)


def test_it_explains_a_file_that_holds_no_heads(tmp_path: Path) -> None:
    path = tmp_path / "heads.jsonl"
    path.write_bytes(b"\xff\xfe")
    for read in (read_heads, last_head):
        with pytest.raises(BadHeadFile, match="cannot be read"):
            read(path)
    with pytest.raises(BadHeadFile, match="cannot be written"):
        add_head(path / "below" / "heads.jsonl", FIRST)


def test_it_reads_a_head_over_several_lines_as_older_programs_wrote_it(tmp_path: Path, key: Path) -> None:
    path = tmp_path / "head.json"
    write_head(path, FIRST, key)
    path.write_text(json.dumps(json.loads(path.read_text()), indent=2) + "\n")
    assert read_heads(path, Path(f"{key}.pub")) == read_heads(path) == [FIRST]
    path.write_text(path.read_text()[:-3])
    with pytest.raises(BadHeadFile, match="line 1 is not an exported head"):
        read_heads(path)


def test_it_explains_a_file_nested_deeper_than_any_parser_goes(tmp_path: Path) -> None:
    path = tmp_path / "heads.jsonl"
    path.write_text("[" * 100_000)
    with pytest.raises(BadHeadFile, match="is not an exported head"):
        read_heads(path)
