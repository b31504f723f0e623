"""Rows that one worker at a time works on: claimed with a lease, kept by a heartbeat, swept up if a worker dies."""
