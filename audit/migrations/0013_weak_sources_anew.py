"""Runs with the sign of a weak source are looked at again: it stood on nearly every answer of some documents."""

from typing import Any

from django.db import migrations


def forget_signs(apps: Any, _editor: Any) -> None:
    """Delete the derived rows of those runs; the sweep derives them anew."""
    signs = apps.get_model("audit", "RunSign").objects
    signs.filter(run__in=signs.filter(name="weak_source").values("run")).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0012_absent"),
    ]

    operations = [migrations.RunPython(forget_signs, migrations.RunPython.noop)]
