"""The admin shows the records and changes nothing."""

import pytest
from django.contrib import admin
from django.test import RequestFactory

from accounts.models import User
from audit.admin import ReadOnlyAdmin
from audit.tests.conftest import House, MakeAnswer, MakeRun
from chat.models import Answer, Citation
from ledger.models import Entry
from llm.models import LLMCall
from retrieval.models import RetrievalRun, RunCandidate

RECORDS = [RetrievalRun, RunCandidate, LLMCall, Answer, Citation, Entry]


@pytest.fixture
def superuser(db: None) -> User:
    return User.objects.create_superuser("root@example.org", "a long pass phrase")


@pytest.mark.parametrize("model", RECORDS)
def test_it_may_look_and_nothing_else(superuser: User, model: type) -> None:
    registered = admin.site._registry[model]
    assert isinstance(registered, ReadOnlyAdmin)
    request = RequestFactory().get("/")
    request.user = superuser
    assert registered.has_view_permission(request)
    assert not registered.has_add_permission(request)
    assert not registered.has_change_permission(request)
    assert not registered.has_delete_permission(request)


def test_it_opens_every_list_and_record(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, superuser: User, signed_in: object
) -> None:
    make_answer(make_run())
    client = signed_in(superuser)  # type: ignore[operator]
    for model in (RetrievalRun, RunCandidate, Answer, Citation, Entry):
        root = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        row = model._default_manager.all()[0]
        assert client.get(root).status_code == 200
        assert client.get(f"{root}{row.pk}/change/").status_code == 200
        assert client.post(f"{root}{row.pk}/delete/", {"post": "yes"}).status_code == 403
        assert client.get(f"{root}add/").status_code == 403
