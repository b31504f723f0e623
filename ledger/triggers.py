"""Insert-only tables: the database refuses to update, delete or truncate them."""

import json
from collections.abc import Mapping

import pgtrigger

# pgtrigger's own Protect works per row, and TRUNCATE has none.
REFUSE_TRUNCATE = "RAISE EXCEPTION 'pgtrigger: Cannot truncate rows from % table', TG_TABLE_NAME;"
REFUSE_UPDATE = "RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;"


def insert_only(*, may_delete: bool = False) -> list[pgtrigger.Trigger]:
    """The triggers of an insert-only model, for its `Meta.triggers`."""
    return [pgtrigger.Protect(name="no_update", operation=pgtrigger.Update), *build_keeping_triggers(may_delete)]


def erasable(blank: Mapping[str, object]) -> list[pgtrigger.Trigger]:
    """Triggers of an insert-only model whose content may be erased: all `blank` columns at once, and nothing else."""
    erased = json.dumps(blank, sort_keys=True).replace("'", "''")
    allow = f"IF to_jsonb(NEW) = to_jsonb(OLD) || '{erased}'::jsonb THEN RETURN NEW; END IF; "
    update = pgtrigger.Trigger(
        name="no_update", operation=pgtrigger.Update, when=pgtrigger.Before, func=allow + REFUSE_UPDATE
    )
    return [update, *build_keeping_triggers(may_delete=False)]


def build_keeping_triggers(may_delete: bool) -> list[pgtrigger.Trigger]:
    no_truncate = pgtrigger.Trigger(
        name="no_truncate",
        operation=pgtrigger.Truncate,
        level=pgtrigger.Statement,
        when=pgtrigger.Before,
        func=REFUSE_TRUNCATE,
    )
    return ([] if may_delete else [pgtrigger.Protect(name="no_delete", operation=pgtrigger.Delete)]) + [no_truncate]
