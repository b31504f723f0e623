"""What an installation is made of, with versions and licences: its packages, and what comes inside of them."""

import hashlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageMetadata, PackageNotFoundError, distribution, distributions
from pathlib import Path
from typing import TypedDict, cast

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from docintel_site.settings import BASE_DIR

TABLE = Path(__file__).with_name("licences.toml")
OF_A_CLASSIFIER = re.compile(r"License :: (?:OSI Approved :: )?(.+)")
UNKNOWN = ""


class Licences(TypedDict):
    """The table of licences.toml: by name of a package, by what packages write, and of what is no package."""

    packages: dict[str, str]
    wording: dict[str, str]
    carried: list[dict[str, str]]


@dataclass(frozen=True)
class Component:
    """A package, or what is no package and comes inside one."""

    name: str
    version: str
    licence: str  # an SPDX expression; UNKNOWN if none can be told
    type: str = "library"
    carrier: str = ""  # the package it comes in
    file: str = ""  # of what is no package
    sha256: str = ""  # of that file
    needs: tuple[str, ...] = ()  # names of packages

    @property
    def is_package(self) -> bool:
        return not self.file


def find_parts() -> list[Component]:
    """Everything installed, by name: packages, then what they and the program carry."""
    table = cast("Licences", tomllib.loads(TABLE.read_text(encoding="utf-8")))
    packages = {canonicalize_name(each.metadata["Name"]): each for each in distributions()}
    found = [
        Component(name, each.version, licence_of(name, each, table), needs=tuple(sorted(set(needed_by(each)))))
        for name, each in sorted(packages.items())
    ]
    return [*found, *carried_parts(table["carried"])]


def needed_by(package: Distribution) -> Iterator[str]:
    """The installed packages that one asks for, whatever its extras."""
    for line in package.requires or []:
        asked = Requirement(line)
        if asked.marker is None or asked.marker.evaluate({"extra": ""}):
            yield canonicalize_name(asked.name)


def licence_of(name: str, package: Distribution, table: Licences) -> str:
    """The licence a package declares as an expression, else what the table says of it, else of its words."""
    said = package.metadata
    declared = one_of(said, "License-Expression") or table["packages"].get(name)
    if declared:
        return str(declared)
    names = [match[1] for line in said.get_all("Classifier", []) if (match := OF_A_CLASSIFIER.fullmatch(line))]
    words = [one_of(said, "License"), *(names if len(names) == 1 else [])]
    told = [table["wording"][each.strip().lower()] for each in words if each.strip().lower() in table["wording"]]
    return told[0] if told else UNKNOWN


def one_of(said: PackageMetadata, name: str) -> str:
    """The value of a field that stands at most once; empty if it is absent."""
    return str((said.get_all(name) or [""])[0])


def carried_parts(listed: list[dict[str, str]]) -> Iterator[Component]:
    """What is no package, where it is there."""
    for each in listed:
        try:
            package = distribution(each["in"]) if each["in"] else None
        except PackageNotFoundError:
            continue
        path = Path(str(package.locate_file(each["file"]))) if package else BASE_DIR / each["file"]
        if path.exists():
            content = path.read_bytes()
            version = find_version(each.get("version"), content, package)
            digest = hashlib.sha256(content).hexdigest()
            yield Component(each["name"], version, each["licence"], each["type"], each["in"], each["file"], digest)


def find_version(pattern: str | None, content: bytes, package: Distribution | None) -> str:
    """The version a file says it has; that of its package, without the count of its wheels, if it says none."""
    if pattern:
        match = re.search(pattern.encode(), content)
        return match[1].decode() if match else ""
    return package.version.partition(".post")[0] if package else ""
