"""PostgreSQL with pgvector and Redis out of wheels: started, stopped and addressed without any server of the machine."""
