"""The Django project: settings, URLs, the Celery application, the status page. No product logic."""

from docintel_site.celery import app as celery_app

__all__ = ["celery_app"]
