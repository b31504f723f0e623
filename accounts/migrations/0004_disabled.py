"""Tells a disabled account from one whose person has not arrived; until now both were merely inactive."""

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db import migrations, models
from django.db.models import Q
from django.utils import timezone


def mark_disabled(apps, schema_editor):
    """Whoever is inactive and was here once (signed in, or had a password) was disabled; their open links close."""
    User = apps.get_model("accounts", "User")
    has_password = ~Q(password="") & ~Q(password__startswith=UNUSABLE_PASSWORD_PREFIX)
    was_here = Q(last_login__isnull=False) | has_password
    User.objects.filter(was_here, is_active=False, disabled_at=None).update(disabled_at=timezone.now())
    apps.get_model("accounts", "Invitation").objects.filter(used_at=None, user__disabled_at__isnull=False).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_invitation"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="disabled_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="user",
            name="enabled_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.RunPython(mark_disabled, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.CheckConstraint(
                condition=Q(is_active=False) | Q(disabled_at=None), name="accounts_disabled_is_inactive"
            ),
        ),
    ]
