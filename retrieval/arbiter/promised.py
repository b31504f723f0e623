"""What a limit on the evidence promises: of questions that nothing answers, how many at most are answered (R54)."""

from collections.abc import Iterator
from math import ceil, exp, lgamma, log, log1p
from typing import NamedTuple

from retrieval.arbiter.evidence import limit_for, read_fit

DOUBT = 0.05  # of a promise that holds with 95 % certainty
HALVINGS = 30  # far below a tenth of a per cent


class Promised(NamedTuple):
    """Questions that nothing answers, and how many of them were answered. `kind` is of their documents."""

    kind: str
    asked: int
    answered: int

    @property
    def at_most(self) -> int:
        """The per cent of such questions that are answered at most, with 95 % certainty, rounded up."""
        return ceil(100 * greatest_share(self.answered, self.asked))


def promises_of(risk_max: int, *, is_read: bool) -> Iterator[Promised]:
    """What was measured at the limit of a risk by halves, for each kind of document or for all together (see `Fit`)."""
    absent = read_fit(is_read).absent.get(limit_for(risk_max, is_read=is_read), {})
    for kind, (answered, asked) in absent.items():
        yield Promised(kind, asked, answered)


def greatest_share(count: int, of: int) -> float:
    """The upper bound of Clopper and Pearson: of a greater share so few would be seen less than once in twenty."""
    low, high = (count / of if of else 1.0), 1.0
    if low == 1.0:
        return 1.0
    for _ in range(HALVINGS):
        share = (low + high) / 2
        low, high = (share, high) if chance_of_so_few(count, of, share) > DOUBT else (low, share)
    return high


def chance_of_so_few(count: int, of: int, share: float) -> float:
    """How probable it is to see at most so many of a share in `of` draws."""
    ways = (lgamma(of + 1) - lgamma(each + 1) - lgamma(of - each + 1) for each in range(count + 1))
    return sum(exp(way + each * log(share) + (of - each) * log1p(-share)) for each, way in enumerate(ways))
