"""A kind of job with its own table, so that these tests do not depend on other apps."""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest
from django.db import connection, models

from jobs.models import LeasedJob


class Errand(LeasedJob):
    """A bare job. Its package is not an installed app: only these tests create its table."""

    note = models.CharField(max_length=40, blank=True)

    objects: ClassVar[models.Manager["Errand"]] = models.Manager()

    class Meta:
        app_label = "jobs"


Make = Callable[..., Errand]


@pytest.fixture
def make(transactional_db: None) -> Iterator[Make]:
    """Make a job with the given fields; committed, for tests with threads."""

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
