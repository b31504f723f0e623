"""Bases can be deleted, and a parse knows whether a run refers to it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("documents", "0001_initial")]

    operations = [
        migrations.AddField("knowledgebase", "deleted_at", models.DateTimeField(blank=True, null=True)),
        # Runs of before did not say which parses they used: all that exist are kept.
        migrations.AddField("parse", "is_recorded", models.BooleanField(default=True)),
        migrations.AlterField("parse", "is_recorded", models.BooleanField(default=False)),
    ]
