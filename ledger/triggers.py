"""Insert-only tables: the database refuses to change, delete or empty them, whoever asks."""

import pgtrigger


def insert_only() -> list[pgtrigger.Trigger]:
    """The triggers of an insert-only model, for its `Meta.triggers`."""
    return [
        pgtrigger.Protect(name="no_update", operation=pgtrigger.Update),
        pgtrigger.Protect(name="no_delete", operation=pgtrigger.Delete),
        pgtrigger.Protect(name="no_truncate", operation=pgtrigger.Truncate, level=pgtrigger.Statement),
    ]
