"""The modules of the product, for tests that look at all of them."""

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
APPS = (
    "accounts",
    "audit",
    "chat",
    "docintel_site",
    "documents",
    "embedded",
    "jobs",
    "launch",
    "ledger",
    "llm",
    "reading",
    "retrieval",
)
LEFT_OUT = {"tests", "conftest", "migrations", "__main__"}


def modules() -> Iterator[ModuleType]:
    """Every module of the product, imported; tests, migrations and programs left out."""
    importlib.import_module("docintel_site.urls")  # first: some modules are named by settings that others read
    for app in APPS:
        package = importlib.import_module(app)
        for found in pkgutil.walk_packages(package.__path__, f"{app}."):
            if not LEFT_OUT & set(found.name.split(".")):
                yield importlib.import_module(found.name)


def sources() -> Iterator[Path]:
    """The files of those modules."""
    for app in APPS:
        yield from (path for path in (ROOT / app).rglob("*.py") if not LEFT_OUT & {*path.parts, path.stem})
