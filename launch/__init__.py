"""What bin/run and bin/test do: the environment, the servers, the processes, the checks. Nobody imports it."""
