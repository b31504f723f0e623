"""The bill of materials of an installation, in CycloneDX 1.6."""

import platform
import uuid
from typing import Any

from django.utils import timezone

from docintel_site.supply.parts import UNKNOWN, Component, find_parts
from retrieval.version import program_version

ROOT_REF = "docintel"
OWN_LICENCE = "AGPL-3.0-or-later"


def bill_of_materials() -> dict[str, Any]:
    """What is installed, as JSON of CycloneDX 1.6."""
    parts = find_parts()
    references = {part.name: reference(part) for part in parts if part.is_package}
    python = {"type": "platform", "bom-ref": "python", "name": "CPython", "version": platform.python_version()}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid4()}",
        "version": 1,
        "metadata": {
            "timestamp": timezone.now().isoformat(timespec="seconds"),
            "tools": {"components": [{"type": "application", "name": "manage.py sbom"}]},
            "component": {
                "type": "application",
                "bom-ref": ROOT_REF,
                "name": "DocIntel",
                "version": program_version(),
                "licenses": [{"expression": OWN_LICENCE}],
            },
        },
        "components": [python | {"licenses": [{"expression": "PSF-2.0"}]}, *map(component, parts)],
        "dependencies": dependencies(parts, references),
    }


def component(part: Component) -> dict[str, object]:
    """One part; a licence that cannot be told is left out, not guessed."""
    described: dict[str, Any] = {
        "type": part.type,
        "bom-ref": reference(part),
        "name": part.name,
        "version": part.version,
        "licenses": [{"expression": part.licence}] if part.licence != UNKNOWN else [],
    }
    if part.is_package:
        return described | {"purl": reference(part)}
    files = [{"name": "docintel:file", "value": part.file}]
    carrier = [{"name": "docintel:package", "value": part.carrier}] if part.carrier else []
    return described | {"hashes": [{"alg": "SHA-256", "content": part.sha256}], "properties": [*files, *carrier]}


def reference(part: Component) -> str:
    """A package's address (purl); of what is no package, its file."""
    return f"pkg:pypi/{part.name}@{part.version}" if part.is_package else f"file:{part.file}"


def dependencies(parts: list[Component], references: dict[str, str]) -> list[dict[str, object]]:
    """Who needs whom: the program needs everything, a package what it asks for and carries."""
    needed = {ROOT_REF: ["python", *map(reference, parts)]}
    for part in parts:
        asked = [references[name] for name in part.needs if name in references]
        carried = [reference(each) for each in parts if part.is_package and each.carrier == part.name]
        needed[reference(part)] = [*asked, *carried]
    return [{"ref": ref, "dependsOn": sorted(set(those))} for ref, those in needed.items()]
