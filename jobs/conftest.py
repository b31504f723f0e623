"""A kind of job with a table of its own, so that nothing here depends on what other apps do in theirs."""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest
from django.db import connection, models

from jobs.models import LeasedJob


class Errand(LeasedJob):
    """A job that is nothing but one. Its package is no installed app: only these tests make its table."""

    note = models.CharField(max_length=40, blank=True)

    objects: ClassVar[models.Manager["Errand"]] = models.Manager()

    class Meta:
        app_label = "jobs"


Make = Callable[..., Errand]


@pytest.fixture
def make(transactional_db: None) -> Iterator[Make]:
    """Makes a job with the given fields; for threads and committed rows, so the test runs in no transaction."""

    def make_one(**fields: Any) -> Errand:
        errand = Errand.objects.create()
        if fields:
            Errand.objects.filter(pk=errand.pk).update(**fields)
        return Errand.objects.get(pk=errand.pk)

    with connection.schema_editor() as editor:
        editor.create_model(Errand)
    yield make_one
    with connection.schema_editor() as editor:
        editor.delete_model(Errand)
