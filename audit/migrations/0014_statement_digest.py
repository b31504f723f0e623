from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0013_weak_sources_anew"),
    ]

    operations = [
        migrations.AddField(
            model_name="signoff",
            name="statement_digest",
            field=models.CharField(blank=True, default="", max_length=64),
            preserve_default=False,
        ),
    ]
