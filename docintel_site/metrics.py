"""What Prometheus reads, counted from rows and Redis at the moment it asks: the same in every web process."""

import math
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Min, QuerySet, Sum
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from audit.models import RecordCheck, Rejudgement
from chat.models import Answer, Extraction, ModelTest, Retrieval, Turn
from docintel_site.status import count_messages, is_stuck
from documents.models import IngestJob
from jobs.models import LeasedJob
from ledger import chain
from llm.models import Charge, LLMCall
from retrieval.models import RetrievalRun

JOBS: dict[str, type[LeasedJob]] = {
    "document": IngestJob,
    "question": Turn,
    "retrieval": Retrieval,
    "extraction": Extraction,
    "rejudgement": Rejudgement,
    "model_test": ModelTest,
    "record_check": RecordCheck,
}
STAGES_OF_LAST = timedelta(hours=1)
RUNS_MAX = 1000  # of which stage times are taken
QUANTILES = (0.5, 0.95)


def write_metrics() -> bytes:
    """Every metric in the format Prometheus reads."""
    registry = CollectorRegistry()
    registry.register(Installation())
    return generate_latest(registry)


class Installation(Collector):
    """The metrics of this installation, all beginning with `docintel_`."""

    def collect(self) -> Iterator[Metric]:
        yield from queue_metrics()
        yield from job_metrics()
        yield count_rows("answers", "Answers on record, by kind and end.", Answer.objects.all(), "kind", "ended")
        yield count_rows("runs", "Searches on record, by outcome.", RetrievalRun.objects.all(), "status")
        yield from stage_metrics()
        yield from model_metrics()
        yield from ledger_metrics()
        yield gauge("disk_free_bytes", "Free space where the files are.", shutil.disk_usage(settings.HOME).free)


def gauge(name: str, words: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"docintel_{name}", words, value=value)


def age_s(moment: datetime | None) -> float:
    return max(0.0, (timezone.now() - moment).total_seconds()) if moment else 0.0


def queue_metrics() -> Iterator[Metric]:
    """The messages of each queue; the jobs below are the truth, messages only wake workers."""
    waiting = GaugeMetricFamily("docintel_queue_messages", "Messages that wait in a queue.", labels=["queue"])
    for queue, count in count_messages().items():
        waiting.add_metric([queue], count)
    yield waiting


def job_metrics() -> Iterator[Metric]:
    """Rows of work by kind and state, how long the oldest has waited, and those nobody works on any more."""
    rows = GaugeMetricFamily("docintel_jobs", "Jobs that are kept, by kind and state.", labels=["kind", "state"])
    oldest = GaugeMetricFamily(
        "docintel_oldest_waiting_seconds",
        "How long the oldest waiting job has waited, 0 if none does.",
        labels=["kind"],
    )
    stuck = GaugeMetricFamily("docintel_stuck_jobs", "Jobs whose worker gives no sign of life.", labels=["kind"])
    for kind, model in JOBS.items():
        kept: QuerySet[LeasedJob] = model._default_manager.order_by()
        for state, count in kept.values_list("state").annotate(Count("pk")):
            rows.add_metric([kind, state], count)
        oldest.add_metric([kind], age_s(kept.filter(state=LeasedJob.QUEUED).aggregate(at=Min("created_at"))["at"]))
        stuck.add_metric([kind], kept.filter(is_stuck()).count())
    yield from (rows, oldest, stuck)


def count_rows(name: str, words: str, rows: "QuerySet[Any]", *columns: str) -> CounterMetricFamily:
    counts = CounterMetricFamily(f"docintel_{name}", words, labels=columns)
    for *values, count in rows.order_by().values_list(*columns).annotate(Count("pk")):
        counts.add_metric(values, count)
    return counts


def stage_metrics() -> Iterator[Metric]:
    """How long the stages of recent searches took, the slowest first among equals."""
    recent = RetrievalRun.objects.filter(created_at__gte=timezone.now() - STAGES_OF_LAST).order_by("-created_at")
    took: dict[str, list[float]] = {}
    for timings in recent.values_list("timings_ms", flat=True)[:RUNS_MAX]:
        for stage, ms in timings.items():
            if isinstance(ms, int | float):
                took.setdefault(stage, []).append(ms / 1000)
    seconds = GaugeMetricFamily(
        "docintel_run_stage_seconds",
        "Seconds of the stages of searches of the last hour.",
        labels=["stage", "quantile"],
    )
    for stage, times in sorted(took.items()):
        for quantile in QUANTILES:
            seconds.add_metric([stage, str(quantile)], sorted(times)[math.ceil(quantile * len(times)) - 1])
    yield seconds


def model_metrics() -> Iterator[Metric]:
    """Exchanges with models, their tokens and their cost."""
    tokens = CounterMetricFamily("docintel_model_tokens", "Tokens of these.", labels=["model", "direction"])
    cost = CounterMetricFamily("docintel_model_cost", "What these cost by the price list.", labels=["currency"])
    sums = LLMCall.objects.order_by().values_list("model").annotate(Sum("tokens_in"), Sum("tokens_out"))
    for model, tokens_in, tokens_out in sums:
        tokens.add_metric([model, "in"], tokens_in or 0)
        tokens.add_metric([model, "out"], tokens_out or 0)
    for currency, amount in Charge.objects.order_by().values_list("currency").annotate(Sum("amount")):
        cost.add_metric([currency], float(amount))
    yield count_rows("model_calls", "Exchanges with a model.", LLMCall.objects.all(), "model", "outcome")
    yield from (tokens, cost)


def ledger_metrics() -> Iterator[Metric]:
    """The ledger: its length, and what the last check of it found."""
    yield CounterMetricFamily("docintel_ledger_entries", "Entries of the ledger.", value=chain.head().sequence)
    heads = settings.LEDGER_HEADS
    exported = (
        datetime.fromtimestamp(heads.stat().st_mtime, timezone.get_current_timezone()) if heads.exists() else None
    )
    yield gauge("ledger_head_age_seconds", "Since a head of the ledger was last exported.", age_s(exported))
    last = RecordCheck.objects.filter(state=RecordCheck.State.DONE).order_by("-created_at").first()
    yield gauge(
        "ledger_check_age_seconds", "Since the ledger was last checked.", age_s(last.ended_at if last else None)
    )
    yield gauge("ledger_fault", "1 when the last check found the ledger changed.", float(bool(last and last.fault)))
