"""A process that does not end when asked; says so when it is ready."""

import signal
import sys
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(600)  # longer than a test may take
sys.exit("nobody stopped me")
