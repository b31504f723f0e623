"""Print what people read of a measurement; everything else is in its output file."""

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

Figures = dict[str, Any]


def print_nothing(figures: Figures) -> None:
    """For measurements that print their figures themselves."""


def print_json(figures: Figures) -> None:
    print(json.dumps(figures, ensure_ascii=False, indent=1))


def print_rows(figures: Figures) -> None:
    for name, figure in figures.items():
        print(f"{name:20}  {figure}")


def print_named(module: str, width: int) -> Callable[[Figures], None]:
    """The figures listed in a module's PRINTED."""

    def show(figures: Figures) -> None:
        for name in import_module(f"benchmarks.{module}").PRINTED:
            print(f"{name:{width}}  {figures[name]}")

    return show


def print_strategies(figures: Figures) -> None:
    """A table in Markdown, as docs/benchmarks.md has it."""
    rows = figures["strategies"]
    names = [name for name in next((row for row in rows if "questions" in row), {}) if name not in ("set", "strategy")]
    print(f"| set | strategy | {' | '.join(name.replace('_', ' ') for name in names)} |")
    print("|---" * (len(names) + 2) + "|")
    for row in rows:
        cells = [row["not_run"]] if "not_run" in row else [str(row[name]) for name in names]
        print(f"| {row['set']} | {row['strategy']} | {' | '.join(cells)} |")


def print_contextual(figures: Figures) -> None:
    print_strategies(figures)
    for row in figures["documents"]:
        print("  ".join(f"{name} {value}" for name, value in row.items()))


def print_weights(figures: Figures) -> None:
    for when in ("before", "after"):
        for half, found in figures[when].items():
            print(f"{when:7} {half:9} {found['measure']:.4f}  {found['sets']}")
    print(f"changed: {figures['changed'] or 'nothing'}; held-out half no worse: {figures['held_out_is_no_worse']}")


def print_confidence(figures: Figures) -> None:
    print(f"intercept {figures['intercept']}, {figures['weights']}, unknown {figures['unknown']}")
    for row in figures["curve"]:
        print("  ".join(f"{name} {value}" for name, value in row.items()))
    for name, found in figures["sets"].items():
        print(f"{name:14}  {found['questions']}  area {found['area']}")
        for limit, costs in found["costs"].items():
            print(f"  from {limit}: {costs}")


def print_wording(figures: Figures) -> None:
    words = figures["words"]
    print(f"{len(words)} words and alternatives; those that fire on one question only, and its set:")
    for row in words:
        if sum(row["counts"].values()) == 1:
            [name] = [name for name, count in row["counts"].items() if count]
            print(f"{name:14}  {row['file']}  {row['section']}  {row['text']}")


def print_answers(figures: Figures) -> None:
    for name, found in figures.items():
        print(name)
        print_named("answers", 24)(found)


def print_cases(figures: Figures) -> None:
    for row in figures["rows"]:
        print(f"{row['verdict']:8}  {row['id']:28}  {row['outcome']} {row['confidence']:.2f}  {row['headline'][:90]}")
    print_named("cases", 10)(figures)


def print_fields(figures: Figures) -> None:
    for name, counts in figures["counts"].items():
        print(f"{name:8}  " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))


def print_pages(figures: Figures) -> None:
    print(f"commit {figures['commit']}, load {figures['load']}")
    for name, row in {**figures["pages"], "pictures of pages": figures["images"]}.items():
        print(f"{name:34}  {row}")


def print_retrieval(figures: Figures) -> None:
    if "replies" in figures:
        asked, missing = figures["replies"]["asked"], figures["replies"]["missing"]
        print(f"{asked} requests, {len(missing)} without a kept reply")
    if figures["settings"].get("scope") == "base":
        print_scope(figures)
    else:
        print_documents(figures)


def print_scope(figures: Figures) -> None:
    print(f"{figures['questions']} questions of {figures['documents']} documents at once, commit {figures['commit']}")
    print_named("scope", 28)(figures)


def print_documents(figures: Figures) -> None:
    """The table people read: one row a method, the same columns."""
    columns = ["1", "3", "5", "10", "pool"]
    print(f"{figures['questions']} questions, commit {figures['commit']}, arbiter {figures['settings']['arbiter']}")
    print(f"{'gold page among the first':28}" + "".join(f"{column:>8}" for column in columns))
    rows = {"docintel": figures, **figures["baselines"]}
    for name, row in rows.items():
        cells = [row["page_hit"].get(column) for column in columns]
        print(f"{name:28}" + "".join(f"{'–' if cell is None else format(cell, '.3f'):>8}" for cell in cells))
    for name in (
        "section_hit",
        "literal_anchor_rate",
        "cut_anchor_rate",
        "false_not_found",
        "absent_refused",
        "not_found",
        "confidence_area",
        "vectors_on",
    ):
        print(f"{name:28}  {figures[name]}")
    for kind, shares in figures["outcomes"].items():
        print(f"{kind + ' questions':28}  {shares}")
    latency = figures["latency_ms"]
    print(f"{'latency_ms':28}  p50 {latency['p50']}, p95 {latency['p95']}")
    for stage, figure in latency["by_stage"].items():
        print(f"{'  ' + stage:28}  p50 {figure['p50']}, p95 {figure['p95']}")
