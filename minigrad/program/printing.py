"""tf.print: Tensors in short form, inside any nest."""

import re
import sys
from collections.abc import MappingView
from functools import partial

import numpy as np

from .. import errors, nest
from ..engine import Tensor, dtypes
from ..engine.listening import listening, put_off
from ..errors import visible
from ..ops import convert_to_tensor


def print(*inputs, output_stream=None, summarize=3, sep=" ", end="\n", name=None, **unknown) -> None:
    """Print Tensors without their shape and dtype, with the first and the last three elements of each axis.

    Strings in Tensors are quoted, except for a scalar that is the only input.

    Args:
        *inputs: Tensors, anything else, and nests of them.
        output_stream: `sys.stdout`, `sys.stderr` (the default), or "file://" and a path, to append to a file.
        summarize: how many elements to print from each end of an axis; -1 for all.
        sep: the text between the inputs.
        end: the text after the last one.

    Raises:
        ValueError: there is no such stream, or no such argument.
        NotFoundError: the directory of the file does not exist.

    >>> import minigrad as mg, sys
    >>> mg.print("x is", mg.constant([1.0, 2.5]), output_stream=sys.stdout)
    x is [1 2.5]
    """
    if unknown:
        raise ValueError(f"Unrecognized keyword arguments for mg.print: {unknown}")
    if listening.now:
        settings = dict(output_stream=output_stream, summarize=summarize, sep=sep, end=end)
        values = [value_of(x) for x in nest.flatten(inputs)]
        if put_off(partial(print_values, nest.map_structure(lambda x: None, inputs)), values, settings):
            return
    if len(inputs) == 1 and is_scalar_string(inputs[0]):
        text = convert_to_tensor(inputs[0]).value[()].decode(errors="replace")
    else:
        ends = 3 if summarize is None else int(summarize)
        text = sep.join([one if isinstance(one, str) else format_nest(one, ends) for one in inputs])
    write(text + ("\n" if end is None else end), output_stream)


def value_of(x):
    """The array of a Tensor or a Variable."""
    return x.__tf_tensor__().value if hasattr(x, "__tf_tensor__") else x


def print_values(nests, *values, **settings):
    """Print arrays, placed in these nests, in the form of the Tensors that they belong to."""
    tensors = [Tensor.of(x) if isinstance(x, (np.ndarray, np.generic)) else x for x in values]
    print(*nest.pack_sequence_as(nests, tensors), **settings)


def is_scalar_string(x):
    return hasattr(x, "__tf_tensor__") and x.dtype == dtypes.string and x.shape.rank == 0


def write(text, stream):
    """Write to a Python stream, or append to the file named by "file://"."""
    if isinstance(stream, str) and stream.startswith("file://"):
        path = stream[len("file://") :]
        try:
            with open(path, "a", encoding="utf-8") as file:
                file.write(text)
        except FileNotFoundError:
            raise errors.NotFoundError(None, None, f"{path}; No such file or directory [Op:PrintV2] name: ") from None
    elif stream is None or stream in (sys.stdout, sys.stderr):
        (stream or sys.stderr).write(text)
    else:
        problem = f"Unsupported output stream, logging level, or file.{visible(stream)}. Supported streams are"
        raise ValueError(f"{problem} sys.stdout, sys.stderr. File needs to be in the form of 'file://<filepath>'.")


class Placeholder:
    """Stands for a Tensor while `pprint` formats its nest. It is as wide as TensorFlow's '{}', so lines break alike."""

    def __init__(self, number):
        self.number = number

    def __repr__(self):
        return f"\0{self.number:03}"  # occurs in no other text: Python prints a zero byte as \\x00


def format_nest(x, ends):
    """The text of a nest, with `ends` elements from each end of an axis of the Tensors in it."""
    import pprint  # imported here because it would slow down importing minigrad

    nested = list(x) if isinstance(x, (range, MappingView)) else x
    leaves = nest.flatten(nested)
    placeholders = [Placeholder(k) if hasattr(leaf, "__tf_tensor__") else leaf for k, leaf in enumerate(leaves)]
    text = pprint.pformat(nest.pack_sequence_as(nested, placeholders))
    return re.sub("\0([0-9]+)", lambda found: format_tensor(leaves[int(found[1])], ends), text)


def format_tensor(tensor, ends):
    """The elements of a Tensor, `ends` from each end of an axis; a negative `ends` means all."""
    value = np.asarray(convert_to_tensor(tensor).value)
    if value.dtype.kind == "c" and value.ndim:  # TensorFlow prints only how many there are
        shown = " ".join("?" * (value.size if ends < 0 else min(ends, value.size)))
        return f"[{shown}{'...' * (0 <= ends < value.size)}]"
    nothing = value.dtype.kind == "b" and not value.size
    return "" if nothing else format_array(value, value.size if ends < 0 else min(ends, value.size), value.ndim)


def format_array(array, ends, ndim):
    """The elements in brackets, `ends` from each end of an axis; `ndim` is the rank of the whole Tensor."""
    if not isinstance(array, np.ndarray) or not array.ndim:
        return format_element(array if isinstance(array, bytes) else array[()])
    gap = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * (ndim - array.ndim + 1)
    first = [format_array(one, ends, ndim) for one in array[:ends]]
    last = [format_array(one, ends, ndim) for one in array[max(ends, len(array) - ends) :]]
    dots = gap + "..." if len(array) > 2 * ends else ""
    return f"[{gap.join(first)}{dots}{''.join([gap + row for row in last])}]"


# The escapes of C: a letter after a backslash for these characters, and octal numbers for other control characters.
LETTERS = {ord(a): f"\\{b}" for a, b in zip("\n\r\t\"'\\", "nrt\"'\\")}
ESCAPES = {k: f"\\{k:03o}" for k in (*range(32), 127)} | LETTERS


def format_element(x):
    """One element: a float with 6 digits (15 in float64) if they are exact, else with 9 (17)."""
    if isinstance(x, bytes):
        return f'"{x.decode(errors="replace").translate(ESCAPES)}"'
    if x.dtype.kind == "c":
        return "?"
    if x.dtype.kind != "f":
        return str(int(x))
    x = x if x.dtype == np.float64 else np.float32(x)
    few, many = (15, 17) if x.dtype == np.float64 else (6, 9)
    short = f"{x:.{few}g}"
    return short if x.dtype.type(short) == x or x != x else f"{x:.{many}g}"
