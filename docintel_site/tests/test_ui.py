"""The parts of pages that templates call by name."""

import re

import pytest
from django.template import Context, Template


def test_the_head_of_a_table_marks_columns_of_numbers_and_those_only_read_aloud() -> None:
    template = Template("{% load ui %}{% columns name 'num' _('Votes') 'sr' _('End') roles=1 %}")
    head = template.render(Context({"name": "a < b"}))
    assert head == (
        '<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">a &lt; b</th>'
        '<th scope="col" role="columnheader" class="num">Votes</th>'
        '<th scope="col" role="columnheader"><span class="sr">End</span></th></tr></thead>'
    )
    assert Template("{% load ui %}{% columns _('Role') %}").render(Context()) == (
        '<thead><tr><th scope="col">Role</th></tr></thead>'
    )


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("| Role | <CISO> | – |", ["Role", "&lt;CISO&gt;", "–"]),
        ("“| Role | CISO |” ", ["“Role", "CISO”"]),
        ("It says “| Role | CISO |”", ["It says “Role", "CISO”"]),
        ("| A | B | | C | D |", ["A", "B", "C", "D"]),
        ("Role | CISO", ["Role", "CISO"]),
    ],
)
def test_the_cells_of_a_markdown_row_are_drawn_as_cells(text: str, drawn: list[str]) -> None:
    shown = Template("{% load ui %}{{ text|in_cells }}").render(Context({"text": text}))
    assert [" ".join(cell.split()) for cell in re.findall(r'<span class="cell">(.*?)</span>', shown)] == drawn
    assert "|" not in shown


@pytest.mark.parametrize("text", ["The fee is 12 EUR.", "P(A|B) = |x|", "a || b", " and "])
def test_other_text_is_drawn_as_it_is(text: str) -> None:
    assert Template("{% load ui %}{{ text|in_cells }}").render(Context({"text": text})) == text
