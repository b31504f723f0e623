"""Which titles a person gave: those that are neither the file's name nor what a reading found."""

import os

from django.db import migrations, models

TITLE_MAX = 300


def mark_given_titles(apps, schema_editor):  # type: ignore[no-untyped-def]
    document_rows = apps.get_model("documents", "Document").objects
    for document in document_rows.prefetch_related("parses").only("title", "file_name").iterator(chunk_size=500):
        read = {" ".join(parse.title.split())[:TITLE_MAX] for parse in document.parses.all()}
        named_after = (os.path.splitext(document.file_name)[0] or document.file_name)[:TITLE_MAX]
        if document.title not in {named_after, *read}:
            document_rows.filter(pk=document.pk).update(is_title_given=True)


class Migration(migrations.Migration):
    dependencies = [("documents", "0005_idempotency_keys")]

    operations = [
        migrations.AddField(model_name="document", name="is_title_given", field=models.BooleanField(default=False)),
        migrations.RunPython(mark_given_titles, migrations.RunPython.noop),
    ]
