"""The import contracts of pyproject.toml hold; they are the architecture of docs/architecture.md."""

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.product import sources

ROOT = Path(__file__).resolve().parent.parent
MODULES_MAX = 20
FUNCTION_LINES_MAX = 60  # without the docstring: what a screen shows


def test_imports_point_back() -> None:
    command = [sys.executable, "-c", "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_web_process_loads_nothing_that_opens_pdfs() -> None:
    """Hostile bytes are opened in a limited child only; and the library alone is 40 MB and half a second."""
    program = (
        "import sys; import docintel_site.asgi; from django.urls import get_resolver; get_resolver().url_patterns;"
        " import documents.ingestion.conductor, documents.ingestion.tasks; print([name for name in sys.modules if "
        "'pymupdf' in name])"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "docintel_site.settings"}
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_framework_and_no_hosted_vector_store_is_asked_for() -> None:
    """R94; what measures compare with is never installed by the program, its tests or its images."""
    left_out = r"langchain|llama|haystack|chroma|pinecone|qdrant|weaviate|milvus|faiss"
    files = {*ROOT.glob("requirements*.txt")} - {ROOT / "requirements-bench.txt"}
    asked_for = [path.read_text(encoding="utf-8") for path in files]
    assert asked_for and re.findall(rf"^\S*(?:{left_out})\S*", "\n".join(asked_for), re.MULTILINE) == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    empty_words = {"utils", "util", "helpers", "common", "base", "core", "misc", "manager", "services"}
    own = [path for path in ROOT.glob("*/**/*.py") if not {".venv", "var"} & {*path.relative_to(ROOT).parts}]
    assert [str(path) for path in own if path.stem in empty_words] == []


def test_every_folder_is_in_the_picture_and_none_is_crowded() -> None:
    """docs/architecture.md shows the tree; a folder of more modules than fit on a screen hides what it is for."""
    picture = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"[\w.]+(?=/)", picture.partition("## Folders")[2].partition("\n## ")[0]))
    folders: dict[Path, int] = Counter(path.parent for path in sources() if path.name != "__init__.py")
    own = {folder for folder in folders if not {"management", "templatetags", "packs"} & {*folder.parts}}
    assert {folder.name for folder in own} - shown == set()
    assert {str(folder): modules for folder, modules in folders.items() if modules > MODULES_MAX} == {}


def test_every_function_fits_on_a_screen() -> None:
    lengths = {
        f"{path.relative_to(ROOT)}: {node.name}": node.body[-1].end_lineno - node.lineno + 1 - docstring_lines(node)
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.body[-1].end_lineno
    }
    assert {name: lines for name, lines in lengths.items() if lines > FUNCTION_LINES_MAX} == {}


def docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = node.body[0]
    return (first.end_lineno or 0) - first.lineno + 1 if ast.get_docstring(node) else 0
