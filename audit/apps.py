"""App configuration."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "audit"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # It tells the settings of a base whether there are questions to check by.
        from audit.review import proposed  # noqa: F401
