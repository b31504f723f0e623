"""Indexes for the review queue and for candidates by page.

No statistics of context and title: to guess how many rows fit the expression of `retrieval_candidate_instructs`, the
planner would try it on every sampled text, 300 ms a query.
"""

from django.db import migrations, models

# Those already gathered stay in use otherwise; servers before version 18 cannot drop them.
FORGET = """
DO $$ BEGIN
  IF current_setting('server_version_num')::int >= 180000 THEN
    PERFORM pg_clear_attribute_stats(current_schema()::text, 'retrieval_runcandidate', name, false)
    FROM unnest(ARRAY['context_text', 'section_title']) AS name;
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0005_run_words"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="retrievalrun",
            index=models.Index(
                fields=["created_at"],
                condition=models.Q(status__in=["failed", "not_found", "cannot_tell"])
                | models.Q(arbiter_status="not_run")
                | ~models.Q(contradictions=[])
                | ~models.Q(violations=[]),
                name="retrieval_run_risky",
            ),
        ),
        migrations.AddIndex(
            model_name="runcandidate",
            index=models.Index(fields=["anchor_first_page", "role"], name="retrieval_candidate_page"),
        ),
        migrations.RunSQL(
            "ALTER TABLE retrieval_runcandidate ALTER COLUMN context_text SET STATISTICS 0, "
            "ALTER COLUMN section_title SET STATISTICS 0",
            "ALTER TABLE retrieval_runcandidate ALTER COLUMN context_text SET STATISTICS -1, "
            "ALTER COLUMN section_title SET STATISTICS -1",
        ),
        migrations.RunSQL(FORGET, migrations.RunSQL.noop),
    ]
