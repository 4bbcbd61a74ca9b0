"""tf.strings: ops on Tensors of text, which is kept as bytes. No gradient flows along text."""

import re
from collections.abc import Sequence

import numpy as np

from . import errors, math
from .engine import attributes as tidy
from .engine.op import op
from .errors import invalid

__all__ = [
    "as_string", "join", "length", "lower", "reduce_join", "regex_full_match", "regex_replace", "split", "strip",
    "substr", "to_number", "upper",
]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers


def each(function, *texts):
    """A function of bytes for each element, as an array of objects."""
    shape = np.broadcast_shapes(*(np.shape(text) for text in texts))
    result = np.empty(shape, object)
    result[...] = np.array([function(*row) for row in zip(*(np.broadcast_to(t, shape).flat for t in texts))], object).reshape(shape)
    return result


def each_number(function, texts, dtype):
    return np.array([function(text) for text in texts.flat], dtype).reshape(texts.shape)[()]


def decoded(text, unit):
    """The text as what `unit` counts."""
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise invalid(f'Value for attr \'unit\' of "{unit}" is not in the list of allowed values: "BYTE", "UTF8_CHAR"')
    return text if unit == "BYTE" else text.decode("utf-8", "replace")


@op("StringLength", "O", dinput=None)
def length(input, unit="BYTE"):
    """How many bytes each text has, or with `unit="UTF8_CHAR"` how many characters.

    >>> import minigrad as mg
    >>> print(mg.strings.length(["abc", "é"]).numpy(), mg.strings.length("é", unit="UTF8_CHAR").numpy())
    [3 2] 1
    """
    return each_number(lambda text: len(decoded(text, unit)), input, np.int32)


@op("StringJoin", "O", dinputs=None)
def join(inputs: list, separator=""):
    """Texts put together, element by element, with `separator` between.

    >>> import minigrad as mg
    >>> print(mg.strings.join([["a", "b"], "c"], "-").numpy())
    [b'a-c' b'b-c']
    """
    for x in inputs:
        if x.dtype.kind != "O":
            raise TypeError(f"Cannot convert {x} to EagerTensor of dtype string. Write mg.strings.as_string({x}).")
    separator = separator.encode() if isinstance(separator, str) else separator
    return each(lambda *texts: separator.join(texts), *inputs) if inputs else np.array(b"", object)


@op("Add", "O", dx=None, dy=None)
def plus(x, y):
    """What `+` does with texts: one after the other.

    >>> import minigrad as mg
    >>> print((mg.constant("a") + mg.constant(["b", "c"])).numpy())
    [b'ab' b'ac']
    """
    return np.add(x, y) if np.ndim(x) or np.ndim(y) else each(lambda a, b: a + b, x, y)


math.add.for_strings = lambda inputs: plus(*inputs)


@op("StringLower", "O", dinput=None)
def lower(input, encoding=""):
    """In small letters; letters beyond ASCII only with `encoding="utf-8"`.

    >>> import minigrad as mg
    >>> print(mg.strings.lower("ABC").numpy())
    b'abc'
    """
    return each(lambda text: text.decode().lower().encode() if encoding else text.lower(), input)


@op("StringUpper", "O", dinput=None)
def upper(input, encoding=""):
    """In capital letters; letters beyond ASCII only with `encoding="utf-8"`.

    >>> import minigrad as mg
    >>> print(mg.strings.upper("abc").numpy())
    b'ABC'
    """
    return each(lambda text: text.decode().upper().encode() if encoding else text.upper(), input)


@op("StringStrip", "O", dinput=None)
def strip(input):
    """Without white space at both ends.

    >>> import minigrad as mg
    >>> print(mg.strings.strip("  a b ").numpy())
    b'a b'
    """
    return each(bytes.strip, input)


@op("Substr", "O", dinput=None)
def substr(input, pos: int | Sequence[int], len: int | Sequence[int], unit="BYTE"):
    """`len` letters from place `pos`; a negative `pos` counts from the end.

    Raises:
        InvalidArgumentError: a text has no such place.

    >>> import minigrad as mg
    >>> print(mg.strings.substr("hello", 1, 3).numpy())
    b'ell'
    """
    pos, len = tidy.integers(pos), tidy.integers(len)

    def part(text, start, length):
        letters = decoded(text, unit)
        count = letters.__len__()
        if not -count <= start <= count:
            raise invalid(f"pos {start} out of range for string {text!r}")
        start += count * (start < 0)
        found = letters[start : start + length]
        return found if unit == "BYTE" else found.encode()

    return each(part, input, pos, len)


@op("StringToNumber", "O", out_type=tidy.dtype, dinput=None)
def to_number(input, out_type="float32"):
    """The numbers that the texts spell.

    Raises:
        InvalidArgumentError: a text is no number.

    >>> import minigrad as mg
    >>> print(mg.strings.to_number(["1.5", "2"]).numpy())
    [1.5 2. ]
    """
    spelled = real if out_type.kind == "f" else int

    def number(text):
        try:
            if b"_" in text:  # which Python allows between digits
                raise ValueError
            return out_type.type(spelled(text))
        except (ValueError, OverflowError):
            raise invalid(f"StringToNumberOp could not correctly convert string: {text.decode(errors='replace')}") from None

    return each_number(number, input, out_type)


def real(text):
    """A float, in decimal digits or as C writes it in hexadecimal ones."""
    return float.fromhex(text.decode("ascii", "replace")) if b"x" in text.lower() else float(text)


@op("AsString", dinput=None)
def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill=""):
    """Numbers as text, as C's printf writes them.

    Args:
        input: numbers or bools.
        precision: digits after the point of floats; 6 if it is -1.
        scientific: write floats as 1.5e+00.
        shortest: write floats in the shorter of both ways.
        width: pad to this many letters.
        fill: what to pad with: "0", "+", " " or "-" (to the left); blanks if empty.

    >>> import minigrad as mg
    >>> print(mg.strings.as_string([1.5, 2.25], precision=1).numpy(), mg.strings.as_string(7, width=3, fill="0").numpy())
    [b'1.5' b'2.2'] b'007'
    """
    kind = input.dtype.kind
    if precision >= 0 and kind not in "fc":
        raise invalid(f"precision not supported for datatype {input.dtype}")
    places = f".{precision}" if precision >= 0 else ""
    letter = "s" if kind == "O" else "d" if kind in "iu" else "e" if scientific else "g" if shortest else "f"
    form = f"{fill}{width if width > 0 else ''}{places}{letter}"

    def written(x):
        if kind == "b":
            return b"true" if x else b"false"
        if kind == "O":
            return f"%{form}".encode() % x
        return (f"({number(x.real)},{number(x.imag)})" if kind == "c" else number(x)).encode()

    def number(x):
        return f"%{form}" % x if np.isfinite(x) else f"%{form.removeprefix('0')}" % x  # nan and inf have no leading zeros

    return each(written, input)


@op("StaticRegexReplace", "O", dinput=None)
def regex_replace(input, pattern: str, rewrite: str, replace_global=True):
    """Each match of a regular expression, replaced by `rewrite`, in which `\\\\1` is the first group, and `\\\\0` the whole match.

    Raises:
        InvalidArgumentError: the pattern is no regular expression.

    >>> import minigrad as mg
    >>> print(mg.strings.regex_replace("a1b22", "[0-9]+", "#").numpy())
    b'a#b#'
    """
    found, template = compiled(pattern), rewrite.encode() if isinstance(rewrite, str) else rewrite
    if max([int(place) for place in re.findall(rb"\\(\d)", template)], default=0) > found.groups:
        return input  # as TensorFlow does where there is no such group

    def rewritten(match):
        return re.sub(rb"\\([\d\\])", lambda piece: (match[int(piece[1])] or b"") if piece[1].isdigit() else piece[1], template)

    return each(lambda text: found.sub(rewritten, text, count=0 if replace_global else 1), input)


@op("StaticRegexFullMatch", "O", dinput=None)
def regex_full_match(input, pattern: str):
    """Does a regular expression match the whole text?

    >>> import minigrad as mg
    >>> print(mg.strings.regex_full_match(["ab", "b"], "a.*").numpy())
    [ True False]
    """
    return each_number(lambda text: compiled(pattern).fullmatch(text) is not None, input, bool)


def compiled(pattern):
    try:
        return re.compile(pattern.encode() if isinstance(pattern, str) else pattern)
    except re.error as error:
        raise invalid(f"Invalid pattern: {pattern}, error: {error}") from None


@op("StringSplitV2", "O", dinput=None)
def split(input, sep: str | None = None, maxsplit=-1):
    """One text, cut at `sep` (at white space if None) into a vector of texts.

    TensorFlow also cuts vectors, into ragged Tensors, which do not exist here.

    >>> import minigrad as mg
    >>> print(mg.strings.split("a b c").numpy())
    [b'a' b'b' b'c']
    """
    if input.ndim:
        raise errors.UnimplementedError(None, None, "split takes one text at a time: there are no ragged Tensors in minigrad")
    separator = sep.encode() if isinstance(sep, str) else sep
    return np.array(input.item().split(separator or None, maxsplit), object)


def joined_axes(axis, ndim):
    """The axes that are named, counted from 0."""
    named = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    for a in named:
        if not -ndim <= a < ndim:
            raise errors.OutOfRangeError(None, None, f"Invalid reduction dimension {a} for input with {ndim} dimension(s)")
    axes = [a % ndim for a in named]
    for a in axes:
        if axes.count(a) > 1:
            raise invalid(f"Duplicate reduction dimension {a}")
    return axes


@op("ReduceJoin", "O", axis=tidy.axes, dinputs=None)
def reduce_join(inputs, axis=None, keepdims=False, separator=""):
    """The texts along an axis (or all) put together.

    >>> import minigrad as mg
    >>> print(mg.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1).numpy())
    [b'ab' b'cd']
    """
    separator = separator.encode() if isinstance(separator, str) else separator
    axes = joined_axes(axis, inputs.ndim)
    kept = [a for a in range(inputs.ndim) if a not in axes]
    rows = inputs.transpose([*kept, *axes]).reshape([inputs.shape[a] for a in kept] + [-1])
    joined = np.empty(rows.shape[:-1], object)
    for place in np.ndindex(joined.shape):
        joined[place] = separator.join(rows[place])
    return joined.reshape([1 if a in axes else n for a, n in enumerate(inputs.shape)]) if keepdims else joined
