"""Rows that one worker at a time works on: claimed with a lease, kept alive by a heartbeat, swept up when a worker died."""
