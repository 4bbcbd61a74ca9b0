"""tf's control flow, done at once: loops and branches are Python's, and what runs in them is recorded."""

import contextlib
import re
import sys
from collections import OrderedDict
from collections.abc import MappingView

import numpy as np

from .. import errors, nest
from ..debugging import Assert
from ..engine import dtypes
from ..engine.custom import Backward, with_gradient
from ..engine.listening import without_tapes
from ..engine.op import convert
from ..engine.tape import GradientTape, UnconnectedGradients
from ..engine.tensor import Tensor
from ..engine.variable import Variable
from ..errors import invalid
from ..ops.creation import convert_to_tensor
from ..ops.shaping import concat, stack
from .function import TensorSpec
from .tensor_array import TensorArray

# ---- branches ------------------------------------------------------------------------------------------------------


def cond(pred, true_fn=None, false_fn=None, name=None):
    """What `true_fn()` returns if `pred` holds, else what `false_fn()` returns. Only one of them runs.

    Raises:
        TypeError: a branch is no function.
        ValueError: `pred` is no truth value: None, or no element, or several.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> float(mg.cond(x > 1.0, lambda: x * x, lambda: -x))
    9.0
    """
    for word, branch in (("true_fn", true_fn), ("false_fn", false_fn)):
        check_callable(word, branch)
    return true_fn() if holds(pred) else false_fn()


def holds(pred):
    """The truth of what becomes a Tensor of one element."""
    pred = convert_to_tensor(pred)
    if not pred.value.size:
        raise ValueError("The truth value of an empty array is ambiguous. Write mg.size(x) > 0 to ask whether there is an element.")
    return bool(pred)


def check_callable(word, function):
    if not callable(function):
        raise TypeError(f"'{word}' must be callable.")


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """What the function of the first pair returns whose condition holds.

    Args:
        pred_fn_pairs: pairs of a condition, a Tensor, and a function.
        default: the function for the case that none holds.
        exclusive: raise if more than one holds.
        strict, name: accepted as in TensorFlow, without effect.

    Raises:
        InvalidArgumentError: none holds, and there is no default; or more than one, and they exclude each other.
        TypeError: a condition is no Tensor of bools, or what shall run is no function.
        ValueError: there are no pairs.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> float(mg.case([(x < 1.0, lambda: -x), (x < 5.0, lambda: x * x)], default=lambda: x))
    9.0
    """
    pairs = checked_pairs(pred_fn_pairs, exclusive)
    if default is not None:
        check_callable("false_fn", default)
    preds = [pred for pred, _ in pairs]
    if exclusive:  # without a default the last pair takes its place, and TensorFlow does not count it
        check_exclusive(preds if default is not None else preds[:-1])
    for pred, function in pairs:
        if pred:
            return function()
    if default is None:
        Assert(preds[-1], ["Input error: None of conditions evaluated as True:", stack(preds)], summarize=len(preds))
    return default()


def checked_pairs(pairs, exclusive):
    """The conditions and their functions, as a list of pairs."""
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pairs)}")
    if isinstance(pairs, dict):
        if not exclusive and not isinstance(pairs, OrderedDict):
            raise ValueError(
                "Unordered dictionaries are not supported for the 'pred_fn_pairs' argument when `exclusive=False` and "
                "eager mode is enabled. Write a list of pairs (condition, function)."
            )
        pairs = pairs.items()
    if not pairs:
        raise ValueError("not enough values to unpack (expected 2, got 0): 'pred_fn_pairs' is empty")
    for pair in pairs:
        check_pair("pred_fn_pairs", pair)
        pred, function = pair
        if not isinstance(pred, Tensor):
            raise TypeError(f"pred must be a Tensor, got: {pred}. Write Python's own if, or mg.convert_to_tensor(...) around it.")
        if pred.dtype != dtypes.bool:
            raise TypeError(f"pred must be Tensor of type bool: {pred}")
        if not callable(function):
            raise TypeError(f"fn for pred {pred} must be callable.")
    return list(pairs)


def check_pair(word, pair):
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise TypeError(f"Each entry in '{word}' must be a 2-tuple. Received {pair}.")


def check_exclusive(preds):
    if sum(bool(pred) for pred in preds) > 1:
        unnamed = ", ".join(["?"] * len(preds))
        text = f"Input error: exclusive=True: more than 1 conditions ({unnamed}) evaluated as True:"
        Assert(convert_to_tensor(False), [text, stack(preds)], summarize=len(preds))


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """What function number `branch_index` returns; for a number that none has, `default`, or else the last one.

    Args:
        branch_index: an integer Tensor.
        branch_fns: functions, as a list, as pairs `(number, function)` or as a dict. Their numbers are 0, 1, 2, ...
        default: a function.

    Raises:
        TypeError: the index is no Tensor of integers, a number is no int, or what shall run is no function.
        ValueError: there are no functions, or their numbers leave gaps.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> float(mg.switch_case(mg.constant(1), [lambda: x, lambda: x * x]))
    9.0
    """
    if not isinstance(branch_index, Tensor):
        read = " Write v.read_value()." if isinstance(branch_index, Variable) else ""
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}.{read}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype}")
    branches = checked_branches(branch_fns)
    return branches.get(int(branch_index), default or branches[max(branches)])()


def checked_branches(branches):
    """The functions by their numbers."""
    if not branches:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if not isinstance(branches, (list, tuple, dict)):
        raise TypeError("'branch_fns' must be a list, tuple, or dict")
    pairs = list(branches.items() if isinstance(branches, dict) else branches)
    pairs = list(enumerate(pairs)) if all(map(callable, pairs)) else pairs
    for pair in pairs:
        check_pair("branch_fns", pair)
        key, function = pair
        if not isinstance(key, int):
            raise TypeError(f"key must be a Python `int`, got {type(key)}")
        if not callable(function):
            raise TypeError(f"fn for key {key} must be callable.")
    keys = sorted(key for key, _ in pairs)
    if keys != list(range(len(keys))):
        found = ",".join(map(str, keys))
        raise ValueError(f"branch indices (keys) must form contiguous range of [0 to {len(keys)}) but found {{{found}}}")
    return dict(pairs)


# ---- loops ---------------------------------------------------------------------------------------------------------


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False,
               maximum_iterations=None, name=None):  # fmt: skip
    """Run `body` again and again, on what it returned before, as long as `cond` holds.

    Args:
        cond: takes the loop variables, and says whether to go on.
        body: takes the loop variables and returns them anew, in the same form.
        loop_vars: those to begin with, in a list or a tuple. Of a Variable, its value is taken.
        maximum_iterations: how often at most. With it a list is no tuple, as in TensorFlow.
        shape_invariants, parallel_iterations, back_prop, swap_memory, name: accepted as in TensorFlow, without effect.

    Returns:
        The loop variables at the end.

    Raises:
        ValueError: there are none, or `body` returned another form.
        TypeError: `cond` or `body` is no function, or `body` returned a list for a tuple.

    >>> import minigrad as mg
    >>> i, y = mg.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2.0), (0, mg.constant(1.0)))
    >>> float(y)
    8.0
    """
    check_callable("cond", cond)
    check_callable("body", body)
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    loop_vars = nest.map_structure(lambda x: x.__tf_tensor__() if isinstance(x, Variable) else x, loop_vars)
    first, turns = loop_vars, 0
    while cond(*loop_vars) and (maximum_iterations is None or turns < int(maximum_iterations)):
        loop_vars, turns = body(*loop_vars), turns + 1
        if maximum_iterations is None:
            nest.assert_same_structure(list(first), list(loop_vars))
        else:
            nest.assert_same_structure(first, loop_vars)
    return nest.map_structure(lambda x: x if isinstance(x, TensorArray) else convert_to_tensor(x), loop_vars)


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True,
           name=None, fn_output_signature=None):  # fmt: skip
    """`fn` of each part of `elems` along the first axis, stacked again.

    Args:
        fn: takes one part and returns a Tensor, or a nest of them.
        elems: a Tensor, or a nest of Tensors of the same length.
        fn_output_signature: what `fn` returns, if it differs from `elems`: in its form, dtypes or `mg.TensorSpec`s.
        dtype: an older name of `fn_output_signature`.
        infer_shape: whether what `fn` returns first tells the shape of the others.
        parallel_iterations, back_prop, swap_memory, name: accepted as in TensorFlow, without effect.

    Raises:
        ValueError: no element, or one without an axis; lengths that differ; or `fn` returned another form or shape.
        InvalidArgumentError: `fn` returned another dtype.

    >>> import minigrad as mg
    >>> mg.map_fn(lambda row: mg.reduce_sum(row), mg.constant([[1.0, 2.0], [3.0, 4.0]])).numpy()
    array([3., 7.], dtype=float32)
    """
    signature = dtype if fn_output_signature is None else fn_output_signature
    check_elems(elems)
    leaves, rows = parts(elems)
    wanted = nest.pack_sequence_as(elems, [x.dtype for x in leaves]) if signature is None else signature
    specs = [one if isinstance(one, TensorSpec) else TensorSpec(None, one) for one in nest.flatten(wanted)]
    columns = [[] for _ in specs]
    for row in rows:
        result = fn(row)
        nest.assert_same_structure(wanted, result)
        for column, value, spec in zip(columns, nest.flatten(result), specs):
            column.append(fitting(value, spec.dtype, column[0].shape if column and infer_shape else spec.shape))
    results = [stack(column) if column else nothing(spec) for column, spec in zip(columns, specs)]
    return nest.pack_sequence_as(wanted, results)


def check_elems(elems):
    if not nest.flatten(elems):
        raise ValueError(
            f"elems must be a Tensor or (possibly nested) sequence of Tensors. Got {elems}, which does not contain any Tensors."
        )


def fitting(value, dtype, shape):
    """The value as a Tensor, if it has this dtype and this shape."""
    value = convert_to_tensor(value, dtype_hint=dtype)
    if value.dtype != dtype:
        text = f"TensorArray dtype is {dtype.name} but Op is trying to write dtype {value.dtype.name} "
        raise invalid(text)
    if not shape.is_compatible_with(value.shape):
        raise ValueError(f"Incompatible shape for value ({value.shape}), expected ({shape})")
    return value


def nothing(spec):
    """A stack of no Tensors of this spec. Of a shape that is not known it has one axis alone, as in TensorFlow."""
    shape = (0,) if spec.shape.rank is None else (0, *spec.shape)
    if None in shape:
        raise ValueError(f"Tensor's shape (0,) is not compatible with supplied shape {shape}: with no elements, nothing tells the lengths")
    return Tensor.of(np.zeros(shape, spec.dtype.dtype))


def parts(elems):
    """The Tensors of a nest, and the nest again for each place along their first axis."""
    leaves = [convert_to_tensor(x) for x in nest.flatten(elems)]
    if any(not x.ndim for x in leaves):
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    for x in leaves[1:]:
        if len(x) != len(leaves[0]):
            raise ValueError(f"Dimensions {len(leaves[0])} and {len(x)} are not compatible")
    return leaves, [nest.pack_sequence_as(elems, [x[i] for x in leaves]) for i in range(len(leaves[0]))]


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """`fn` of each part of `elems` along the first axis, stacked again. `fn` may return any form and dtype.

    Args:
        fn: takes one part and returns a Tensor, or a nest of them.
        elems: a Tensor, or a nest of Tensors of the same length.
        fallback_to_while_loop, warn: accepted as in TensorFlow, without effect.

    >>> import minigrad as mg
    >>> mg.vectorized_map(lambda row: mg.reduce_sum(row), mg.constant([[1.0, 2.0], [3.0, 4.0]])).numpy()
    array([3., 7.], dtype=float32)
    """
    check_elems(elems)
    leaves, rows = parts(elems)
    if rows:
        return stacked([fn(row) for row in rows])
    padded = [concat([x, np.zeros((1, *x.shape[1:]), x.value.dtype)], 0) for x in leaves]  # `fn` tells the form
    one = vectorized_map(fn, nest.pack_sequence_as(elems, padded))
    return nest.map_structure(lambda y: y[:0], one)


def stacked(results):
    """Nests of one form, as a nest of stacked Tensors."""
    return nest.pack_sequence_as(results[0], [stack(list(column)) for column in zip(*map(nest.flatten, results))])


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """`fn(fn(fn(initializer, elems[0]), elems[1]), ...)`.

    Args:
        fn: takes what has been gathered so far, and the next part.
        elems: a Tensor, or a nest of Tensors of the same length.
        initializer: what to begin with; by default the first part.
        parallel_iterations, back_prop, swap_memory, name: accepted as in TensorFlow, without effect.

    >>> import minigrad as mg
    >>> float(mg.foldl(lambda total, x: total * 2.0 + x, mg.constant([1.0, 2.0, 3.0])))
    11.0
    """
    return gathered(fn, parts(elems)[1], initializer)[-1]


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """As `foldl`, from the last part to the first.

    >>> import minigrad as mg
    >>> float(mg.foldr(lambda total, x: total * 2.0 + x, mg.constant([1.0, 2.0, 3.0])))
    17.0
    """
    return gathered(fn, parts(elems)[1][::-1], initializer)[-1]


def scan(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, infer_shape=True,
         reverse=False, name=None):  # fmt: skip
    """As `foldl`, and what was gathered after each part, stacked.

    Args:
        fn, elems, initializer: as for `foldl`.
        reverse: go from the last part to the first.
        parallel_iterations, back_prop, swap_memory, infer_shape, name: accepted as in TensorFlow, without effect.

    >>> import minigrad as mg
    >>> mg.scan(lambda total, x: total + x, mg.constant([1.0, 2.0, 3.0])).numpy()
    array([1., 3., 6.], dtype=float32)
    """
    turn = -1 if reverse else 1
    totals = gathered(fn, parts(elems)[1][::turn], initializer)
    return stacked(totals[initializer is not None :][::turn])


def gathered(fn, rows, initializer):
    """What there is at first, and after each row."""
    if not rows and initializer is None:
        raise errors.OutOfRangeError(None, None, "Tried to read from index 0 but array size is: 0 ")
    totals = [rows[0] if initializer is None else nest.map_structure(convert_to_tensor, initializer)]
    for row in rows[initializer is None :]:
        totals.append(fn(totals[-1], row))
    return totals


# ---- what graphs need and eager mode does not ----------------------------------------------------------------------


def no_op(name=None) -> None:
    """Nothing.

    >>> import minigrad as mg
    >>> mg.no_op()
    """


def group(*inputs, name=None) -> None:
    """Nothing: what is grouped has been done already.

    >>> import minigrad as mg
    >>> mg.group(mg.constant(1.0))
    """


def control_dependencies(control_inputs):
    """A block that waits for nothing: what it would wait for has been done already.

    >>> import minigrad as mg
    >>> with mg.control_dependencies([mg.constant(1.0)]):
    ...     float(mg.constant(2.0))
    2.0
    """
    return contextlib.nullcontext()


def gradients(ys, xs, grad_ys=None, name="gradients", **options):
    """The derivatives in a graph. In eager mode there is none, and a tape takes its place.

    Raises:
        RuntimeError: always.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> mg.gradients(x * x, x)
    Traceback (most recent call last):
    RuntimeError: mg.gradients is not supported when eager execution is enabled. Use mg.GradientTape instead.
    """
    raise RuntimeError("mg.gradients is not supported when eager execution is enabled. Use mg.GradientTape instead.")


# ---- printing ------------------------------------------------------------------------------------------------------


def print(*inputs, output_stream=None, summarize=3, sep=" ", end="\n", name=None, **unknown) -> None:
    """Print Tensors in short: no dtype, no shape, of each axis the first and the last three.

    A text in a Tensor stands in quotes, unless it is all that is printed.

    Args:
        *inputs: Tensors, anything else, and nests of them.
        output_stream: `sys.stdout`, `sys.stderr` (the default), or "file://" and a path, to append to a file.
        summarize: how many from each end of an axis; -1 for all.
        sep: what stands between the inputs.
        end: what stands at the end.
        name: accepted as in TensorFlow, without effect.

    Raises:
        ValueError: there is no such stream, or no such option.
        NotFoundError: the file is in a directory that is not there.

    >>> import minigrad as mg, sys
    >>> mg.print("x is", mg.constant([1.0, 2.5]), output_stream=sys.stdout)
    x is [1 2.5]
    """
    if unknown:
        raise ValueError(f"Unrecognized keyword arguments for mg.print: {unknown}")
    if len(inputs) == 1 and is_text(inputs[0]):
        text = plain(inputs[0])
    else:
        ends = 3 if summarize is None else int(summarize)
        text = sep.join([one if isinstance(one, str) else told(one, ends) for one in inputs])
    write(text + ("\n" if end is None else end), output_stream)


def is_text(x):
    return hasattr(x, "__tf_tensor__") and x.dtype == dtypes.string and x.shape.rank == 0


def plain(x):
    return convert_to_tensor(x).value[()].decode(errors="replace")


def write(text, stream):
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
        raise ValueError(
            f"Unsupported output stream, logging level, or file.{stream}. Supported streams are sys.stdout, sys.stderr. "
            "File needs to be in the form of 'file://<filepath>'."
        )


class Place:
    """Where in a nest a Tensor stands, for `pprint`: as wide as TensorFlow's '{}', so that lines break alike."""

    def __init__(self, number):
        self.number = number

    def __repr__(self):
        return f"\0{self.number:03}"  # no text has this: Python writes a zero byte as \\x00


def told(x, ends):
    """The text of a Tensor, or of a nest that holds some."""
    import pprint  # which would make importing slower

    nested = list(x) if isinstance(x, (range, MappingView)) else x
    leaves = nest.flatten(nested)
    places = [Place(k) if hasattr(leaf, "__tf_tensor__") else leaf for k, leaf in enumerate(leaves)]
    text = pprint.pformat(nest.pack_sequence_as(nested, places))
    return re.sub("\0([0-9]+)", lambda place: in_short(leaves[int(place[1])], ends), text)


def in_short(tensor, ends):
    """The elements of a Tensor, `ends` from each end of an axis, or all if it is negative."""
    value = np.asarray(convert_to_tensor(tensor).value)
    return shortened(value, value.size if ends < 0 else min(ends, value.size), value.ndim)


def shortened(array, ends, ndim):
    """The elements in brackets, of each axis the first and the last few."""
    if not isinstance(array, np.ndarray) or not array.ndim:
        return element(array if isinstance(array, bytes) else array[()])
    gap = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * (ndim - array.ndim + 1)
    rows = [shortened(one, ends, ndim) for one in array[:ends]]
    rest = [shortened(one, ends, ndim) for one in array[max(ends, len(array) - ends) :]]
    dots = gap + "..." if len(array) > 2 * ends else ""
    return f"[{gap.join(rows)}{dots}{''.join([gap + row for row in rest])}]"


# In quotes a text is written as C's: these letters with a backslash, and what cannot be seen by its number.
ESCAPES = {k: f"\\{k:03o}" for k in (*range(32), 127)} | {ord(a): f"\\{b}" for a, b in zip("\n\r\t\"'\\", "nrt\"'\\")}


def element(x):
    """One element: as few digits as tell it from its neighbours, or nearly so."""
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


# ---- functions of Python -------------------------------------------------------------------------------------------


def py_function(func=None, inp=None, Tout=None, name=None):
    """Call a Python function of Tensors as if it were one op: gradients flow through it, but only to what is in `inp`.

    Args:
        func: takes Tensors, returns one or several, or what becomes such; or None for nothing.
        inp: a list of Tensors, or of what becomes such.
        Tout: the dtype of what is returned; for several, a list.
        name: accepted as in TensorFlow, without effect.

    Returns:
        A Tensor; a list if `Tout` is one.

    Raises:
        TypeError: there is no `Tout`.
        ValueError: `func` is no function.
        InvalidArgumentError: it raises a TypeError or a ValueError, or returns too little or another dtype.
        UnknownError: it raises another error.

    Note:
        There is no second derivative, as in TensorFlow; where `func` does not depend on an input, the gradient is 0.

    >>> import minigrad as mg
    >>> x = mg.Variable(3.0)
    >>> with mg.GradientTape() as tape:
    ...     y = mg.py_function(lambda a: a * a if a > 1.0 else a, [x], mg.float32)
    >>> float(y), float(tape.gradient(y, x))
    (9.0, 6.0)
    """
    if Tout is None:
        raise TypeError("Missing required argument: 'Tout'")
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}.")
    several = isinstance(Tout, (list, tuple))
    wanted = [dtypes.as_dtype(getattr(one, "dtype", one)) for one in (Tout if several else [Tout])]
    inputs = [convert(x) for x in inp]
    given = [Tensor.of(x.value) for x in inputs]
    with without_tapes(), GradientTape(persistent=True) as tape:
        tape.watch([x for x in given if x.dtype.is_floating or x.dtype.is_complex])
        results = returned_by(func, given, wanted)

    def backward(*dys):
        with without_tapes():
            return tape.gradient(results, given, list(dys), UnconnectedGradients.ZERO)

    outputs = with_gradient(inputs, results, Backward(backward, len(inputs), []))
    return outputs if several else outputs[0]


def returned_by(func, given, wanted):
    """What a function returns, as Tensors of these dtypes."""
    try:
        returned = func(*given)
        returned = [] if returned is None else returned
        returned = list(returned) if isinstance(returned, (list, tuple)) else [returned]
        results = [convert_to_tensor(value, dtype) for value, dtype in zip(returned, wanted)]
    except Exception as problem:
        error = errors.InvalidArgumentError if isinstance(problem, (TypeError, ValueError)) else errors.UnknownError
        raise error(None, None, f"{type(problem).__name__}: {problem}") from problem
    if len(results) < len(wanted):
        text = f"pyfunc returns {len(results)} values, but expects to see {len(wanted)} values. [Op:EagerPyFunc] name: "
        raise invalid(text)
    return results
