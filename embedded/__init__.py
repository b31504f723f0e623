"""PostgreSQL with pgvector, and Redis, from wheels: start, stop and address them without any system server."""
