import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("documents", "0015_words")]

    operations = [
        migrations.AddField(
            model_name="document",
            name="carrier",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="carried",
                to="documents.document",
            ),
        ),
    ]
