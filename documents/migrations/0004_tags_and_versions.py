"""Tags of documents, and files that replace each other."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("documents", "0003_stages")]

    operations = [
        migrations.RemoveConstraint(model_name="document", name="documents_one_living_copy"),
        migrations.AddField(
            model_name="document", name="replaced_at", field=models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddField(
            model_name="document",
            name="replaces",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="replacements",
                to="documents.document",
            ),
        ),
        migrations.AddField(
            model_name="document",
            name="tags",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=40), blank=True, default=list, size=None
            ),
        ),
        migrations.AddIndex(
            model_name="document",
            index=django.contrib.postgres.indexes.GinIndex(fields=["tags"], name="documents_tags"),
        ),
        migrations.AddConstraint(
            model_name="document",
            constraint=models.UniqueConstraint(
                condition=models.Q(("replaced_at", None), ("trashed_at", None)),
                fields=("base", "sha256"),
                name="documents_one_living_copy",
            ),
        ),
    ]
