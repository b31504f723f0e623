"""The scheduler puts every entry of the schedule into its queue by name, and loads nothing of the product for it."""

import json
import os
import subprocess
import sys

from django.conf import settings

PROGRAM = """
import json, sys
from celery.beat import Scheduler
from docintel_site.schedule import app
app.conf.broker_url = "memory://"
app.loader.init_worker()
app.finalize()
scheduler = Scheduler(app)
sent = []
for entry in scheduler.schedule.values():
    scheduler.apply_async(entry, advance=False)
    with app.connection_for_read() as connection:
        queue = connection.SimpleQueue(app.amqp.router.route({}, entry.task)["queue"].name)
        sent.append([queue.queue.name, queue.get(timeout=1).headers["task"]])
print(json.dumps([sent, [name for name in sys.modules if name.endswith((".models", ".tasks"))]]))
"""


def test_every_entry_is_sent_and_nothing_is_loaded() -> None:
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "docintel_site.settings"}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    sent, loaded = json.loads(done.stdout)
    entries = [str(entry["task"]) for entry in settings.CELERY_BEAT_SCHEDULE.values()]
    assert sorted(sent) == sorted([settings.CELERY_TASK_ROUTES[task]["queue"], task] for task in entries)
    assert {name.partition(".")[0] for name in loaded}.isdisjoint(settings.INSTALLED_APPS)
