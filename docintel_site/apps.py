"""An app, so that Django finds the project's commands."""

import gc

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "docintel_site"
    verbose_name = "DocIntel"

    def ready(self) -> None:
        """Look for garbage no longer among what was imported until now, which forked workers share, and less often.

        Every 700 objects, as Python does by itself, is a tenth of the time of a page.
        """
        gc.freeze()
        gc.set_threshold(10_000)
