from django.db import migrations, models


class Migration(migrations.Migration):
    """So that a program of before, which does not know the column, can still sign during an upgrade."""

    dependencies = [
        ("audit", "0014_statement_digest"),
    ]

    operations = [
        migrations.AlterField(
            model_name="signoff",
            name="statement_digest",
            field=models.CharField(blank=True, db_default="", max_length=64),
        ),
    ]
