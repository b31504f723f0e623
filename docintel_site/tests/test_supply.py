"""The bill of materials names everything with its licence; without an answer nothing is said about vulnerabilities."""

import json
import subprocess
import sys
from importlib.metadata import distributions
from io import StringIO
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from django.core.management import CommandError, call_command
from license_expression import get_spdx_licensing
from packaging.utils import canonicalize_name

from docintel_site.settings import BASE_DIR
from docintel_site.supply import parts, vulnerabilities
from docintel_site.supply.bill import bill_of_materials
from docintel_site.supply.parts import Component, find_parts

NOT_SPDX = {"LicenseRef-Artifex-Commercial"}
WITH_HOLE = """Metadata-Version: 2.1
Name: Odd_One
Version: 1.0
License: All mine
"""


@pytest.fixture(scope="module")
def found() -> dict[str, Component]:
    return {part.name: part for part in find_parts()}


def test_the_bill_is_valid_and_names_every_package_once() -> None:
    bill = bill_of_materials()
    faults = JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(bill), all_errors=True)
    assert list(faults or []) == []
    addresses = [component["purl"] for component in bill["components"] if "purl" in component]
    installed = {f"pkg:pypi/{canonicalize_name(each.metadata['Name'])}@{each.version}" for each in distributions()}
    assert set(addresses) == installed and len(addresses) == len(installed)
    references = {component["bom-ref"] for component in bill["components"]} | {"docintel"}
    assert {line["ref"] for line in bill["dependencies"]} | {"python"} == references
    assert {ref for line in bill["dependencies"] for ref in line["dependsOn"]} <= references
    [django_refs] = [line["dependsOn"] for line in bill["dependencies"] if "/django@" in line["ref"]]
    assert any("/asgiref@" in ref for ref in django_refs)


def test_every_licence_is_known_and_an_expression(found: dict[str, Component]) -> None:
    known = get_spdx_licensing()
    assert [part.name for part in found.values() if part.licence == parts.UNKNOWN] == []
    for part in found.values():
        assert set(known.unknown_license_keys(known.parse(part.licence))) <= NOT_SPDX, part
    assert found["pymupdf"].licence.startswith("AGPL-3.0") and found["MuPDF"].licence.startswith("AGPL-3.0")


def test_servers_encoder_and_what_browsers_get_are_named_with_their_versions(found: dict[str, Component]) -> None:
    carried = {name: part for name, part in found.items() if not part.is_package}
    browser = {"htmx", "Swagger UI", "Redoc", "axe-core"}
    assert (
        set(carried)
        == {"PostgreSQL", "pgvector for PostgreSQL", "valkey-server", "MuPDF", "all-MiniLM-L6-v2"} | browser
    )
    assert all(part.version and len(part.sha256) == 64 for part in carried.values())
    vendored = {path.name for path in (BASE_DIR / "static" / "vendor").iterdir()}
    assert vendored == {Path(part.file).name for part in carried.values() if not part.carrier}
    server = (
        Path(sys.prefix) / "lib" / f"python3.{sys.version_info.minor}" / "site-packages" / carried["valkey-server"].file
    )
    said = subprocess.run([server, "--version"], capture_output=True, text=True, check=True).stdout
    assert f"v={carried['valkey-server'].version} " in said


def test_a_package_that_says_nothing_we_know_is_unknown_and_not_guessed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "odd_one-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(WITH_HOLE)
    monkeypatch.setattr(parts, "distributions", lambda: distributions(path=[str(tmp_path)]))
    [odd] = [part for part in find_parts() if part.is_package]
    assert (odd.name, odd.licence) == ("odd-one", parts.UNKNOWN)
    out = StringIO()
    call_command("sbom", "--licences", stdout=out)
    assert [line.split() for line in out.getvalue().splitlines() if line.startswith("odd")] == [
        ["odd-one", "1.0", "unknown"]
    ]
    [component] = [each for each in bill_of_materials()["components"] if each["name"] == "odd-one"]
    assert component["licenses"] == []


def test_the_command_writes_a_file_and_says_when_it_cannot(tmp_path: Path) -> None:
    call_command("sbom", "--out", tmp_path / "bom.json")
    assert json.loads((tmp_path / "bom.json").read_text())["specVersion"] == "1.6"
    with pytest.raises(CommandError, match="cannot be written: No such file"):
        call_command("sbom", "--out", tmp_path / "absent" / "bom.json")


def test_it_needs_no_server(tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "sbom", "--licences"]
    environment = {"DOCINTEL_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=BASE_DIR, env=environment, capture_output=True, text=True, check=True)
    assert "AGPL-3.0" in done.stdout and not (tmp_path / "postgres").exists() and not (tmp_path / "redis").exists()


# ---- known vulnerabilities; the reports are those of pip-audit 2.10

GOOD = {"name": "six", "version": "1.17.0", "vulns": []}
FIXED = {"id": "PYSEC-2026-1", "fix_versions": ["2.1", "3.0"], "aliases": [], "description": "…"}
OPEN = {"id": "GHSA-1", "fix_versions": [], "aliases": [], "description": "…"}
BAD = {"name": "old", "version": "2.0", "vulns": [FIXED, OPEN]}
UNASKED = {"name": "odd", "skip_reason": "Dependency not found on PyPI and could not be audited: odd (1.0)"}
OFFLINE = "Traceback (most recent call last):\nConnectionError: Name or service not known"


def stand_in(folder: Path, output: str, code: int = 0, said: str = "") -> None:
    """A program in the place of pip-audit, which needs a network; its arguments are kept."""
    (folder / "output").write_text(output)
    (folder / "said").write_text(said)
    program = folder / "pip-audit"
    program.write_text(
        f'#!/bin/sh\ncd {folder}\necho "$@" > arguments\n/bin/cat output\n/bin/cat said >&2\nexit {code}\n'
    )
    program.chmod(0o755)


def audited(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    monkeypatch.setenv("PATH", str(folder))
    out = StringIO()
    try:
        call_command("audit_packages", stdout=out)
    except CommandError as error:
        return error.returncode, f"{out.getvalue()}{error}"
    return 0, out.getvalue()


@pytest.mark.parametrize(
    ("packages", "code", "told"),
    [
        ([GOOD], 0, "Asked about 1 packages: no vulnerability is known."),
        (
            [GOOD, BAD],
            1,
            "old 2.0: PYSEC-2026-1, mended in 2.1, 3.0\nold 2.0: GHSA-1, mended in no version yet\nKnown vuln",
        ),
        ([BAD, UNASKED], 1, "no answer for 1 of the packages (odd)"),
        ([GOOD, UNASKED], 3, "No verdict, which is neither good nor bad: no answer for 1 of the packages (odd)."),
        ([UNASKED] * 12, 3, "odd, …)."),
        ([], 3, "nothing to ask about"),
    ],
)
def test_only_an_answer_for_every_package_is_a_good_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packages: list[object], code: int, told: str
) -> None:
    stand_in(tmp_path, json.dumps({"dependencies": packages, "fixes": []}))
    found, output = audited(tmp_path, monkeypatch)
    assert found == code and told in output
    assert f"--path {Path(pytest.__file__).parent.parent} --format json" in (tmp_path / "arguments").read_text()


@pytest.mark.parametrize("output", ["", "[]", '{"dependencies": [{"name": "x"}]}', "No known vulnerabilities found"])
def test_a_failure_is_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str) -> None:
    stand_in(tmp_path, output, code=1, said=OFFLINE)
    found, told = audited(tmp_path, monkeypatch)
    assert found == 3 and told.startswith("No verdict, which is neither good nor bad: pip-audit gave no report;")
    assert told.endswith("ended with: ConnectionError: Name or service not known.")


def test_an_absent_a_broken_and_a_slow_program_are_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "pip-audit is not installed" in audited(tmp_path, monkeypatch)[1]
    (tmp_path / "pip-audit").write_text("no program")
    (tmp_path / "pip-audit").chmod(0o755)
    assert "cannot be started" in audited(tmp_path, monkeypatch)[1]
    stand_in(tmp_path, "")
    (tmp_path / "pip-audit").write_text("#!/bin/sh\nexec /bin/sleep 20\n")
    monkeypatch.setattr(vulnerabilities, "DEADLINE_S", 0.2)
    assert audited(tmp_path, monkeypatch)[0] == 3
