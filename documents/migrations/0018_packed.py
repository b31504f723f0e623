import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("documents", "0017_contents_source")]

    operations = [
        migrations.CreateModel(
            name="Packed",
            fields=[
                (
                    "parse",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="packed",
                        serialize=False,
                        to="documents.parse",
                    ),
                ),
                ("version", models.CharField(max_length=40)),
                ("value", models.BinaryField()),
            ],
        ),
        migrations.RunSQL(
            "ALTER TABLE documents_packed ADD CONSTRAINT documents_packed_parse FOREIGN KEY (parse_id)"
            " REFERENCES documents_parse (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED",
            migrations.RunSQL.noop,
        ),
    ]
