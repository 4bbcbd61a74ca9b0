"""Checks the arguments of `gradient` and `jacobian`, and makes the initial gradients.

Errors have TensorFlow's classes, and say what to write instead.
"""

import enum
import itertools
import numbers

import numpy as np

from .. import nest
from ..errors import invalid
from .conversion import another_dtype
from .listening import listeners_only, listening, warn
from .operands import OPS, convert
from .rules import as_recorded
from .shape import bracketed
from .tensor import Tensor


class UnconnectedGradients(enum.Enum):
    """What `tape.gradient` returns for a source that the target does not depend on: `NONE`, or `ZERO`.

    >>> import minigrad as mg
    >>> x = mg.Variable(3.0)
    >>> with mg.GradientTape() as tape:
    ...     y = mg.constant(2.0)
    >>> print(tape.gradient(y, x, unconnected_gradients=mg.UnconnectedGradients.ZERO).numpy())
    0.0
    """

    NONE = "none"
    ZERO = "zero"


def must_persist(tape, all_rows_at_once, what):
    """Refuse row-by-row Jacobians from a non-persistent tape: possible here, but not in TensorFlow."""
    if not (all_rows_at_once or tape.persistent):
        problem = f"GradientTape must be created with persistent=True to compute the {what} with eager"
        raise RuntimeError(f"{problem} execution enabled and with  experimental_use_pfor set to False.")


def target_leaves(target):
    """The leaves of the target, each of which must be a Tensor or a Variable."""
    if target is None:
        given = "Variables or CompositeTensors to be differentiated, but received None. Was it ever computed?"
        raise TypeError(f"Argument `target` should be a list or nested structure of Tensors, {given}")
    leaves = nest.flatten(target)
    for one in leaves:
        if not hasattr(one, "id"):
            advice = " If it was a Tensor once, it left the tape on the way: keep to mg's own functions."
            raise no_tensor("target", one, advice)
    return leaves


def source_leaves(sources):
    """The leaves of the sources, each of which must be a Tensor or a Variable, and their ids."""
    if sources.__class__ is list:  # nearly always a flat list
        try:
            return sources, [one.id for one in sources]
        except AttributeError:
            pass
    leaves = nest.flatten(sources)
    for one in leaves:
        if not hasattr(one, "id"):
            raise no_tensor("source", one, " Before the tape write x = mg.constant(...), inside it tape.watch(x).")
    return leaves, [one.id for one in leaves]


def no_tensor(role, value, advice, missing="dtype"):
    """The error, of TensorFlow's class, for a target or source that is neither a Tensor nor a Variable."""
    if missing == "dtype" and not (isinstance(value, numbers.Number) or hasattr(value, "dtype")):
        problem = f"Cannot convert the argument `type_value`: {value!r} to a TensorFlow DType."
        return TypeError(f"{problem} A {role} must be a Tensor.{advice}")
    kind, missing = ("numpy.ndarray", "_id") if isinstance(value, np.ndarray) else (type(value).__name__, missing)
    problem = f"{kind!r} object has no attribute {missing!r}:"
    return AttributeError(f"{problem} a {role} must be a Tensor or a Variable, but this one is {value!r}.{advice}")


def one_tensor(role, value):
    """The target or source of a Jacobian: a single Tensor or Variable."""
    if not hasattr(value, "id"):
        if value is None:
            problem = f"'NoneType' object has no attribute 'shape': the {role} is None. Was it ever computed?"
            raise AttributeError(problem)
        raise no_tensor(role, value, " For several targets, ask for one Jacobian each.", "shape")
    return value


def seeds_of(tape, targets, output_gradients=None, recorded=False):
    """The initial gradient of each target: what the user gave, or ones.

    The user's gradients are checked before the tape is used up: a mistake costs nothing.

    Returns:
        id of a target -> an array of its shape; if the backward pass is recorded, a Recorded Tensor.
    """
    values, given = [one.value for one in targets if one.__class__ is Tensor], []
    if output_gradients is not None or len(values) < len(targets):
        with listeners_only(*[one for one in listening.now if one != tape or tape.persistent]):
            values = [convert(one).value for one in targets]
            given = [] if output_gradients is None else [convert(seed) for seed in nest.flatten(output_gradients)]
            given = [fitted(seed, value) for seed, value in zip(given, values)]
    seeds = {}
    for one, value, seed in itertools.zip_longest(targets, values, given):
        if seed is None and value.dtype.kind == "O":  # a string has no 1: nothing flows, not even to itself
            seeds[one.id] = None
            continue
        seed = Tensor.of(np.ones(value.shape, value.dtype)) if seed is None else seed
        seed = as_recorded(seed) if recorded else seed.value
        seeds[one.id] = seeds[one.id] + seed if one.id in seeds else seed
    return seeds


def fitted(seed, value):
    """One of the `output_gradients`, in the shape of its target: broadcast, or without leading axes of length 1."""
    if seed.value.dtype != value.dtype:
        raise invalid(f"{another_dtype('Mul', 1, seed.value.dtype, value.dtype)} [Op:Mul] name: ")
    if seed.value.shape == value.shape:
        return seed
    extra = seed.value.ndim - value.ndim
    try:
        if extra > 0 and seed.value.shape[:extra] == (1,) * extra:
            seed = OPS["reshape"](seed, seed.value.shape[extra:])
        np.broadcast_to(seed.value, value.shape)
    except ValueError:
        given, wanted = [bracketed(one.shape) for one in (seed.value, value)]
        raise invalid(f"Incompatible shapes: {given} vs. {wanted} [Op:Mul] name: ") from None
    return OPS["broadcast_to"](seed, value.shape)


def unconnected_mode(choice):
    """The member of UnconnectedGradients that `choice` names.

    Raises:
        ValueError: there is no such member.
    """
    try:
        return UnconnectedGradients(choice)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {choice!r}") from None


def zeros_of(source, before=()):
    """Zeros for an unconnected source, with the axes `before` in front. They can be a source themselves."""
    like = OPS["zeros_like"](source)
    return OPS["broadcast_to"](like, (*before, *source.shape)) if before else like


# ---- warnings, as often as TensorFlow gives them -------------------------------------------------------------------

warned = {"dtype": 0, "recorded": 0}


def warn_of_dtype(dtype):
    """Warn, five times at most, that no gradient flows through integers, booleans and strings."""
    warned["dtype"] += 1
    if warned["dtype"] <= 5:
        warn("The dtype of the watched tensor must be floating (e.g. tf.float32), got %r", dtype)


def warn_of_recorded_backward():
    """Warn, once, that a persistent tape records a backward pass inside its own block."""
    warned["recorded"] += 1
    if warned["recorded"] == 1:
        problem = "Calling GradientTape.gradient on a persistent tape inside its context is significantly less"
        reason = "efficient: the tape records the backward ops too, which takes time and memory."
        warn(f"{problem} {reason} Unindent the call, unless you want a gradient of this gradient.")
