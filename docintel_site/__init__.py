"""The Django project: settings, addresses, the Celery application, the status of the parts. No logic of the product."""

from docintel_site.celery import app as celery_app

__all__ = ["celery_app"]
