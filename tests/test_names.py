"""One word, one thing: a name leads to one definition, and the name of a function says what it does."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
NO_PRODUCT = {".venv", "var", "tests", "migrations", "benchmarks", "samples", "docs"}

# Names that a framework or Python itself gives.
CONVENTIONS = {"Command", "main"}
# One interface in two modules, see embedded.servers.EmbeddedServer.
ALIKE = {"embedded.postgres", "embedded.redis"}
# A task of the queue bears the name of the one step it runs.
TASKS = {"chat.turns.tasks", "documents.ingestion.tasks", "audit.keeping.tasks", "audit.review.tasks"}

# Those that are also an imperative (put, read, run, set, cut) are no riddle and not listed.
IRREGULAR = {
    *("begun", "bound", "broken", "brought", "built", "caught", "chosen", "done", "drawn", "driven", "fallen", "felt"),
    *("forgotten", "found", "frozen", "given", "gone", "got", "grown", "heard", "held", "hidden", "kept", "known"),
    *("laid", "led", "left", "lent", "lost", "made", "meant", "met", "paid", "said", "seen", "sent", "shown", "sold"),
    *("sought", "spent", "stood", "sworn", "taken", "taught", "thought", "told", "torn", "understood", "won", "worn"),
    *("written",),
}
# A reader of a call cannot guess what comes back from these.
RIDDLES = {"beside", "each", "found", "said", "tell", "told"}
IMPERATIVES = {"embed", "feed", "need", "proceed", "seed", "speed", "succeed"}


class Defined(NamedTuple):
    """A function, method or class of the product."""

    module: str
    name: str
    is_class: bool
    is_at_top: bool


@cache
def defined() -> list[Defined]:
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        inside = path.relative_to(ROOT)
        if not NO_PRODUCT & {*inside.parts} and path.name != "conftest.py":
            module = ".".join(inside.with_suffix("").parts).removesuffix(".__init__")
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found += [
                Defined(module, node.name, isinstance(node, ast.ClassDef), node in tree.body)
                for node in ast.walk(tree)
                if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            ]
    return found


def definitions(*, is_class: bool) -> dict[str, list[str]]:
    """The modules in which each name is defined at the top level."""
    modules: dict[str, list[str]] = defaultdict(list)
    for each in defined():
        if each.is_at_top and each.is_class is is_class and each.name not in CONVENTIONS:
            modules[each.name].append(each.module)
    return modules


def functions() -> dict[str, list[str]]:
    return definitions(is_class=False)


def is_participle(name: str) -> bool:
    word = name.strip("_").lower()
    is_regular = word.endswith("ed") and word not in IMPERATIVES
    return "_" not in word and (is_regular or word in IRREGULAR or word.removeprefix("un") in IRREGULAR)


def is_hard_to_find(modules: list[str]) -> bool:
    """Whether a function's name leads to three modules, or to two of one app."""
    apps = [module.partition(".")[0] for module in modules]
    return len(modules) > 2 or len({*apps}) < len(apps)


def test_no_two_classes_have_the_same_name() -> None:
    twice = {name: modules for name, modules in definitions(is_class=True).items() if len(modules) > 1}
    assert twice == {}


def test_no_function_is_called_by_a_bare_participle() -> None:
    assert {name: modules for name, modules in functions().items() if is_participle(name)} == {}


def test_the_name_of_a_function_leads_to_it() -> None:
    own = {name: [module for module in modules if module not in ALIKE | TASKS] for name, modules in functions().items()}
    assert {name: modules for name, modules in own.items() if is_hard_to_find(modules)} == {}


def test_no_function_or_method_is_called_by_a_word_that_says_nothing() -> None:
    called = [(each.module, each.name) for each in defined() if not each.is_class and each.name.strip("_") in RIDDLES]
    assert called == []


def test_what_counts_as_a_participle() -> None:
    names = ["kept", "_told", "unvouched", "levelled", "ungiven", "keep_answer", "kept_pages", "embed", "read", "stem"]
    assert [name for name in names if is_participle(name)] == ["kept", "_told", "unvouched", "levelled", "ungiven"]
