"""Random numbers that take as many random bits as they need: candidates are drawn until one is accepted."""

import numpy as np

from ..engine import invalid
from ..math.special import lgamma
from .numbers import box_muller, unit64
from .streams import AHEAD


class Draws:
    """Successive numbers at each of many places of a stream. A block gives two, of which the second comes first.

    Blocks are not shared: normal and uniform numbers at one place come from different blocks.
    """

    def __init__(self, stream, places):
        self.stream, self.next, self.left = stream, places.copy(), {}

    def __call__(self, pair, which):
        """The next number at each of `which` places (others are undefined); `pair` makes two from a block."""
        ready, kept = self.left.setdefault(pair, (np.zeros(which.shape, bool), np.zeros(which.shape)))
        fresh, found = which & ~ready, kept.copy()
        kept[fresh], found[fresh] = pair(self.stream.blocks(1, self.next[fresh])[:, 0]).T
        self.next += fresh
        ready ^= which
        return found


def uniforms(words):
    """Two uniform numbers from each block."""
    return unit64(words.reshape(len(words), 2, 2))


def places_of(shape, samples):
    """The numbers of all distributions in the order in which a stream makes them, distribution by distribution."""
    size = int(np.prod(shape))
    return np.arange(size * samples, dtype=np.uint64).reshape(size, samples).T.reshape(samples, *shape)


def by_size(stream, samples, seldom, few, many, ahead, *parameters):
    """Numbers by a method for small ones, each `ahead` blocks after the one before, or by a method for large ones."""
    places = places_of(seldom.shape, samples)
    found = np.zeros(places.shape)
    for which, numbers, blocks in (seldom, few, ahead), (~seldom, many, AHEAD):
        which = np.broadcast_to(which, places.shape)
        given = [np.broadcast_to(one, places.shape)[which] for one in parameters]
        found[which] = numbers(Draws(stream, places[which] * blocks), *given)
    return found


# ---- Poisson -------------------------------------------------------------------------------------------------------


def counts(stream, rates, samples):
    """Numbers of Poisson distributions with these rates (means): shape `(samples, *rates.shape)`."""
    rates = rates.astype(np.float64)
    if not np.isfinite(rates).all():
        raise invalid(f"the mean of a count must be finite, got {rates}")
    return by_size(stream, samples, rates < 10, few, many, AHEAD, rates)


def few(draws, rates):
    """Poisson numbers of small rates: the count of uniform numbers whose product stays above exp(-rate).

    Knuth, "The Art of Computer Programming", volume 2 (1969).
    """
    product, found, lowest = np.ones(rates.shape), np.zeros(rates.shape), np.exp(-rates)
    open = np.ones(rates.shape, bool)
    while open.any():
        product *= draws(uniforms, open)
        open &= product > lowest
        found += open
    return found


def many(draws, rates):
    """Poisson numbers of large rates, by rejection.

    Hörmann, "The transformed rejection method for generating Poisson random variables" (1993).
    """
    b = 0.931 + 2.53 * np.sqrt(rates)
    a = -0.059 + 0.02483 * b
    alpha = 1.1239 + 1.1328 / (b - 3.4)
    found, open = rates, np.ones(rates.shape, bool)
    while open.any():
        u, v = draws(uniforms, open) - 0.5, draws(uniforms, open)
        edge = 0.5 - np.abs(u)
        k = np.floor((2 * a / edge + b) * u + rates + 0.43)
        likely = np.log(v * alpha / (a / edge**2 + b)) <= k * np.log(rates) - rates - lgamma.np(np.maximum(k, 0) + 1)
        taken = (k >= 0) & likely
        found, open = np.where(open & taken, k, found), open & ~taken
    return found


# ---- binomial ------------------------------------------------------------------------------------------------------


def successes(stream, trials, chances, samples):
    """Numbers of binomial distributions: shape `(samples, *shape)`, where trials and chances broadcast to `shape`."""
    if not np.isfinite(trials).all():
        raise invalid(f"counts must be finite, got {trials}")
    trials, chances = np.broadcast_arrays(trials, chances)
    often = chances > 0.5  # then failures are drawn
    p = np.where(often, 1 - chances, chances)
    possible = (trials > 0) & (p > 0)
    n, q = np.where(possible, trials, 1), np.where(possible, p, 0.5)
    parameters = n.astype(np.float64), q.astype(np.float64)  # but which method is used depends on their own precision
    found = by_size(stream, samples, n * q < 10, few_successes, many_successes, 42, *parameters)
    found = np.where(possible, found, 0)
    found = np.where(often & (trials > 0), trials - found, found)
    return np.where(np.isnan(chances), np.nan, found)


def few_successes(draws, n, p):
    """Binomial numbers of small means: the number of geometrically distributed waiting times that fit into n trials.

    Kachitvichyanukul and Schmeiser, "Binomial random variate generation" (1988).
    """
    waited, found, open = np.zeros(n.shape), np.zeros(n.shape), np.ones(n.shape, bool)
    while open.any():
        waited += np.ceil(np.log(draws(uniforms, open)) / np.log1p(-p))
        open &= waited <= n
        found += open
    return found


def many_successes(draws, n, p):
    """Binomial numbers of large means, by rejection.

    Hörmann, "The generation of binomial random variates" (1993).
    """
    deviation = np.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a, ratio = -0.0873 + 0.0248 * b + 0.01 * p, p / (1 - p)
    alpha = (2.83 + 5.1 / b) * deviation
    middle, mode = n * p + 0.5, np.floor((n + 1) * p)
    found, open = n, np.ones(n.shape, bool)
    while open.any():
        u, v = draws(uniforms, open) - 0.5, draws(uniforms, open)
        edge = 0.5 - np.abs(u)
        k = np.floor((2 * a / edge + b) * u + middle)
        between = (k >= 0) & (k <= n)
        j = np.where(between, k, mode)
        likely = np.log(v * alpha / (a / (edge * edge) + b)) <= (
            (mode + 0.5) * np.log((mode + 1) / (ratio * (n - mode + 1)))
            + (n + 1) * np.log((n - mode + 1) / (n - j + 1))
            + (j + 0.5) * np.log(ratio * (n - j + 1) / (j + 1))
            + (stirling_rest(mode) + stirling_rest(n - mode) - stirling_rest(j) - stirling_rest(n - j))
        )
        taken = between & likely
        found, open = np.where(open & taken, k, found), open & ~taken
    return found


def stirling_rest(k):
    """The error of Stirling's formula for log(k!)."""
    exact = lgamma.np(k + 1) - ((k + 0.5) * np.log(k + 1) - (k + 1) + 0.5 * np.log(2 * np.pi))
    series = (1 / 12 - (1 / 360 - 1 / 1260 / (k + 1) ** 2) / (k + 1) ** 2) / (k + 1)
    return np.where(k <= 9, exact, series)


# ---- gamma ---------------------------------------------------------------------------------------------------------


def gammas(stream, alphas, samples):
    """Numbers of gamma distributions with these shapes alpha and rate 1: shape `(samples, *alphas.shape)`.

    Marsaglia and Tsang, "A simple method for generating gamma variables" (2000).
    """
    places = places_of(alphas.shape, samples) * AHEAD
    alpha = np.broadcast_to(alphas.astype(np.float64), places.shape)
    d = alpha + np.where(alpha < 1, 2 / 3, -1 / 3)
    c = 1 / 3 / np.sqrt(d)
    draws, open = Draws(stream, places), alpha != 1
    found = -np.log1p(-draws(uniforms, ~open))  # of alpha = 1: an exponential distribution
    while open.any():
        x = draws(box_muller, open)
        v = 1 + c * x
        tried, v = open & ~(v <= 0), v * v * v  # nan must not loop forever
        u = draws(uniforms, tried)
        likely = (u < 1 - 0.0331 * (x * x) * (x * x)) | (np.log(u) < 0.5 * x * x + d * (1 - v + np.log(v)))
        found, open = np.where(tried & likely, d * v, found), open & ~(tried & likely)
    return np.where(alpha < 1, found * draws(uniforms, alpha < 1) ** (1 / alpha), found)
