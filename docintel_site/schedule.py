"""What runs the schedule: `celery -A docintel_site.schedule beat`. It sends tasks by their names, and so loads none."""

from celery import Celery

# Without the fixup for Django, which loads every model to check it.
app = Celery("docintel-schedule", fixups=[], set_as_current=False)
app.config_from_object("django.conf:settings", namespace="CELERY")
