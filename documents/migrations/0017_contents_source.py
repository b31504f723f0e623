from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("documents", "0016_carriers")]

    operations = [
        migrations.AddField(
            model_name="document",
            name="contents_source",
            field=models.CharField(default="automatic", max_length=20),
        ),
    ]
