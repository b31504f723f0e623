"""A process that does not end when asked; says so when it is ready."""

import signal
import sys
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(60)
sys.exit("nobody stopped me")
