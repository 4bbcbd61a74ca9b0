"""tf.strings: ops on Tensors of strings, which are stored as bytes. There are no gradients."""

import codecs
import re
from collections.abc import Sequence

import numpy as np

from . import errors
from .engine import Tensor, another_dtype, bracketed, convert, invalid, op, tidy
from .errors import by_python, visible
from .ops import expand_dims

__all__ = ["as_string", "bytes_split", "join", "length", "lower", "reduce_join", "regex_full_match",
           "regex_replace", "split", "strip", "substr", "to_number", "unicode_decode", "unicode_decode_with_offsets",
           "unicode_encode", "unicode_split", "unicode_split_with_offsets", "unicode_transcode",
           "upper"]  # fmt: skip
__dir__ = __all__.copy  # what Tab offers


def each(function, *texts):
    """Apply a function of bytes element by element, with broadcasting: an array of objects."""
    arrays = np.broadcast_arrays(*texts)
    found = [function(*row) for row in zip(*(one.flat for one in arrays))]
    return np.array(found, object).reshape(arrays[0].shape)


def each_number(function, texts, dtype):
    """Apply a function of bytes to each element: an array of numbers."""
    return np.array([function(text) for text in texts.flat], dtype).reshape(texts.shape)[()]


def as_bytes(text):
    """Text encoded as in a Tensor; None and bytes are unchanged."""
    return text.encode() if isinstance(text, str) else text


def decoded(text, unit):
    """The string in units of `unit`: bytes, or a str of characters."""
    return text if unit == "BYTE" else text.decode("utf-8", "replace")


@op("StringLength", "O", dinput=None)
def length(input, unit="BYTE"):
    """Length of each string in bytes, or with `unit="UTF8_CHAR"` in characters.

    Raises:
        InvalidArgumentError: there is no such unit.

    >>> import minigrad as mg
    >>> print(mg.strings.length(["abc", "é"]).numpy(), mg.strings.length("é", unit="UTF8_CHAR").numpy())
    [3 2] 1
    """
    check_attribute("unit", unit, "BYTE", "UTF8_CHAR")
    return each_number(lambda text: len(decoded(text, unit)), input, np.int32)


@op("StringJoin", "O", dinputs=None)
def join(inputs: list, separator=""):
    """Join strings element by element, with `separator` between them.

    Args:
        inputs: a list of Tensors of strings of one shape; scalars go with all of it.
        separator: a string.

    Raises:
        TypeError: an input does not hold strings.
        InvalidArgumentError: the shapes differ.

    >>> import minigrad as mg
    >>> print(mg.strings.join([["a", "b"], "c"], "-").numpy())
    [b'a-c' b'b-c']
    """
    for x in inputs:
        if x.dtype.kind != "O":
            raise TypeError(f"Cannot convert {x} to EagerTensor of dtype string. Write mg.strings.as_string({x}).")
    shapes = [x.shape for x in inputs if x.ndim]
    for shape in shapes:
        if shape != shapes[0]:
            raise invalid(f"Input shapes do not match: {bracketed(shapes[0])} vs. {bracketed(shape)}")
    if not isinstance(separator, (str, bytes)):
        raise TypeError(f"Expected string for argument 'separator' not {visible(separator)}.")
    separator = as_bytes(separator)
    return each(lambda *texts: separator.join(texts), *inputs) if inputs else np.array(b"", object)


@op("StringLower", "O", dinput=None)
def lower(input, encoding=""):
    """Convert to lower case. Letters beyond ASCII are converted only with `encoding="utf-8"`.

    >>> import minigrad as mg
    >>> print(mg.strings.lower("ABC").numpy())
    b'abc'
    """
    check_encoding(encoding)
    return each(lambda text: text.decode().lower().encode() if encoding else text.lower(), input)


@op("StringUpper", "O", dinput=None)
def upper(input, encoding=""):
    """Convert to upper case. Letters beyond ASCII are converted only with `encoding="utf-8"`.

    >>> import minigrad as mg
    >>> print(mg.strings.upper("abc").numpy())
    b'ABC'
    """
    check_encoding(encoding)
    return each(lambda text: text.decode().upper().encode() if encoding else text.upper(), input)


def check_encoding(encoding):
    """Raise InvalidArgumentError for an encoding other than "utf-8" or ""."""
    if encoding not in ("", "utf-8"):
        raise invalid(f"only utf-8 or '' (no encoding) is supported, received {encoding}")


@op("StringStrip", "O", dinput=None)
def strip(input):
    """Remove whitespace at both ends.

    >>> import minigrad as mg
    >>> print(mg.strings.strip("  a b ").numpy())
    b'a b'
    """
    return each(bytes.strip, input)


@op("Substr", "O", dinput=None)
def substr(input, pos: int | Sequence[int], len: int | Sequence[int], unit="BYTE"):
    """Substring of each string: `len` bytes (or characters, with `unit="UTF8_CHAR"`) from index `pos` on.

    Args:
        input: strings.
        pos: the index of the first byte or character; negative ones count from the end.
        len: the number of bytes or characters; fewer if the string ends first, and all that are left if it is negative.
        unit: "BYTE" or "UTF8_CHAR".

    Raises:
        InvalidArgumentError: `pos` is out of range for a string, or there is no such unit.

    >>> import minigrad as mg
    >>> print(mg.strings.substr("hello", 1, 3).numpy())
    b'ell'
    """
    check_attribute("unit", unit, "BYTE", "UTF8_CHAR")
    pos, len = tidy.integers(pos), tidy.integers(len)
    shapes = [list(np.shape(one)) for one in (pos, len)]
    if shapes[0] != shapes[1]:
        raise invalid(f"pos and len should have the same shape, got: {shapes[0]} vs. {shapes[1]} [Op:Substr]")

    def part(text, start, length):
        letters = decoded(text, unit)
        count = letters.__len__()
        if not -count <= start <= count:
            raise invalid(f"pos {start} out of range for string {text!r}")
        start += count * (start < 0)
        found = letters[start : start + length if length >= 0 else None]
        return found if unit == "BYTE" else found.encode()

    return each(part, input, pos, len)


@op("StringToNumber", "O", out_type=tidy.dtype, dinput=None)
def to_number(input, out_type="float32"):
    """Convert strings to numbers.

    Args:
        input: strings such as "1.5", "2e3" or "inf".
        out_type: float32, float64, int32 or int64.

    Raises:
        InvalidArgumentError: a string is not a number of this dtype.

    >>> import minigrad as mg
    >>> print(mg.strings.to_number(["1.5", "2"]).numpy())
    [1.5 2. ]
    """

    def number(text):
        try:
            if b"_" in text:  # Python allows it between digits
                raise ValueError
            return out_type.type(float_of(text) if out_type.kind == "f" else text)
        except (ValueError, OverflowError):
            problem = "StringToNumberOp could not correctly convert string:"
            raise invalid(f"{problem} {text.decode(errors='replace')}") from None

    return each_number(number, input, out_type)


def float_of(text):
    """A float from hexadecimal digits, as C writes them; decimal ones are for NumPy to read."""
    return float.fromhex(text.decode("ascii", "replace")) if b"x" in text.lower() else text


@op("AsString", dinput=None)
def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill=""):
    """Format numbers as strings, as C's printf does.

    Args:
        input: numbers or bools.
        precision: digits after the point of floats; -1 means 6.
        scientific: format floats as 1.5e+00.
        shortest: format floats in the shorter of the two ways.
        width: pad to this many characters.
        fill: a flag: "0" pads with zeros, "-" aligns to the left, "+" always shows a sign, " " leaves a blank for it,
            "#" always shows the point of floats.

    Raises:
        InvalidArgumentError: a precision or a notation is given for integers or bools; or both notations are asked for;
            or there is no such flag.

    >>> import minigrad as mg
    >>> print(mg.strings.as_string([1.5, 2.25], precision=1).numpy())
    [b'1.5' b'2.2']
    >>> print(mg.strings.as_string(7, width=3, fill="0").numpy())
    b'007'
    """
    kind = input.dtype.kind
    if kind not in "fcO" and (scientific or shortest):
        raise invalid(f"scientific and shortest format not supported for datatype {input.dtype}")
    if kind not in "fcO" and precision >= 0:
        raise invalid(f"precision not supported for datatype {input.dtype}")
    if fill[1:]:
        raise invalid("Fill string must be one or fewer characters")
    if scientific and shortest:
        raise invalid("Cannot select both scientific and shortest notation")
    if fill not in ("", " ", "+", "-", "0", "#"):
        raise invalid(f'Fill argument not supported: "{fill}"')
    places = f".{precision}" if precision >= 0 else ""
    real = "g" if shortest else "f"
    letter = {"O": "s", "i": "d", "u": "d"}.get(kind, "e" if scientific else real)
    form = f"{fill}{width if width > 0 else ''}{places}{letter}"

    def written(x):
        if kind == "b":
            return b"true" if x else b"false"
        if kind == "O":
            return f"%{form}".encode() % x
        return (f"({number(x.real)},{number(x.imag)})" if kind == "c" else number(x)).encode()

    def number(x):
        return f"%{form}" % x if np.isfinite(x) else f"%{form.removeprefix('0')}" % x  # nan and inf: no leading zeros

    return each(written, input)


@op("StaticRegexReplace", "O", dinput=None)
def regex_replace(input, pattern: str, rewrite: str, replace_global=True):
    """Replace each match of a regular expression.

    Args:
        input: strings.
        pattern: a regular expression.
        rewrite: the replacement, in which `\\\\1` is the first group, and `\\\\0` the whole match.
        replace_global: replace all matches in a string; otherwise the first.

    Raises:
        InvalidArgumentError: `pattern` is not a valid regular expression.

    >>> import minigrad as mg
    >>> print(mg.strings.regex_replace("a1b22", "[0-9]+", "#").numpy())
    b'a#b#'
    """
    found, template = compiled(pattern), as_bytes(rewrite)
    if max([int(place) for place in re.findall(rb"\\(\d)", template)], default=0) > found.groups:
        return input  # as in TensorFlow if there is no such group

    def rewritten(match):
        return re.sub(rb"\\([\d\\])", lambda one: (match[int(one[1])] or b"") if one[1].isdigit() else one[1], template)

    return each(lambda text: found.sub(rewritten, text, count=0 if replace_global else 1), input)


@op("StaticRegexFullMatch", "O", dinput=None)
def regex_full_match(input, pattern: str):
    """Whether a regular expression matches the whole string, for each string.

    Raises:
        InvalidArgumentError: `pattern` is not a valid regular expression.

    >>> import minigrad as mg
    >>> print(mg.strings.regex_full_match(["ab", "b"], "a.*").numpy())
    [ True False]
    """
    return each_number(lambda text: compiled(pattern).fullmatch(text) is not None, input, bool)


def compiled(pattern):
    """The compiled pattern. Raise InvalidArgumentError if it is not valid."""
    try:
        return re.compile(as_bytes(pattern))
    except re.error as error:
        raise invalid(f"Invalid pattern: {pattern}, error: {error}") from None


def one_text(input, call):
    """The only string of a Tensor without axes, for a call that takes one.

    Raises:
        UnimplementedError: there are several: their parts would be rows of different lengths.
    """
    if np.ndim(input):
        problem = "It takes one text at a time: there are no ragged Tensors, whose rows may differ in length."
        raise errors.UnimplementedError(None, None, f"{problem} Write [mg.strings.{call} for text in texts].")
    return input.item()


@op("StringBytesSplit", "O", dinput=None)
def bytes_split(input):
    """Split one string into a vector of its bytes.

    Args:
        input: a scalar string. (TensorFlow splits vectors, too, into ragged Tensors, which do not exist here.)

    Raises:
        UnimplementedError: the input is not a scalar.

    >>> import minigrad as mg
    >>> print(mg.strings.bytes_split("abc").numpy())
    [b'a' b'b' b'c']
    """
    text = one_text(input, "bytes_split(text)")
    return np.array([text[k : k + 1] for k in range(len(text))], object)


@op("StringSplitV2", "O", dinput=None)
def split(input, sep: str | None = None, maxsplit=-1):
    """Split one string at `sep` (None means whitespace) into a vector of strings.

    TensorFlow also splits vectors, into ragged Tensors, which do not exist here.

    Args:
        input: a scalar string.
        sep: the separator.
        maxsplit: how often to split at most; -1 means no limit.

    Raises:
        UnimplementedError: the input is not a scalar.

    >>> import minigrad as mg
    >>> print(mg.strings.split("a b c").numpy())
    [b'a' b'b' b'c']
    """
    return np.array(one_text(input, "split(text)").split(as_bytes(sep) or None, maxsplit), object)


# ---- Unicode -------------------------------------------------------------------------------------------------------


def check_attribute(name, value, *allowed):
    """Raise InvalidArgumentError if an attribute is none of these strings."""
    if value not in allowed:
        names = ", ".join(f'"{one}"' for one in allowed)
        raise invalid(f"Value for attr '{name}' of \"{value}\" is not in the list of allowed values: {names}")


def check_replacement(errors, replacement_char):
    """Raise InvalidArgumentError for an unknown `errors` mode, or a replacement that is not a character."""
    check_attribute("errors", errors, "strict", "replace", "ignore")
    if not 0 <= replacement_char <= 0x10FFFF:
        raise invalid("replacement_char out of unicode codepoint range")


def check_reading(encoding, errors, replacement_char):
    """Raise InvalidArgumentError if strings cannot be decoded in this way."""
    check_replacement(errors, replacement_char)
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise invalid(f"Could not create converter for input encoding: {encoding}") from None


def check_writing(encoding, errors, replacement_char):
    """Raise InvalidArgumentError if strings cannot be encoded in this way."""
    check_attribute("output_encoding", encoding, "UTF-8", "UTF-16-BE", "UTF-32-BE")
    check_replacement(errors, replacement_char)


def characters(text, encoding):
    """The code point of each character, or None where there is no valid one, and the offset at which it begins."""
    start = 0
    while start < len(text):
        wrong, end = None, len(text)
        try:
            found = text[start:].decode(encoding)
        except UnicodeDecodeError as problem:
            wrong, end = start + problem.start, start + problem.end
            found = text[start:wrong].decode(encoding)
        for letter in found:
            yield ord(letter), start
            start += len(letter.encode(encoding))
        if wrong is not None:
            yield None, wrong
        start = end


def kept_characters(text, encoding, errors, replacement_char, replace_control_characters=False):
    """The characters to keep, with invalid ones, and control characters if asked, replaced."""
    for code, start in characters(text, encoding):
        if code is None and errors == "strict":
            raise invalid("Invalid formatting on input string")
        if code is None or (replace_control_characters and code < 0x20):
            if errors == "ignore":
                continue
            code = replacement_char
        yield code, start


def written(codes, encoding, errors, replacement_char):
    """The string of these code points."""
    wrong = [not 0 <= code <= 0x10FFFF or 0xD800 <= code < 0xE000 for code in codes]
    if errors == "strict" and any(wrong):
        raise invalid("Code point is out of range for Unicode, or is a surrogate.")
    kept = [replacement_char if bad else code for code, bad in zip(codes, wrong) if not (bad and errors == "ignore")]
    return "".join(map(chr, kept)).encode(encoding, "surrogatepass")


@op("UnicodeDecode", "O", dinput=None)
def unicode_decode(input, input_encoding: str, errors="replace", replacement_char=0xFFFD,
                   replace_control_characters=False):  # fmt: skip
    """The code points of one string.

    Args:
        input: a scalar string. (TensorFlow takes vectors, too, for ragged Tensors, which do not exist here.)
        input_encoding: "UTF-8", "UTF-16-BE", "LATIN1" or another one that Python knows.
        errors: for invalid characters: "replace" them, "ignore" them, or "strict" to raise.
        replacement_char: the code point that replaces them.
        replace_control_characters: replace code points below 32 as well.

    Returns:
        An int32 vector.

    Raises:
        UnimplementedError: the input is not a scalar.
        InvalidArgumentError: there is no such encoding; or `errors` is "strict", and there is an invalid character.

    >>> import minigrad as mg
    >>> print(mg.strings.unicode_decode("né", "UTF-8").numpy())
    [110 233]
    """
    text = one_text(input, f"unicode_decode(text, {input_encoding!r})")
    check_reading(input_encoding, errors, replacement_char)
    kept = kept_characters(text, input_encoding, errors, replacement_char, replace_control_characters)
    return np.array([code for code, _ in kept], np.int32)


@op("UnicodeDecodeWithOffsets", "O", dinput=None)
def unicode_decode_with_offsets(input, input_encoding: str, errors="replace", replacement_char=0xFFFD,
                                replace_control_characters=False) -> tuple:  # fmt: skip
    """Like `unicode_decode`, with the offset at which each character begins: int64, in bytes.

    >>> import minigrad as mg
    >>> codes, offsets = mg.strings.unicode_decode_with_offsets("éa", "UTF-8")
    >>> print(codes.numpy(), offsets.numpy())
    [233  97] [0 2]
    """
    text = one_text(input, f"unicode_decode_with_offsets(text, {input_encoding!r})")
    check_reading(input_encoding, errors, replacement_char)
    kept = [*kept_characters(text, input_encoding, errors, replacement_char, replace_control_characters)]
    return np.array([code for code, _ in kept], np.int32), np.array([start for _, start in kept], np.int64)


@op("UnicodeEncode", dinput=None)
def unicode_encode(input, output_encoding: str, errors="replace", replacement_char=0xFFFD):
    """The string of each row of code points.

    Args:
        input: int32 code points, shape `(..., characters)`.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors, replacement_char: as for `unicode_decode`.

    Returns:
        Strings, shape `(...)`.

    Raises:
        ValueError: the input is a scalar.
        InvalidArgumentError: the encoding is not one of these, or the input is not int32.

    >>> import minigrad as mg
    >>> print(mg.strings.unicode_encode([[110, 233], [97, 98]], "UTF-8").numpy())
    [b'n\\xc3\\xa9' b'ab']
    """
    if not input.ndim:
        raise by_python(ValueError("input_tensor's rank must be at least 1."))
    if input.dtype != np.int32:
        raise invalid(another_dtype("UnicodeEncode", 0, np.dtype(np.int32), input.dtype))
    check_writing(output_encoding, errors, replacement_char)
    texts = np.empty(input.shape[:-1], object)
    for place in np.ndindex(texts.shape):
        texts[place] = written(input[place].tolist(), output_encoding, errors, replacement_char)
    return texts


def unicode_split(input, input_encoding, errors="replace", replacement_char=0xFFFD, name=None) -> Tensor:
    """Split one string into a vector of its characters, in the same encoding.

    Args:
        input: a scalar string.
        input_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors, replacement_char: as for `unicode_decode`.

    Raises:
        UnimplementedError: the input is not a scalar.

    >>> import minigrad as mg
    >>> print(mg.strings.unicode_split("né", "UTF-8").numpy())
    [b'n' b'\\xc3\\xa9']
    """
    one_text(convert(input).value, f"unicode_split(text, {input_encoding!r})")
    codes = unicode_decode(input, input_encoding, errors, replacement_char)
    return unicode_encode(expand_dims(codes, 1), input_encoding, errors, replacement_char)


def unicode_split_with_offsets(input, input_encoding, errors="replace", replacement_char=0xFFFD, name=None) -> tuple:
    """Like `unicode_split`, with the offset at which each character begins: int64, in bytes.

    >>> import minigrad as mg
    >>> letters, offsets = mg.strings.unicode_split_with_offsets("éa", "UTF-8")
    >>> print(letters.numpy(), offsets.numpy())
    [b'\\xc3\\xa9' b'a'] [0 2]
    """
    one_text(convert(input).value, f"unicode_split_with_offsets(text, {input_encoding!r})")
    codes, offsets = unicode_decode_with_offsets(input, input_encoding, errors, replacement_char)
    return unicode_encode(expand_dims(codes, 1), input_encoding, errors, replacement_char), offsets


@op("UnicodeTranscode", "O", dinput=None)
def unicode_transcode(input, input_encoding: str, output_encoding: str, errors="replace", replacement_char=0xFFFD,
                      replace_control_characters=False):  # fmt: skip
    """Convert each string to another encoding.

    Args:
        input: strings of any shape.
        input_encoding, errors, replacement_char, replace_control_characters: as for `unicode_decode`.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".

    Raises:
        InvalidArgumentError: there is no such encoding; or `errors` is "strict", and there is an invalid character.

    >>> import minigrad as mg
    >>> print(mg.strings.unicode_transcode(["né", "a"], "UTF-8", "UTF-16-BE").numpy())
    [b'\\x00n\\x00\\xe9' b'\\x00a']
    """

    def transcoded(text):
        kept = kept_characters(text, input_encoding, errors, replacement_char, replace_control_characters)
        return written([code for code, _ in kept], output_encoding, "replace", replacement_char)

    check_writing(output_encoding, errors, replacement_char)
    check_reading(input_encoding, errors, replacement_char)
    return each(transcoded, input)


# ---- joining -------------------------------------------------------------------------------------------------------


def joined_axes(axis, ndim):
    """The axes of `reduce_join`, counted from 0. Raise if one does not exist, or is named twice."""
    given = axis if isinstance(axis, tuple) else (axis,)
    named = range(ndim)[::-1] if axis is None else given
    for a in named:
        if not -ndim <= a < ndim:
            problem = f"Invalid reduction dimension {a}"
            raise errors.OutOfRangeError(None, None, f"{problem} for input with {ndim} dimension(s)")
    axes = [a % ndim for a in named]
    for a in axes:
        if axes.count(a) > 1:
            raise invalid(f"Duplicate reduction dimension {a}")
    return axes


@op("ReduceJoin", "O", axis=tidy.axes, dinputs=None)
def reduce_join(inputs, axis=None, keepdims=False, separator=""):
    """Join all strings along an axis, or several, or all.

    Args:
        inputs: strings of any shape.
        axis: an int or a list of ints, in the order of joining; None means all axes.
        keepdims: keep the reduced axes, with length 1; otherwise they are removed.
        separator: a string that goes between them.

    Raises:
        OutOfRangeError: there is no such axis.
        InvalidArgumentError: an axis is named twice.

    >>> import minigrad as mg
    >>> print(mg.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1).numpy())
    [b'ab' b'cd']
    """
    separator = as_bytes(separator)
    axes = joined_axes(axis, inputs.ndim)
    kept = [a for a in range(inputs.ndim) if a not in axes]
    rows = inputs.transpose([*kept, *axes[::-1]])
    joined = np.empty([inputs.shape[a] for a in kept], object)
    for place in np.ndindex(joined.shape):
        joined[place] = separator.join(np.ravel(rows[place]))
    return joined.reshape([1 if a in axes else n for a, n in enumerate(inputs.shape)]) if keepdims else joined
