"""An app, so that Django finds the project's commands."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "docintel_site"
    verbose_name = "DocIntel"
