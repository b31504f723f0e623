"""What a question was taken to ask can be erased, and it and what readers say get entries in the ledger."""

from typing import Any

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


def chain_earlier(apps: Any, schema_editor: Any) -> None:
    """Rows that were kept before they had entries."""
    from chat.answer_record import FEEDBACK, REWRITING

    for model, payload in (("Rewriting", REWRITING), ("Feedback", FEEDBACK)):
        for pk in apps.get_model("chat", model).objects.order_by("pk").values_list("pk", flat=True):
            payload.vouch(pk)


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0004_erasable"),
        ("ledger", "0003_salt"),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="rewriting",
            name="no_update",
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="rewriting",
            trigger=pgtrigger.compiler.Trigger(
                name="no_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='IF to_jsonb(NEW) = to_jsonb(OLD) || \'{"note": "", "rewritten": "", "typed": ""}\'::jsonb THEN RETURN NEW; END IF; RAISE EXCEPTION \'pgtrigger: Cannot update rows from % table\', TG_TABLE_NAME;',
                    hash="ee95b0c15bc8764df3335985a0cc12178761048d",
                    operation="UPDATE",
                    pgid="pgtrigger_no_update_08527",
                    table="chat_rewriting",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.RunPython(chain_earlier, migrations.RunPython.noop),
    ]
