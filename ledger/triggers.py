"""Insert-only tables: the database refuses to change, delete or empty them, whoever asks."""

import pgtrigger

# pgtrigger's own Protect knows rows only, and TRUNCATE has none.
REFUSE_TRUNCATE = "RAISE EXCEPTION 'pgtrigger: Cannot truncate rows from % table', TG_TABLE_NAME;"


def insert_only() -> list[pgtrigger.Trigger]:
    """The triggers of an insert-only model, for its `Meta.triggers`."""
    return [
        pgtrigger.Protect(name="no_update", operation=pgtrigger.Update),
        pgtrigger.Protect(name="no_delete", operation=pgtrigger.Delete),
        pgtrigger.Trigger(
            name="no_truncate",
            operation=pgtrigger.Truncate,
            level=pgtrigger.Statement,
            when=pgtrigger.Before,
            func=REFUSE_TRUNCATE,
        ),
    ]
