"""A process that stands still, as on a machine that does something else."""

import os
import signal
import time

import psutil


def stand_still(seconds: float) -> None:
    """Stop this process; a child of it lets it go on so long after it has stopped, however late that is."""
    pid = os.getpid()
    if not os.fork():
        try:
            while psutil.Process(pid).status() != psutil.STATUS_STOPPED:
                time.sleep(0.01)
            time.sleep(seconds)
            os.kill(pid, signal.SIGCONT)
        finally:
            os._exit(0)
    os.kill(pid, signal.SIGSTOP)
