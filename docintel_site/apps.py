"""An app of its own, so that Django finds the commands of the project."""

from django.apps import AppConfig
from django.core.checks import register

from docintel_site.checks import the_version_is_known


class SiteConfig(AppConfig):
    name = "docintel_site"
    verbose_name = "DocIntel"

    def ready(self) -> None:
        register(the_version_is_known)
