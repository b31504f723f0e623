"""The code of bin/run and bin/test: environment, servers, processes, checks. Nothing imports it."""
