"""The parts of pages that templates call by name."""

import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.utils import translation


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


def test_a_form_has_its_token_and_its_hidden_fields() -> None:
    template = Template(
        "{% post 'account_logout' css='row' next=page %}<b>{{ page }}</b>{% endpost %}{% post %}{% endpost %}"
    )
    assert template.render(Context({"csrf_token": "t", "page": "a<b"})) == (
        '<form class="row" method="post" action="/accounts/logout/"><input type="hidden" name="csrfmiddlewaretoken" '
        'value="t"><input type="hidden" name="next" value="a&lt;b"><b>a&lt;b</b></form>'
        '<form method="post"><input type="hidden" name="csrfmiddlewaretoken" value="t"></form>'
    )
    assert 'action="/as/given"' in Template("{% post to %}{% endpost %}").render(Context({"to": "/as/given"}))


@pytest.mark.parametrize("form", ["{% post to %}{% endpost %}", "{% press 'Go' '' to %}"])
def test_a_form_that_names_nothing_does_not_post_to_its_own_page(form: str) -> None:
    with pytest.raises(TemplateSyntaxError, match="not defined"):
        Template(form).render(Context())


def test_a_table_without_a_head_is_refused() -> None:
    with pytest.raises(TemplateSyntaxError, match="begins with its head"):
        Template("{% table %}<tr><td>1</td></tr>{% endtable %}").render(Context())


def test_a_tab_says_whether_it_is_the_current_page() -> None:
    tabs = Template(
        "{% tab here 'login' _('In') 'account_login' %}{% tab here 'out' _('Out') 'account_logout' count=0 %}"
    )
    assert tabs.render(Context({"here": "login"})) == (
        '<a href="/accounts/login/" aria-current="page">In</a>'
        '<a href="/accounts/logout/">Out <span class="n">0</span></a>'
    )


def test_a_fact_without_a_value_is_left_out_only_if_asked() -> None:
    assert Template("{% fact _('Why') why %}").render(Context({"why": "a<b"})) == "<dt>Why</dt><dd>a&lt;b</dd>"
    assert Template("{% fact _('Why') why %}").render(Context({"why": ""})) == "<dt>Why</dt><dd></dd>"
    assert Template("{% fact _('Why') why if_any=1 %}").render(Context({"why": ""})) == ""


def test_a_table_puts_its_rows_below_its_head() -> None:
    rows = "{% columns _('A') %}<tr><td>1</td></tr>"
    assert Template("{% table _('All') css='runs' %}" + rows + "{% endtable %}").render(Context()) == (
        '<div class="scroll"><table class="runs"><caption class="sr">All</caption>'
        '<thead><tr><th scope="col">A</th></tr></thead>'
        "<tbody><tr><td>1</td></tr></tbody></table></div>"
    )
    named = Template("{% table _('All') region=1 %}{% columns _('A') roles=1 %}{% endtable %}").render(Context())
    assert named.startswith('<div class="scroll" tabindex="0" role="region" aria-label="All"><table role="table">')
    assert named.endswith('<tbody role="rowgroup"></tbody></table></div>')
    assert (
        Template("{% table bare=1 %}{% columns _('A') %}{% endtable %}").render(Context()).startswith("<table><thead>")
    )


def test_a_button_alone_is_a_form_that_posts() -> None:
    button = Template("{% press _('Again') 'sm' '/again/' sign='retry' page=3 %}").render(Context({"csrf_token": "t"}))
    assert button.startswith('<form method="post" action="/again/"><input type="hidden" name="csrfmiddlewaretoken"')
    assert '<input type="hidden" name="page" value="3"><button class="btn sm" type="submit"><svg' in button
    assert button.endswith("Again</button></form>")
    aloud = Template("{% press '' 'sq' '/away/' sign='cross' aloud=told %}").render(Context({"told": 'Away with "x"'}))
    assert '<button class="btn sq" type="submit" aria-label="Away with &quot;x&quot;"><svg' in aloud


@pytest.mark.parametrize(("language", "told"), [("en", "“a&lt;b”"), ("de", "„a&lt;b“"), ("fr", "«\u00a0a&lt;b\u00a0»")])
def test_words_stand_between_the_marks_of_the_reader_s_language(language: str, told: str) -> None:
    with translation.override(language):
        assert Template("{{ words|in_quotes }}").render(Context({"words": "a<b"})) == told
