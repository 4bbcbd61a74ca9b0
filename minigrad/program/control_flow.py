"""tf.cond, tf.while_loop, tf.map_fn and other control flow, run eagerly by Python.

A tape records the ops that run inside. `group`, `no_op` and others that only matter in graphs do nothing.
"""

import contextlib
from collections import OrderedDict
from typing import Any

import numpy as np

from .. import errors, nest
from ..debugging import Assert
from ..engine import Tensor, TensorShape, Variable, dtypes
from ..engine.backward import output_ids
from ..engine.listening import listening, put_off, repeating
from ..engine.tape import GradientTape, UnconnectedGradients
from ..errors import visible
from ..ops import concat, convert_to_tensor, stack
from .graphs import Unrecorded
from .specs import TensorSpec
from .tensor_array import TensorArray, fitting

# ---- branches ------------------------------------------------------------------------------------------------------


def cond(pred, true_fn=None, false_fn=None, name=None) -> Any:
    """`true_fn()` if `pred` is true, else `false_fn()`; only that one runs.

    Args:
        pred: a scalar, or a Tensor of one element.
        true_fn, false_fn: functions without arguments.

    Raises:
        TypeError: a branch is not callable.
        ValueError: `pred` is None, or does not have one element.

    >>> import minigrad as mg
    >>> x = mg.constant(3.0)
    >>> float(mg.cond(x > 1.0, lambda: x * x, lambda: -x))
    9.0
    """
    check_callable("true_fn", true_fn)
    check_callable("false_fn", false_fn)
    return true_fn() if truth_of(pred) else false_fn()


def truth_of(pred):
    """The truth value of a condition, as a Python bool.

    Raises:
        ValueError: it does not have one element.
    """
    pred = convert_to_tensor(pred)
    if not pred.value.size:
        problem = "The truth value of an empty array is ambiguous."
        raise ValueError(f"{problem} Write mg.size(x) > 0 to ask whether there is an element.")
    return bool(pred)


def check_callable(name, function):
    if not callable(function):
        raise TypeError(f"'{name}' must be callable.")


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case") -> Any:
    """The result of the first function whose condition is true.

    Args:
        pred_fn_pairs: a list of pairs (condition, function): a scalar bool Tensor, and a function without arguments.
        default: the function that runs if no condition is true.
        exclusive: whether it is an error if more than one condition is true.
        strict, name: accepted as in TensorFlow, without effect.

    Raises:
        InvalidArgumentError: no condition is true and there is no default; or `exclusive`, and more than one is true.
        TypeError: a condition is not a bool Tensor, or a function is not callable.
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
    if exclusive:  # without a default, TensorFlow uses the last function as one, and ignores its condition
        check_exclusive(preds if default is not None else preds[:-1])
    for pred, function in pairs:
        if pred:
            return function()
    if default is None:
        Assert(preds[-1], ["Input error: None of conditions evaluated as True:", preds], summarize=len(preds))
    return default()


def checked_pairs(pairs, exclusive):
    """The pairs of `case` as a list, after checking them."""
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pairs)}")
    if isinstance(pairs, dict):
        if not exclusive and not isinstance(pairs, OrderedDict):
            problem = "Unordered dictionaries are not supported for the 'pred_fn_pairs' argument when `exclusive=False`"
            raise ValueError(f"{problem} and eager mode is enabled. Write a list of pairs (condition, function).")
        pairs = pairs.items()
    if not pairs:
        raise ValueError("not enough values to unpack (expected 2, got 0): 'pred_fn_pairs' is empty")
    for pair in pairs:
        check_pair("pred_fn_pairs", pair)
        pred, function = pair
        if not isinstance(pred, Tensor):
            problem = f"pred must be a Tensor, got: {pred}."
            raise TypeError(f"{problem} Write Python's own if, or mg.convert_to_tensor(...) around it.")
        if pred.dtype != dtypes.bool:
            raise TypeError(f"pred must be Tensor of type bool: {pred}")
        if not callable(function):
            raise TypeError(f"fn for pred {pred} must be callable.")
    return list(pairs)


def check_pair(name, pair):
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise TypeError(f"Each entry in '{name}' must be a 2-tuple. Received {visible(pair)}.")


def check_exclusive(preds):
    if sum(bool(pred) for pred in preds) > 1:
        unnamed = ", ".join(["?"] * len(preds))
        text = f"Input error: exclusive=True: more than 1 conditions ({unnamed}) evaluated as True:"
        Assert(convert_to_tensor(False), [text, preds], summarize=len(preds))


def switch_case(branch_index, branch_fns, default=None, name="switch_case") -> Any:
    """The result of branch `branch_index`; if there is none, of `default`, or else of the last branch.

    Args:
        branch_index: a scalar integer Tensor.
        branch_fns: a list of functions without arguments, a list of pairs (number, function), or a dict. The numbers
            are 0, 1, 2, ...
        default: a function without arguments.

    Raises:
        TypeError: the index is not an integer Tensor, a number is not an int, or a function is not callable.
        ValueError: there are no functions, or the numbers have gaps.
        InvalidArgumentError: the index is not a scalar.

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
    if branch_index.shape.rank:
        raise errors.invalid(f"'branch_index' must be a scalar, but has shape {branch_index.shape}")
    branches = checked_branches(branch_fns)
    return branches.get(int(branch_index), default or branches[max(branches)])()


def checked_branches(branches):
    """The functions of `switch_case` by number, after checking them."""
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
        problem = "branch indices (keys) must form contiguous range"
        raise ValueError(f"{problem} of [0 to {len(keys)}) but found {{{found}}}")
    return dict(pairs)


# ---- loops ---------------------------------------------------------------------------------------------------------


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False,
               maximum_iterations=None, name=None) -> Any:  # fmt: skip
    """Repeat `loop_vars = body(*loop_vars)` while `cond(*loop_vars)` is true.

    Args:
        cond: takes the loop variables and returns a scalar bool.
        body: takes the loop variables and returns their next values, in the same structure. Within an `mg.function` it
            may return a single one without a list, or a list for a tuple, as in TensorFlow.
        loop_vars: the initial values, in a list or a tuple; a Variable stands for its value.
        maximum_iterations: the largest number of iterations. If it is given, `body` must return a list for a list and a
            tuple for a tuple, as in TensorFlow.
        shape_invariants, parallel_iterations, back_prop, swap_memory, name: accepted as in TensorFlow, without effect.

    Returns:
        The final loop variables, as Tensors.

    Raises:
        ValueError: there are no loop variables, or `body` returned another structure.
        TypeError: `cond` or `body` is not callable, or `body` returned another type of sequence.

    >>> import minigrad as mg
    >>> i, y = mg.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2.0), (0, mg.constant(1.0)))
    >>> float(y)
    8.0
    """
    repeating()
    check_callable("cond", cond)
    check_callable("body", body)
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    loop_vars = nest.map_structure(lambda x: x.__tf_tensor__() if isinstance(x, Variable) else x, loop_vars)
    loop_vars = loop_tensors(loop_vars) if listening.graph else loop_vars
    first, iterations = loop_vars, 0
    while cond(*loop_vars) and (maximum_iterations is None or iterations < int(maximum_iterations)):
        loop_vars, iterations = body(*loop_vars), iterations + 1
        if listening.graph:
            loop_vars = loop_vars if nest.is_nested(loop_vars) else [loop_vars]
            nest.assert_same_structure(first, loop_vars, check_types=False)
            loop_vars = nest.pack_sequence_as(first, nest.flatten(loop_vars))
        elif maximum_iterations is None:
            nest.assert_same_structure(list(first), list(loop_vars))
        else:
            nest.assert_same_structure(first, loop_vars)
    return loop_tensors(loop_vars)


def loop_tensors(loop_vars):
    return nest.map_structure(lambda x: x if isinstance(x, TensorArray) else convert_to_tensor(x), loop_vars)


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True,
           name=None, fn_output_signature=None) -> Any:  # fmt: skip
    """Apply `fn` to each row of `elems`, and stack the results along a new first axis.

    Args:
        fn: takes a row, of shape (...), and returns a Tensor or a nest of Tensors.
        elems: a Tensor of shape (n, ...), or a nest of such Tensors; then a row is a nest too.
        fn_output_signature: a dtype or an `mg.TensorSpec`, in the nest that `fn` returns; by default those of `elems`.
        dtype: an older name of `fn_output_signature`.
        infer_shape: whether all results must have the same shape as the first.
        parallel_iterations, back_prop, swap_memory, name: accepted as in TensorFlow, without effect.

    Returns:
        Tensors of shape (n, ...), in the nest that `fn` returns.

    Raises:
        ValueError: there is no Tensor or a scalar in `elems`, the numbers of rows differ, or `fn` returned another
            structure or shape.
        InvalidArgumentError: `fn` returned another dtype.

    >>> import minigrad as mg
    >>> mg.map_fn(lambda row: mg.reduce_sum(row), mg.constant([[1.0, 2.0], [3.0, 4.0]])).numpy()
    array([3., 7.], dtype=float32)
    """
    repeating()
    signature = dtype if fn_output_signature is None else fn_output_signature
    check_elems(elems)
    leaves, rows = leaves_and_rows(elems)
    wanted = nest.pack_sequence_as(elems, [x.dtype for x in leaves]) if signature is None else signature
    specs = [one if isinstance(one, TensorSpec) else TensorSpec(None, one) for one in nest.flatten(wanted)]
    columns = [[] for _ in specs]
    for row in rows:
        result = fn(row)
        nest.assert_same_structure(wanted, result)
        for column, value, spec in zip(columns, nest.flatten(result), specs):
            column.append(fitting(value, spec.dtype, column[0].shape if column and infer_shape else spec.shape))
    results = [stack(column) if column else empty_stack(spec) for column, spec in zip(columns, specs)]
    return nest.pack_sequence_as(wanted, results)


def check_elems(elems):
    if not nest.flatten(elems):
        problem = "elems must be a Tensor or (possibly nested) sequence of Tensors."
        raise ValueError(f"{problem} Got {elems}, which does not contain any Tensors.")


def empty_stack(spec):
    """A stack of zero Tensors of this spec: shape (0, ...), or (0,) if the rank is unknown, as in TensorFlow.

    Raises:
        ValueError: a length is unknown.
    """
    shape = (0,) if spec.shape.rank is None else (0, *spec.shape)
    if None in shape:
        problem = f"Tensor's shape (0,) is not compatible with supplied shape {shape}:"
        raise ValueError(f"{problem} with no elements, nothing tells the lengths")
    return Tensor.of(np.zeros(shape, spec.dtype.dtype))


def leaves_and_rows(elems):
    """The Tensors of a nest, and a list of nests with their rows.

    Raises:
        ValueError: one is a scalar, or the numbers of rows differ.
    """
    leaves = [convert_to_tensor(x) for x in nest.flatten(elems)]
    if any(not x.ndim for x in leaves):
        raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    for x in leaves[1:]:
        if len(x) != len(leaves[0]):
            raise ValueError(f"Dimensions {len(leaves[0])} and {len(x)} are not compatible")
    return leaves, [nest.pack_sequence_as(elems, [x[i] for x in leaves]) for i in range(len(leaves[0]))]


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True) -> Any:
    """Apply `fn` to each row of `elems`, and stack the results, in any structure and dtypes, along a new first axis.

    Args:
        fn: takes a row, of shape (...), and returns a Tensor or a nest of Tensors.
        elems: a Tensor of shape (n, ...), or a nest of such Tensors; then a row is a nest too.
        fallback_to_while_loop, warn: accepted as in TensorFlow, without effect.

    Returns:
        Tensors of shape (n, ...), in the nest that `fn` returns.

    Raises:
        ValueError: there is no Tensor or a scalar in `elems`, or the numbers of rows differ.

    >>> import minigrad as mg
    >>> mg.vectorized_map(lambda row: mg.reduce_sum(row), mg.constant([[1.0, 2.0], [3.0, 4.0]])).numpy()
    array([3., 7.], dtype=float32)
    """
    repeating()
    check_elems(elems)
    leaves, rows = leaves_and_rows(elems)
    if rows:
        return stack_results([fn(row) for row in rows])
    # for no rows, the results have the structure that a row of zeros gives
    padded = [concat([x, np.zeros((1, *x.shape[1:]), x.value.dtype)], 0) for x in leaves]
    one = vectorized_map(fn, nest.pack_sequence_as(elems, padded))
    return nest.map_structure(lambda y: y[:0], one)


def stack_results(results):
    """Stack nests of the same structure into one nest of Tensors."""
    return nest.pack_sequence_as(results[0], [stack(list(column)) for column in zip(*map(nest.flatten, results))])


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None) -> Any:
    """Combine the rows of `elems` from the first to the last: `fn(fn(fn(initializer, elems[0]), elems[1]), ...)`.

    Args:
        fn: takes the value accumulated so far and the next row, and returns the next accumulated value.
        elems: a Tensor of shape (n, ...), or a nest of such Tensors; then a row is a nest too.
        initializer: the initial value, with the structure of the others; by default the first row.
        parallel_iterations, back_prop, swap_memory, name: accepted as in TensorFlow, without effect.

    Returns:
        The last accumulated value.

    Raises:
        OutOfRangeError: there is neither a row nor an initializer.
        ValueError, TypeError: `fn` returned another structure.

    >>> import minigrad as mg
    >>> float(mg.foldl(lambda total, x: total * 2.0 + x, mg.constant([1.0, 2.0, 3.0])))
    11.0
    """
    repeating()
    return loop_tensors(accumulated(fn, leaves_and_rows(elems)[1], initializer)[-1])


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None) -> Any:
    """Like `foldl`, from the last row to the first.

    >>> import minigrad as mg
    >>> float(mg.foldr(lambda total, x: total * 2.0 + x, mg.constant([1.0, 2.0, 3.0])))
    17.0
    """
    repeating()
    return loop_tensors(accumulated(fn, leaves_and_rows(elems)[1][::-1], initializer)[-1])


def scan(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, infer_shape=True,
         reverse=False, name=None) -> Any:  # fmt: skip
    """Like `foldl`, but return all accumulated values.

    Args:
        fn, elems, initializer: as for `foldl`.
        reverse: whether to go from the last row to the first.
        infer_shape: whether all values must have the shape of the first.
        parallel_iterations, back_prop, swap_memory, name: accepted as in TensorFlow, without effect.

    Returns:
        The accumulated value after each row, stacked in the order of the rows: Tensors of shape (n, ...).

    Raises:
        OutOfRangeError: there is neither a row nor an initializer.
        ValueError, TypeError: `fn` returned another structure or shape.
        InvalidArgumentError: `fn` returned another dtype.

    >>> import minigrad as mg
    >>> mg.scan(lambda total, x: total + x, mg.constant([1.0, 2.0, 3.0])).numpy()
    array([1., 3., 6.], dtype=float32)
    """
    repeating()
    direction = -1 if reverse else 1
    initial = None if initializer is None else nest.map_structure(convert_to_tensor, initializer)

    def fitted(y, like):
        return fitting(y, like.dtype, like.shape if infer_shape else TensorShape(None))

    def step(total, row):
        return nest.map_structure(fitted, fn(total, row), total)

    values = accumulated(step, leaves_and_rows(elems)[1][::direction], initial)
    return stack_results(values[initializer is not None :][::direction])


def accumulated(fn, rows, initializer):
    """The initial value, and the value accumulated after each further row."""
    if not rows and initializer is None:
        raise errors.OutOfRangeError(None, None, "Tried to read from index 0 but array size is: 0 ")
    values = [rows[0] if initializer is None else initializer]
    for row in rows[initializer is None :]:
        values.append(fn(values[-1], row))
        nest.assert_same_structure(values[0], values[-1])
    return values


# ---- without effect in eager mode ----------------------------------------------------------------------------------


def no_op(name=None) -> None:
    """Do nothing.

    >>> import minigrad as mg
    >>> mg.no_op()
    """


def group(*inputs, name=None) -> None:
    """Do nothing: the inputs have already been computed.

    >>> import minigrad as mg
    >>> mg.group(mg.constant(1.0))
    """


def control_dependencies(control_inputs) -> contextlib.AbstractContextManager:
    """A block without effect: the inputs have already been computed.

    >>> import minigrad as mg
    >>> with mg.control_dependencies([mg.constant(1.0)]):
    ...     float(mg.constant(2.0))
    2.0
    """
    return contextlib.nullcontext()


def gradients(ys, xs, grad_ys=None, name="gradients", gate_gradients=False, aggregation_method=None,
              stop_gradients=None, unconnected_gradients=UnconnectedGradients.NONE) -> list:  # fmt: skip
    """The derivatives of the sum of `ys`, within an `mg.function`. In eager mode use a GradientTape.

    A function that calls it runs as Python, and a tape records all of it.

    Args:
        ys, xs: Tensors or Variables, one or a list.
        grad_ys: the upstream gradients of `ys`, one or a list; ones if None.
        stop_gradients: Tensors that are taken for constants, one or a list.
        unconnected_gradients: as for `GradientTape.gradient`.
        name, gate_gradients, aggregation_method: accepted as in TensorFlow, without effect.

    Returns:
        A list with a derivative, or None, for each of `xs`.

    Raises:
        RuntimeError: it is not called in a function.

    >>> import minigrad as mg
    >>> @mg.function
    ... def slope(x):
    ...     return mg.gradients(x * x, x)[0]
    >>> print(slope(mg.constant(3.0)).numpy())
    6.0
    """
    if listening.graph is None:
        problem = "mg.gradients is not supported when eager execution is enabled."
        raise RuntimeError(f"{problem} Use mg.GradientTape instead.")
    put_off()
    if listening.graph.tape is None:
        raise Unrecorded
    ys = [y if hasattr(y, "id") else convert_to_tensor(y) for y in nest.flatten(ys)]
    stops = nest.flatten([] if stop_gradients is None else stop_gradients)
    constants = {x.id for x in [*stops, *[y for y in ys if y.dtype.is_integer]]}
    tape = GradientTape()
    tape.roots = {None}  # leave out what does not lead to `xs`
    tape.steps = [step for step in listening.graph.tape.steps if constants.isdisjoint(output_ids(step))]
    upstream = grad_ys if grad_ys is None else nest.flatten(grad_ys)
    return tape.gradient(ys, nest.flatten(xs), upstream, unconnected_gradients)
