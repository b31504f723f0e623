"""An app, so that Django finds the project's commands."""

import gc

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "docintel_site"
    verbose_name = "DocIntel"

    def ready(self) -> None:
        """Collect garbage from now on, seldom, and never among all that was imported; forked workers share it.

        Every 700 objects, as Python does by itself, is a tenth of the time of a page.
        """
        gc.freeze()
        gc.set_threshold(10_000)
        gc.enable()
