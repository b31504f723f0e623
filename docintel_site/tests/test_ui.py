"""The parts of pages that templates call by name."""

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
