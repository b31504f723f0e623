"""How long servers are waited for: seconds of a usual machine, times what the settings have said at their start."""

_times = 1.0


def be_patient(times: float) -> None:
    """Wait so many times as long as on a usual machine, from now on."""
    global _times
    _times = times


def wait_of(usual_s: float) -> float:
    """Seconds to wait where a usual machine needs at most `usual_s`."""
    return usual_s * _times
