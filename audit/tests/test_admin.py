"""The admin shows every record; docintel_site/tests/test_administration.py has it that it changes none."""

import pytest

from accounts.models import User
from audit.conftest import House, MakeAnswer, MakeRun
from chat.models import Answer, Citation
from ledger.models import Entry
from retrieval.models import RetrievalRun, RunCandidate


@pytest.fixture
def superuser(db: None) -> User:
    return User.objects.create_superuser("root@example.org", "a long pass phrase")


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
