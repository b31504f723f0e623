"""The migration that tells titles a person gave from those a reading found."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from documents.models import Document, KnowledgeBase, Parse

mark_given_titles = import_module("documents.migrations.0006_given_titles").mark_given_titles


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("title", "is_given"),
    [("lease-2021", False), ("What was read", False), ("An older reading", False), ("Ours", True)],
)
def test_a_title_nothing_else_explains_was_given_by_a_person(base: KnowledgeBase, title: str, is_given: bool) -> None:
    document = Document.objects.create(
        base=base, title=title, file_name="lease-2021.pdf", sha256="0" * 64, size_bytes=1
    )
    for number, read in enumerate(("An older reading", " What was \n read "), start=1):
        Parse.objects.create(document=document, number=number, title=read, page_count=1, line_count=1)
    mark_given_titles(apps, connection.schema_editor())
    assert Document.objects.get(pk=document.pk).is_title_given == is_given
