"""The settings of a worker that a test kills: a dead one is noticed after seconds instead of a minute."""

from docintel_site.settings import *
from docintel_site.settings import CELERY_BEAT_SCHEDULE

LEASE_S = 4
ATTEMPTS_MAX = 100  # one that stood still for so long is taken for dead too
SWEEP_EVERY_S = 1
CELERY_BEAT_SCHEDULE = {"documents": {**CELERY_BEAT_SCHEDULE["documents"], "schedule": SWEEP_EVERY_S}}
