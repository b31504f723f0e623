"""The Django project: settings, URLs, the Celery application, the status page. No product logic."""

import gc
import os

# Next to nothing that a process imports is ever freed, and to look for it takes a fifth of its start: seldom, then,
# until apps.py.
gc.set_threshold(200_000)
# Read when numpy loads its matrix library, whose threads spin for longer than our small products take. With another
# number of them the last recorded digit of a cosine may differ (R27).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from docintel_site.celery import app as celery_app

__all__ = ["celery_app"]
