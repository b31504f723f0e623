from typing import Any

from django.db import migrations
from django.utils import timezone


def keep_answered_keys(apps: Any, schema_editor: Any) -> None:
    """Give the keys of requests that made a run the retrieval that is looked for now, so that none is done twice."""
    retrievals = apps.get_model("chat", "Retrieval")
    runs = apps.get_model("retrieval", "RetrievalRun")
    for key in apps.get_model("documents", "IdempotencyKey").objects.filter(made__has_key="run"):
        run = runs.objects.only("question", "mode").get(pk=key.made["run"])
        retrieval = retrievals.objects.create(
            base_id=key.base_id,
            user_id=key.user_id,
            question=run.question,
            mode=run.mode,
            state="done",
            run_id=run.pk,
            ended_at=timezone.now(),
        )
        key.made = {"retrieval": str(retrieval.pk)}
        key.save(update_fields=["made"])


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0013_retrievals"),
    ]

    operations = [
        migrations.RunPython(keep_answered_keys, migrations.RunPython.noop, elidable=True),
    ]
