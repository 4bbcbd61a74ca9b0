"""The values that a trace keeps: recent arrays themselves; of older ones, a few numbers and a thumbnail.

The array of a Tensor is never written to, so a trace need not look at it while the program waits.
"""

import cmath
import functools
import math as python_math
import weakref
from collections import deque
from typing import Any, NamedTuple

import numpy as np

from ..engine.backward import stacked
from ..engine.listening import listeners_only
from ..engine.rules import Batched
from ..errors import unwarned, visible

SMALL = 256  # values of up to this many elements are kept whole
SAMPLE = 8  # how many elements of a larger value are kept
ROWS, COLUMNS = 12, 16  # the maximum size of a thumbnail
PAGE, LEAST = 1 << 20, 1 << 14  # a page of values is full after 1 MB; each value counts for some bytes more
MOST_HELD = 12 << 20  # bytes of arrays that a trace holds; beyond that, the oldest are measured and released
OLDER = 12  # the share (1/12) for arrays from which no film can be made
SMALLEST_SQUARE = 1e-30  # a smaller sum of squares may have lost some to underflow
LONG = 16  # from this block length on, one NumPy reduction is as fast as several comparisons
# the types of single numbers; None is the result of an op without outputs
SCALARS = frozenset([type(None), *[np.dtype(letter).type for letter in np.typecodes["All"] if letter not in "SUVO"]])


class Measures(NamedTuple):
    """The minimum, maximum and norm of an array's finite numbers, and how many of all are 0, nan, inf and -inf."""

    low: float
    high: float
    norm: float
    zeros: int
    nan: int
    inf: int
    minus_inf: int
    thumb: "np.ndarray | None"  # at most 12 x 16 numbers, each the largest in absolute value of its block

    @property
    def finite(self) -> bool:
        return not (self.nan or self.inf or self.minus_inf)


def measured(arrays) -> list:
    """The Measures of arrays of one shape and dtype; None for strings. In bulk, each takes a tenth of the time."""
    first = arrays[0]
    if first.dtype.kind not in "biufc" or not first.size:
        return [None] * len(arrays)
    return unwarned(measures_of, arrays)


def measures_of(arrays) -> list:
    count, shape, size = len(arrays), arrays[0].shape, arrays[0].size
    grid = (size // shape[-1], shape[-1]) if sum(n > 1 for n in shape) > 1 else (1, size)
    grids = [array.reshape(grid) for array in arrays]
    stack = floats(np.concatenate(grids) if count > 1 else grids[0]).reshape(count, *grid)
    flat = stack.reshape(count, size)
    squares, zeros = np.vecdot(flat, flat).tolist(), [int(np.count_nonzero(one)) for one in flat == 0]
    high, low = thumbnails(stack)
    thumbs = np.where(high + low >= 0, high, low) if shape else [None] * count
    found = zip(flat, low.min((1, 2)).tolist(), high.max((1, 2)).tolist(), squares, zeros, thumbs)
    return [Measures(a, b, s**0.5, z, 0, 0, 0, thumb) if SMALLEST_SQUARE < s < python_math.inf
            else careful_measures(one, z, thumb) for one, a, b, s, z, thumb in found]  # fmt: skip


def floats(array):
    """The numbers of an array in a float dtype suitable for sums; for complex numbers, their absolute values."""
    array = np.abs(array) if array.dtype.kind == "c" else array
    return array if array.dtype.kind == "f" and array.dtype.itemsize > 2 else array.astype(float)


def careful_measures(flat, zeros, thumb) -> Measures:
    """The Measures of an array that is not all finite, or whose squares overflow or underflow."""
    if zeros == flat.size:
        return Measures(0.0, 0.0, 0.0, zeros, 0, 0, 0, thumb)
    nan, inf, minus_inf = (int(np.count_nonzero(one)) for one in (np.isnan(flat), flat == np.inf, flat == -np.inf))
    numbers = flat[np.isfinite(flat)].astype(float)
    low, high = (numbers.min(), numbers.max()) if numbers.size else (python_math.nan, python_math.nan)
    return Measures(low, high, careful_norm(numbers), zeros, nan, inf, minus_inf, thumb)


def careful_norm(numbers) -> float:
    """The norm of finite numbers whose squares may overflow or underflow."""
    top = np.abs(numbers).max(initial=0.0)
    return float(top * np.linalg.norm(numbers / top)) if top else 0.0


def thumbnails(stack) -> list:
    """The maximum and the minimum of each block of each array of a stack, with at most 12 x 16 blocks."""
    _, rows, columns = stack.shape
    down, across = -(-rows // ROWS), -(-columns // (COLUMNS if rows > 1 else ROWS * COLUMNS))
    return [pooled(f, pooled(f, stack, 1, down), 2, across) for f in (np.maximum, np.minimum)]


def pooled(f, stack, axis, length):
    """Reduce each block of this length along an axis by f (np.maximum or np.minimum); the last block may be shorter."""
    if length == 1:
        return stack
    whole, rest = np.split(stack, [stack.shape[axis] // length * length], axis)
    blocks = whole.reshape(*stack.shape[:axis], -1, length, *stack.shape[axis + 1 :])
    best = f.reduce(blocks, axis + 1) if length >= LONG else functools.reduce(f, np.moveaxis(blocks, axis + 1, 0))
    return np.concatenate([best, f.reduce(rest, axis, keepdims=True)], axis) if rest.size else best


class Held:
    """The values of a trace on pages, in order of time. When they take too many bytes, the oldest are released.

    They are measured first if a film may still need them: if the tape asked last (or else opened last), or the oldest
    living one, was already open, or was opened while they were the value of a Variable.
    """

    def __init__(self):
        self.page, self.room, self.older, self.bytes = [], PAGE, deque(), 0
        self.turned, self.opened = 0, {}  # the number of full pages, and what it was when each living tape was opened
        self.last, self.asked = python_math.inf, None  # the same for the tapes opened and asked last, living or not

    def open(self, tape):
        key = id(tape)
        if key not in self.opened:
            forget = weakref.ref(tape, lambda _, opened=self.opened: opened.pop(key, None))
            self.opened[key], self.last = (self.turned, forget), self.turned

    def ask(self, tape):
        self.open(tape)
        self.asked = self.opened[id(tape)][0]

    def keep(self, value) -> tuple:
        """Keep a value. Returned are its page and its index there, or a small value itself, on no page, and None."""
        if value.__class__ is np.ndarray:
            value = value if value.base is None else unshared(value)
        elif value.__class__ not in SCALARS:
            value = Summary.of(value)
        if value.size <= SMALL:
            return value, None
        page = self.page
        page.append(value)
        self.room -= value.nbytes + LEAST
        if self.room < 0:
            self.turn()
        return page, len(page) - 1

    def summary(self, value) -> "Summary":
        """Keep a value as a Summary."""
        summary = Summary.of(value)
        self.keep(summary)
        return summary

    def variable(self, value) -> Any:
        """Keep the value of a Variable until it has another one. Returned is its Summary, or a small value itself."""
        if value.size > SMALL:
            value = self.summary(value)
            value.until = python_math.inf
        return value

    def outdate(self, kept):
        """Note that a Variable has another value than this one from now on."""
        if kept.__class__ is Summary:
            kept.until = self.turned

    def turn(self):
        """Start a new page."""
        size = PAGE - self.room - LEAST * len(self.page)
        self.older.append((self.turned, self.page, size))
        self.bytes += size
        self.page, self.room, self.turned = [], PAGE, self.turned + 1
        living = next(iter(self.opened.values()), (python_math.inf,))[0]
        wanted = min(living, self.last if self.asked is None else self.asked)
        while self.older:
            number, page, size = self.older[0]
            if self.bytes <= (MOST_HELD if number >= wanted else MOST_HELD // OLDER):
                break
            self.older.popleft()
            self.bytes -= size
            let_go(page, number, wanted)


def let_go(page, number, wanted):
    """Release the arrays of the page of this number: like ones together are measured, if a film may need them."""
    alike = {}
    for at, one in enumerate(page):
        array, until = (one.array, max(one.until, number)) if one.__class__ is Summary else (one, number)
        if array is None:
            continue
        if until >= wanted:
            alike.setdefault((array.shape, array.dtype), []).append(kept_at(page, at))
        elif array is one:
            page[at] = forgotten(array.shape, array.dtype)
        else:
            one.let_go(forgotten(array.shape, array.dtype).kept)
    for summaries in alike.values():
        for summary, found in zip(summaries, measured([summary.array for summary in summaries])):
            summary.let_go(sample_of(summary.array), found)


def sample_of(array):
    return array.flat[:SAMPLE]


@functools.lru_cache
def forgotten(shape, dtype) -> "Summary":
    """The Summary of every array of this shape and dtype that was released before anybody asked for it."""
    summary = Summary.__new__(Summary)
    summary.array, summary.whole, summary.until = None, False, 0
    summary.head, summary.found = (shape, np.empty(0, dtype)), None
    return summary


def kept_at(kept, at=None) -> Any:
    """The Summary of a value kept by `Held`, on this page and index there or by itself; None for None."""
    if kept.__class__ is not list:
        return None if kept is None else Summary.of(kept)
    one = kept[at]
    if one.__class__ is not Summary:
        kept[at] = one = Summary(one)
    return one


def unshared(array):
    """The array, or a copy if it shares much larger memory or memory of another engine."""
    base = array.base
    fits = base is None or (isinstance(base, np.ndarray) and base.nbytes <= 2 * array.nbytes)
    return array if fits else array.copy()


class Summary:
    """What is kept of a value: all of a small one; of a larger one its shape, and often its first numbers and Measures.

    A larger value is measured on request, or when its array is released.

    Attributes:
        whole: whether all of it is kept.
        array: the value itself, while it is kept.
        until: how many pages were full when it ceased to be the value of a Variable, or 0.
    """

    __slots__ = ("__weakref__", "array", "found", "head", "until", "whole")

    def __init__(self, array):
        self.array, self.whole, self.until = unshared(array), array.size <= SMALL, 0

    def measure(self) -> "Measures | None":
        """The Measures; None for strings. A larger value's array is released."""
        array = self.array
        if array is None:
            return self.found
        found = measured([array])[0]
        if not self.whole:
            self.let_go(sample_of(array), found)
        return found

    def let_go(self, sample, found=None):
        """Release the array, and keep its first numbers and its Measures, if it was measured."""
        array = self.array
        if array is not None:  # unless another thread has just done so
            self.head, self.found, self.array = (array.shape, sample), found, None

    @classmethod
    def of(cls, value) -> "Summary":
        """The Summary of an array, a Tensor, or a value in a backward pass. (Of several gradients, as one.)"""
        if isinstance(value, (np.ndarray, np.generic)):
            return cls(value)
        if isinstance(value, Summary):
            return value
        if isinstance(value, list):
            rows = next((len(one.value) for one in value if isinstance(one, Batched)), None)
            arrays = value if rows is None else [stacked(one, rows) for one in value]
            return as_one(list(map(cls.of, arrays)), axis=int(rows is not None))
        if hasattr(value, "indices"):  # rows of a `gather`: the dense array that they stand for, not heard by anyone
            with listeners_only():
                value = value.__tf_tensor__()
        value = getattr(value, "value", value)  # of a Tensor, or of a stack of arrays
        return cls(value if isinstance(value, (np.ndarray, np.generic)) else np.asarray(value))

    def is_known_to_be(self, other: "Summary | None") -> bool:
        """Whether another Summary is of the same numbers, as far as both are kept whole."""
        return other is not None and self.whole and other.whole and np.array_equal(self.array, other.array)

    @property
    def kept(self):
        """A small value itself; of a larger one its first numbers, or none."""
        if self.whole:
            return self.array
        return self.head[1] if self.array is None else self.array.ravel()[:SAMPLE]

    @property
    def shape(self) -> tuple:
        return self.head[0] if self.array is None else self.array.shape

    @property
    def nbytes(self) -> int:
        """The bytes of the array, while it is kept."""
        return 0 if self.array is None else self.array.nbytes

    @property
    def dtype(self):
        return self.kept.dtype

    @property
    def measures(self) -> "Measures | None":
        return self.measure()

    @property
    def known(self) -> bool:
        """Whether more of it is known than its shape and first numbers."""
        return self.array is not None or self.found is not None

    @property
    def finite(self) -> bool:
        array = self.array
        if array is None and self.found is not None:
            return self.found.finite
        return finite(self.kept if array is None else array)  # as far as it is known

    @property
    def zero(self) -> bool:
        array = self.array
        if array is not None:
            return array.dtype.kind in "biufc" and not np.count_nonzero(array)
        return self.found is not None and self.found.zeros == self.size

    @property
    def size(self) -> int:
        return python_math.prod(self.shape)

    @property
    def sample(self) -> list:
        """The first numbers, as Python numbers."""
        return self.kept.ravel()[:SAMPLE].tolist()

    def __str__(self):
        if self.shape == ():
            return brief(self.sample[0])
        shown = [brief(x) for x in self.sample[:4]]
        return f"[{' '.join([*shown, *['...'] * (self.size > 4)])}]"


def as_one(outputs, axis=0) -> Any:
    """The outputs of an op, or their gradients, as one Summary: those that can have a gradient (or else the first),
    stacked, or one after another if their shapes differ. None if there is none, or if the array of one is gone."""
    several = [one for one in outputs if one.dtype.kind in "fc"] or outputs[:1]
    if len(several) < 2 or any(one.array is None for one in several):
        return several[0] if len(several) == 1 else None
    arrays = [one.array for one in several]
    alike = len({one.shape for one in arrays}) == 1
    return Summary(np.stack(arrays, axis) if alike else np.concatenate([one.ravel() for one in arrays]))


def finite(value) -> bool:
    """Whether a value has no inf and no nan. The sum of squares is enough, unless it overflows."""
    if isinstance(value, np.inexact):
        return cmath.isfinite(value)
    array = value if value.__class__ is np.ndarray else Summary.of(value).array
    if array is None:
        return value.finite
    if array.dtype.kind not in "fc":
        return True
    flat = array.ravel()
    total = flat.dot(flat)
    return cmath.isfinite(total) or not np.any(~np.isfinite(flat))


def brief(number, digits=4) -> str:
    """A number with this many digits, or six before a point; a whole float has a point, and zero has no sign."""
    if isinstance(number, float):
        digits = 6 if digits > 3 and 10**digits <= abs(number) + 0.5 < 1e6 else digits
        text = f"{number + 0.0:.{digits}g}"
        if not text.lstrip("-").isdigit():
            return text
        exact = float(text) == number or len(text.lstrip("-")) < digits
        return f"{text}.0" if exact else f"{number:.{max(digits, 6)}g}"
    if isinstance(number, complex):
        return f"{number:.{digits}g}"
    return visible(number.decode(errors="replace") if isinstance(number, bytes) else number, 20)


class Given:
    """What identifies a value of Python or NumPy: its content, and the object (a large one only while it lives)."""

    __slots__ = ("content", "object")

    def __init__(self, value, content):
        self.content = content
        self.object = weakref.ref(value) if isinstance(value, np.ndarray) and not content.whole else lambda: value

    @classmethod
    def of(cls, value, held, same=None) -> "Given | None":
        """For floats and arrays of floats; None for other values.

        Args:
            value: the value that was given. A copy is held, since the user may write into an array later.
            held: the Held that keeps the value.
            same: an array, never written to, that may hold the same numbers; then no copy is needed.
        """
        if not isinstance(value, (float, np.ndarray, np.generic)) or np.asarray(value).dtype.kind not in "fc":
            return None
        alike = same is not None and np.shape(value) == same.shape and same.dtype == getattr(value, "dtype", float)
        return cls(value, held.summary(same if alike else np.array(value)))
