"""Quality and speed on real documents. Uses the project; nothing in the project uses it."""
