"""Quality and speed on real documents. It uses the project; nothing in the project uses it."""
