"""An app of its own, so that Django finds the commands of the project."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "docintel_site"
    verbose_name = "DocIntel"
