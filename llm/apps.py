"""App configuration."""

from django.apps import AppConfig


class LLMConfig(AppConfig):
    name = "llm"
    default_auto_field = "django.db.models.BigAutoField"
