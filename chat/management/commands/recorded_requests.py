"""`manage.py recorded_requests`: which requests of the demonstration's questions have no recorded reply."""

import uuid
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from chat.asking import keep_question
from chat.scope import QuestionScope
from chat.turns import demo
from chat.turns.conductor import answer_turn
from chat.turns.recordings import read_recording, recorded_folder, write_unanswered
from documents import access
from documents.ingestion.conductor import ingest_path
from llm.recordings.recorded import playing

BASE_NAME = "Recorded replies"


class Command(BaseCommand):
    help = (
        "Ask the demonstration's recorded questions in a new base, which has learned nothing yet, and write each "
        "request that has no recorded reply to a file. "
        "A later request depends on the reply to the one before: record, and run it again until nothing is written. "
        "What it asks stays on record, so use an installation made for it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--out", type=Path, required=True, help="the folder for the requests")

    def handle(self, *args: Any, out: Path, **options: Any) -> None:
        asker, recording = demo.demo_user(), read_recording()
        base = access.create_base(asker, BASE_NAME)
        document = ingest_path(settings.BASE_DIR / "samples" / demo.ASKED_OF, base, asker)
        with playing(recording):
            for question in demo.RECORDED_QUESTIONS:
                scope = QuestionScope(base, (document,))
                turn = keep_question(asker, scope, question, "balanced", form_id=uuid.uuid4())
                answer_turn(turn.pk)
        for path in write_unanswered(recording.unanswered, out):
            self.stdout.write(f"no reply is recorded for {path}")
        if recording.unanswered:
            self.stdout.write(f"Give each reply a file in {recorded_folder()}, see its README, and run this again.")
        else:
            self.stdout.write("Every request has its recorded reply.")
