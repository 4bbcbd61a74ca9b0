"""GradientTape: it listens while ops run, and walks back over what it wrote down."""

import contextlib
import enum
import functools
import itertools
import math as python_math
import numbers
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import errors, nest
from ..engine import dtypes
from .listening import Listener, heard_by, listening, warn
from .op import OPS, convert
from .rules import Batched, NoBatch, Recorded
from .shape import bracketed
from .slices import Rows, plain
from .tensor import Tensor, next_id

SPENT = "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"


class UnconnectedGradients(enum.Enum):
    """What `tape.gradient` gives for a source that the target does not depend on: `NONE`, or `ZERO`.

    >>> import minigrad as mg
    >>> x = mg.Variable(3.0)
    >>> with mg.GradientTape() as tape:
    ...     y = mg.constant(2.0)
    >>> print(tape.gradient(y, x, unconnected_gradients=mg.UnconnectedGradients.ZERO).numpy())
    0.0
    """

    NONE = "none"
    ZERO = "zero"


class GradientTape(Listener):
    """Records ops as they run, and gives the derivatives of what they computed.

    Only what depends on something *watched* is recorded: trainable Variables are watched when they are read,
    Tensors when you say `watch`. In memory it keeps what the gradient rules will need, and nothing else.

    Args:
        persistent: keep the record, so that `gradient` can be called more than once. Otherwise the first call uses
            it up, and frees its memory as it goes.
        watch_accessed_variables: watch each trainable Variable that is read; if False, watch by hand.

    >>> import minigrad as mg
    >>> x = mg.Variable(3.0)
    >>> with mg.GradientTape() as tape:
    ...     y = x * x
    >>> print(tape.gradient(y, x))
    mg.Tensor(6.0, shape=(), dtype=float32)

    Gradients of gradients come from a tape around a tape:

    >>> with mg.GradientTape() as outer:
    ...     with mg.GradientTape() as inner:
    ...         y = x * x * x
    ...     slope = inner.gradient(y, x)
    >>> print(outer.gradient(slope, x).numpy())
    18.0
    """

    steps: "list | None" = None  # one per live edge, in the order of running; None: never entered, or used up
    live: Any = frozenset()  # the ids that a watched value has reached
    roots = live  # the ids where watching began
    variables: dict  # id -> each Variable that was watched
    versions: dict  # id -> how often each Variable had been assigned when it was last read
    entered = False
    ended = 0  # Tensors with a higher number are younger than the block
    given: tuple = (), (), ()  # what was asked last: the ids of targets and sources, and weak references to the answers
    refused = False  # was the last question one too many?

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True):
        self.persistent, self.auto, self.number = persistent, watch_accessed_variables, next_id()
        self.variables, self.versions = {}, {}

    # ---- recording -------------------------------------------------------------------------------------------------

    def __enter__(self):
        if self in listening.now:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        if self.steps is None:
            self.forget()
        self.entered, self.ended = True, 0
        self.start()
        return self

    def __exit__(self, *error):
        self.ended = next_id()
        self.stop()

    def forget(self):
        """An empty record."""
        self.given, self.refused = GradientTape.given, False
        self.steps, self.live, self.roots, self.variables, self.versions = [], set(), set(), {}, {}

    def watch(self, tensor: Any) -> None:
        """Record, from here on, what is computed from `tensor`.

        Args:
            tensor: a Tensor or a Variable of a float or complex dtype, or a nest of them.

        Raises:
            ValueError: it is something else, such as a Python number.
            AttributeError: the tape is not running yet.

        >>> import minigrad as mg
        >>> x = mg.constant(3.0)
        >>> with mg.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> print(tape.gradient(y, x).numpy())
        6.0
        """
        for one in nest.flatten(tensor):
            if not hasattr(one, "id") or hasattr(one, "path"):  # a Variable of Keras has a path
                advice = "Write tape.watch(v.value)." if hasattr(one, "path") else "Make it a Tensor first: x = mg.constant(...)."
                raise ValueError(
                    f"Passed in object {one} of type {type(one).__name__!r}, not tf.Tensor or tf.Variable or ExtensionType. {advice}"
                )
            if self.steps is None:
                raise AttributeError(
                    "The tape is not running, so it has nothing to watch with. Call tape.watch(x) inside `with mg.GradientTape() as tape:`."
                )
            dtype = dtypes.to_numpy(one.dtype)
            if dtype.kind not in "fc":
                warn_of_dtype(one.dtype)
            if recording():  # without a running tape, watching has no effect, as in TensorFlow
                self.follow(one, dtype)
                for listener in listening.now:
                    listener.watching(self, one)

    def follow(self, source, dtype):
        """Watch a Tensor or a Variable; nothing flows along one that is not float or complex."""
        if hasattr(source, "trainable"):
            self.variables[source.id] = source
        if dtype.kind in "fc":
            self.roots.add(source.id)
            self.live.add(source.id)

    def read(self, variable):
        """A Variable was read while the tape listens."""
        number = variable.id
        if self.versions.get(number) != variable.version:  # the first time, or the first since it was assigned
            self.versions[number] = variable.version
            if self.auto and variable.trainable:
                self.variables[number] = variable
                if variable.smooth:
                    self.roots.add(number)
                    self.live.add(number)

    def wrote(self, variable: Any, given: Any, how: str) -> None:
        """A Variable that is assigned counts as used; a new one does not."""
        if self.auto and variable.trainable and how != "Variable":
            self.variables[variable.id] = variable

    def watched_variables(self) -> tuple:
        """The Variables that the tape has watched, in the order in which they were created."""
        return tuple(self.variables[i] for i in sorted(self.variables))

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """A block whose ops the tape does not record: what they compute is a constant to it.

        Raises:
            ValueError: the tape is not recording.
            RuntimeError: it was never entered, or is used up.

        >>> import minigrad as mg
        >>> x = mg.Variable(3.0)
        >>> with mg.GradientTape() as tape:
        ...     y = x * x
        ...     with tape.stop_recording():
        ...         size = mg.abs(y)
        >>> print(tape.gradient(size, x))
        None
        """
        if self.steps is None:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        if self not in listening.now:
            raise ValueError("Tape is not recording.")
        for listener in listening.now:
            listener.paused(self)
        self.stop()
        try:
            yield
        finally:
            self.start()

    def reset(self) -> None:
        """Forget all that was recorded and watched, and go on recording.

        Raises:
            ValueError: the tape is not recording.
        """
        if self not in listening.now:
            raise ValueError("Tape is not recording.")
        self.forget()
        for listener in listening.now:
            listener.forgot(self)

    # ---- asking ----------------------------------------------------------------------------------------------------

    def gradient(
        self, target: Any, sources: Any, output_gradients: Any = None, unconnected_gradients: Any = UnconnectedGradients.NONE
    ) -> Any:
        """The derivative of `target` with respect to each of `sources`.

        Args:
            target: a Tensor or Variable, or a nest of them. If there are several elements, it is their sum that is
                differentiated; `jacobian` keeps them apart.
            sources: Tensors or Variables, in any nest of lists, tuples and dicts.
            output_gradients: what to multiply each element of the target by, in the form of `target`; ones if None.
            unconnected_gradients: what to give for a source that the target does not depend on:
                `mg.UnconnectedGradients.NONE` (None) or `ZERO` (zeros).

        Returns:
            The derivatives, in the form of `sources`: each with the shape and dtype of its source, or None. For a
            source that was read by `gather` it is an `mg.IndexedSlices`.

        Raises:
            RuntimeError: the tape is not persistent and was asked before, or was never entered.
            LookupError: an op on the way has no registered gradient.
            TypeError, AttributeError: a target or a source is no Tensor.
            ValueError: `unconnected_gradients` is neither NONE nor ZERO.

        >>> import minigrad as mg
        >>> w, b = mg.Variable([1.0, 2.0]), mg.Variable(1.0)
        >>> with mg.GradientTape() as tape:
        ...     loss = mg.reduce_sum(w * w) + b
        >>> {name: g.numpy() for name, g in tape.gradient(loss, {"w": w, "b": b}).items()}
        {'w': array([2., 4.], dtype=float32), 'b': np.float32(1.0)}
        """
        if self.steps is None:
            raise self.refusal()
        if unconnected_gradients is not UnconnectedGradients.NONE:
            unconnected_gradients = known(unconnected_gradients)
        alone = hasattr(sources, "id")
        leaves, wanted = ([sources], [sources.id]) if alone else source_leaves(sources)
        targets = [target] if hasattr(target, "id") else target_leaves(target)
        given = None if output_gradients is None else given_seeds(self, targets, output_gradients)
        steps = self.play()
        recorded = any([listener.live is not None for listener in listening.now])  # then an outer tape writes this walk down
        if target.__class__ is Tensor and given is None and not recorded:
            y = target.value  # the 1 of a scalar is made faster, and what follows from it is too
            seeds = {target.id: np.ones(y.shape, y.dtype) if y.__class__ is np.ndarray else y.dtype.type(1)}
        else:
            seeds = seeds_of(targets, given or [], recorded)
        if not self.roots.issubset(wanted):
            steps = prune(steps, wanted)
        grads = walk(steps, seeds, wanted, recorded)
        found = [plain(grads[i]) if i in grads else None for i in wanted]
        self.given = [y.id for y in targets], wanted, [None if dx is None else weakref.ref(dx) for dx in found]
        if unconnected_gradients is UnconnectedGradients.ZERO:
            found = [zeros(s) if dx is None else dx for dx, s in zip(found, leaves)]
        for listener in listening.now:
            listener.asked(self, targets, leaves, found)
        if alone:
            return found[0]
        return found if leaves is sources else nest.pack_sequence_as(sources, found)

    def jacobian(self, target: Any, sources: Any, unconnected_gradients: Any = UnconnectedGradients.NONE,
                 parallel_iterations: Any = None, experimental_use_pfor: bool = True) -> Any:  # fmt: skip
        """The derivative of every element of `target` with respect to every element of each source.

        Args:
            target: one Tensor.
            sources: Tensors or Variables, in any nest.
            unconnected_gradients: as for `gradient`.
            parallel_iterations: accepted as in TensorFlow, without effect.
            experimental_use_pfor: if False, the tape must be persistent, as in TensorFlow; it has no other effect.

        Returns:
            In the form of `sources`: a Tensor of shape `target.shape + source.shape` for each, or None.

        Raises:
            RuntimeError: the tape is not persistent and was asked before.
            AttributeError: the target is no Tensor.

        >>> import minigrad as mg
        >>> x = mg.Variable([1.0, 2.0])
        >>> with mg.GradientTape() as tape:
        ...     y = x * x
        >>> print(tape.jacobian(y, x).numpy())
        [[2. 0.]
         [0. 4.]]
        """
        if self.steps is None:
            raise self.refusal()
        unconnected_gradients = known(unconnected_gradients)
        must_persist(self, experimental_use_pfor, "jacobian")
        tracked = one_tensor("target", target).id in self.live or (self.auto and getattr(target, "trainable", False))
        target, (leaves, wanted) = convert(target), source_leaves(sources)
        steps = prune(self.play(), wanted)
        shape, size = target.value.shape, target.value.size
        if tracked and target.value.dtype.kind in "fc":
            rows = np.eye(size, dtype=target.value.dtype).reshape((size, *shape))
            found = rows_walked(steps, target.id, rows, wanted)
        else:
            found = [None] * len(leaves)
        found = [None if dx is None else OPS["reshape"](dx, (*shape, *s.shape)) for dx, s in zip(found, leaves)]
        self.given = [target.id], wanted, [None if dx is None else weakref.ref(dx) for dx in found]
        if unconnected_gradients is UnconnectedGradients.ZERO:
            found = [zeros(s, shape) if dx is None else dx for dx, s in zip(found, leaves)]
        for listener in listening.now:
            listener.asked(self, [target], leaves, found)
        return nest.pack_sequence_as(sources, found) if nest.is_nested(sources) else found[0]

    def batch_jacobian(self, target: Any, source: Any, unconnected_gradients: Any = UnconnectedGradients.NONE,
                       parallel_iterations: Any = None, experimental_use_pfor: bool = True) -> Tensor:  # fmt: skip
        """The Jacobian of each example of a batch, where example i of `target` depends on example i of `source` alone.

        It is computed from the sum over the batch: if examples do mix, the answer is wrong, and nothing says so.

        Args:
            target: a Tensor of shape `(batch, ...)`.
            source: a Tensor or Variable of shape `(batch, ...)`.
            unconnected_gradients: as for `gradient`, but unconnected always gives zeros, as in TensorFlow.
            parallel_iterations: accepted as in TensorFlow, without effect.
            experimental_use_pfor: if False, the tape must be persistent, as in TensorFlow; it has no other effect.

        Returns:
            A Tensor of shape `(batch, target.shape[1:], source.shape[1:])`.

        Raises:
            ValueError: the batches differ in size, or a shape has no second axis.
            RuntimeError: the tape is not persistent and was asked before.

        >>> import minigrad as mg
        >>> x = mg.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> with mg.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> print(tape.batch_jacobian(y, x).numpy())
        [[[2. 0.]
          [0. 4.]]
        <BLANKLINE>
         [[6. 0.]
          [0. 8.]]]
        """
        if self.steps is None:
            raise self.refusal()
        known(unconnected_gradients)
        must_persist(self, experimental_use_pfor, "batch_jacobian")
        target, source = convert(one_tensor("target", target)), one_tensor("source", source)
        if not target.shape.rank:
            raise IndexError("list index out of range: the target is a single number, and has no batch. Ask tape.gradient.")
        for shape in (target.shape.with_rank_at_least(2), source.shape.with_rank_at_least(2)):
            if shape[0] != target.shape[0]:
                raise ValueError(f"Need first dimension of target shape ({target.shape}) and source shape ({source.shape}) to match.")
        batch, *inner = target.value.shape
        steps = prune(self.play(), [source.id])
        size = python_math.prod(inner)
        rows = np.zeros((size, batch, size), target.value.dtype)
        rows[np.arange(size), :, np.arange(size)] = 1
        (found,) = rows_walked(steps, target.id, rows.reshape((size, *target.value.shape)), [source.id])
        if found is None:
            answer = Tensor.of(np.zeros((batch, *inner, *source.shape[1:]), dtypes.to_numpy(source.dtype)))
        else:
            by_example = OPS["transpose"](found, (1, 0, *range(2, 1 + len(source.shape))))
            answer = OPS["reshape"](by_example, (batch, *inner, *source.shape[1:]))
        self.given = [target.id], [source.id], [None if found is None else weakref.ref(answer)]
        for listener in listening.now:
            listener.asked(self, [target], [source], [answer])
        return answer

    def explain(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        check: Callable | None = None,
    ) -> Any:
        """Why `gradient(target, sources)` is None, or whether its number can be trusted. The tape is not used up.

        Args:
            target, sources, output_gradients, unconnected_gradients: as for `gradient`.
            check: a function that computes the target anew from the sources; its slope is measured beside the tape's.

        Returns:
            An `Explanation` for each source, in the form of `sources`: print it. With `mg.trace(True)` at the top, it knows
            every line; without, it says what the tape alone can tell.

        >>> import minigrad as mg
        >>> x = mg.Variable(3)
        >>> with mg.GradientTape() as tape:
        ...     y = x * x
        >>> print(tape.explain(y, x).status, tape.explain(y, x).codes)
        none ('INTEGER',)
        """
        from ..explain import explain

        return explain(self, target, sources, output_gradients, unconnected_gradients, check, frame=sys._getframe(1))

    def refusal(self):
        """The error for a question to a tape that is used up."""
        self.refused = True
        return RuntimeError(SPENT)

    def play(self):
        """The steps, for a walk that eats them: a copy, or on a one-shot tape the only ones there are."""
        for listener in listening.now:
            listener.asking(self)
        if self in listening.now:
            warn_of_recorded_walk() if self.persistent else self.stop()
        if self.persistent:
            return self.steps[:]
        try:
            steps = self.steps
            del self.steps  # of several threads only one can
        except AttributeError:
            raise self.refusal() from None
        return steps


def recording() -> bool:
    """Does any tape (not only a trace) listen in this thread?"""
    return any([listener.live is not None for listener in listening.now])


# ---- the walk ------------------------------------------------------------------------------------------------------


def walk(steps, grads, wanted, recorded=False):
    """From the newest step to the oldest: the gradient of the output, by the rule, is added to the gradient of the input.

    Each step is forgotten once it is done, and so is each gradient that nobody wants: memory falls as the walk goes on.
    """
    wanted, now = set(wanted), None
    traces = [listener for listener in listening.now if listener.live is None]
    while steps:
        output, source, rule, arrays, tensors, shape = step = steps.pop()
        if output != now:
            now, dy = output, grads.get(output) if output in wanted else grads.pop(output, None)
            if output.__class__ is tuple:
                dy = all_arriving(output, grads, wanted)
            elif dy.__class__ is Rows and not hasattr(rule, "keeps_rows"):
                dy = dy.dense()
        if dy is None:
            continue
        dx = rule(dy, *map(Recorded.of, tensors)) if recorded else rule(dy, *arrays)
        if dx is None:
            continue
        if dx.shape != shape and not hasattr(rule, "handed_on"):
            dx = unbroadcast(dx, shape)
        grads[source] = grads[source] + dx if source in grads else dx
        if traces:
            for trace in traces:
                trace.walked(step, dy, dx)
    return grads


def all_arriving(outputs, grads, wanted):
    """The gradients of the many outputs of one op, with zeros for those that are not used; None if none is used."""
    dys = [grads.get(i) if i in wanted else grads.pop(i, None) for i, _, _ in outputs]
    if not some(dys):
        return None
    return [np.zeros(shape, dtype) if dy is None else dense(dy) for dy, (_, shape, dtype) in zip(dys, outputs)]


def prune(steps, wanted):
    """The steps through which a wanted value flows."""
    flows, kept = set(wanted), []
    for step in steps:
        if step[1] in flows:
            flows.update([i for i, _, _ in step[0]] if step[0].__class__ is tuple else (step[0],))
            kept.append(step)
    return kept


def unbroadcast(dx, shape):
    """Sum `dx` over the axes along which broadcasting had copied x."""
    if dx.shape[1:] == shape:  # a bias, nearly always
        if dx.__class__ is np.ndarray and dx.ndim == 2 and dx.dtype.char in "fd":
            return ones(len(dx), dx.dtype).dot(dx)  # as a product, rows are added two to four times faster
        return np.add.reduce(dx, 0)
    extra = len(dx.shape) - len(shape)
    if extra < 0 or any([n not in (1, m) for n, m in zip(shape, dx.shape[extra:])]):
        return dx  # a user's rule has sent this shape, which none of ours can mend
    axes = tuple([i for i, n in enumerate(dx.shape) if i < extra or shape[i - extra] == 1 != n])
    return np.add.reduce(dx, axis=axes).reshape(shape)


@functools.lru_cache(maxsize=4)
def ones(length, dtype):
    """A row of ones, kept ready: a batch has as many rows in every step."""
    return np.ones(length, dtype)


def rows_walked(steps, target, rows, wanted):
    """One walk for each row of seeds, stacked: all rows at once if the rules on the way allow it."""
    recorded = recording()
    if not recorded:
        try:
            grads = walk(steps[:], {target: Batched(rows)}, wanted)
            return [stacked(grads.get(i), len(rows)) for i in wanted]
        except NoBatch:
            pass
    seeds = rows if len(rows) else np.zeros((1, *rows.shape[1:]), rows.dtype)  # without a row, one walk tells what is reached
    walks = [walk(steps[:], {target: seed}, wanted, recorded) for seed in seeds]
    found = [[grads.get(i) for grads in walks] for i in wanted]
    return [OPS["stack"].np([filled(dx, every) for dx in every], 0)[: len(rows)] if some(every) else None for every in found]


def stacked(dx, rows):
    """The rows of a batched gradient; one that no row has changed is the same for all."""
    if dx is None or dx.__class__ is Batched:
        return None if dx is None else dx.value
    return np.broadcast_to(dx, (rows, *dx.shape))


def some(values):
    return any([value is not None for value in values])


def filled(dx, every):
    """A gradient as a dense array; zeros if this row has none."""
    if dx is None:
        like = next(one for one in every if one is not None)
        return np.zeros(like.shape, like.dtype)
    return dense(dx)


def dense(dx):
    return dx.dense() if dx.__class__ is Rows else dx


# ---- what was asked ------------------------------------------------------------------------------------------------


def must_persist(tape, all_rows_at_once, what):
    """To go row by row would need a persistent tape in TensorFlow: here it does not, but what runs here shall run there."""
    if not (all_rows_at_once or tape.persistent):
        raise RuntimeError(
            f"GradientTape must be created with persistent=True to compute the {what} with eager execution enabled and with "
            " experimental_use_pfor set to False."
        )


def target_leaves(target):
    """The leaves of the target, each of which must be a Tensor or a Variable."""
    if target is None:
        raise TypeError(
            "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to be "
            "differentiated, but received None. Was it ever computed?"
        )
    leaves = nest.flatten(target)
    for one in leaves:
        if not hasattr(one, "id"):
            raise no_tensor("target", one, " If it was a Tensor once, it left the tape on the way: keep to mg's own functions.")
    return leaves


def source_leaves(sources):
    """The leaves of the sources, each of which must be a Tensor or a Variable, and their ids."""
    if sources.__class__ is list:  # nearly always a plain one
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
    """The error for a target or a source that is something else; its class is TensorFlow's."""
    if missing == "dtype" and not (isinstance(value, numbers.Number) or hasattr(value, "dtype")):
        return TypeError(f"Cannot convert the argument `type_value`: {value!r} to a TensorFlow DType. A {role} must be a Tensor.{advice}")
    kind, missing = ("numpy.ndarray", "_id") if isinstance(value, np.ndarray) else (type(value).__name__, missing)
    return AttributeError(
        f"{kind!r} object has no attribute {missing!r}: a {role} must be a Tensor or a Variable, but this one is {value!r}.{advice}"
    )


def one_tensor(role, value):
    """The target or source of a Jacobian: a single Tensor or Variable."""
    if not hasattr(value, "id"):
        raise (
            no_tensor(role, value, " For several targets, ask for one Jacobian each.", "shape")
            if value is not None
            else AttributeError(f"'NoneType' object has no attribute 'shape': the {role} is None. Was it ever computed?")
        )
    return value


def given_seeds(tape, targets, output_gradients):
    """The `output_gradients` as Tensors that fit their targets. (Looked at before the tape is used up: a mistake costs nothing.)"""
    with heard_by(*[one for one in listening.now if one is not tape or tape.persistent]):
        return [fitted(convert(seed), convert(one).value) for seed, one in zip(nest.flatten(output_gradients), targets)]


def seeds_of(targets, given, recorded):
    """The gradient to start from at each target: what the user gave, or ones."""
    seeds = {}
    for one, seed in itertools.zip_longest(targets, given):
        if seed is None:
            value = convert(one).value
            seed = Tensor.of(np.ones(value.shape, value.dtype))
        seed = Recorded.of(seed) if recorded else seed.value
        seeds[one.id] = seeds[one.id] + seed if one.id in seeds else seed
    return seeds


def fitted(seed, value):
    """One of the `output_gradients`, in the shape of its target: stretched as in a product, or without leading axes of length 1."""
    if seed.value.dtype != value.dtype:
        given, wanted = [dtypes.BY_NUMPY[one.dtype].kernel_name for one in (seed.value, value)]
        raise errors.InvalidArgumentError(
            None, None,
            f"cannot compute Mul as input #1(zero-based) was expected to be a {given} tensor but is a {wanted} tensor [Op:Mul] name: ",
        )  # fmt: skip
    if seed.value.shape == value.shape:
        return seed
    extra = seed.value.ndim - value.ndim
    try:
        if extra > 0 and seed.value.shape[:extra] == (1,) * extra:
            seed = OPS["reshape"](seed, seed.value.shape[extra:])
        np.broadcast_to(seed.value, value.shape)
    except ValueError:
        given, wanted = [bracketed(one.shape) for one in (seed.value, value)]
        raise errors.InvalidArgumentError(None, None, f"Incompatible shapes: {given} vs. {wanted} [Op:Mul] name: ") from None
    return OPS["broadcast_to"](seed, value.shape)


def known(choice):
    """The member of UnconnectedGradients that was meant."""
    try:
        return UnconnectedGradients(choice)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {choice!r}") from None


def zeros(source, before=()):
    """Zeros for a source that is not connected, with the axes `before` in front. They can be a source themselves."""
    like = OPS["zeros_like"](source)
    return OPS["broadcast_to"](like, (*before, *source.shape)) if before else like


# ---- warnings, as often as TensorFlow gives them -------------------------------------------------------------------

warned = {"dtype": 0, "walk": 0}


def warn_of_dtype(dtype):
    """Nothing flows along integers, booleans and strings. Said five times at most."""
    warned["dtype"] += 1
    if warned["dtype"] <= 5:
        warn("The dtype of the watched tensor must be floating (e.g. tf.float32), got %r", dtype)


def warn_of_recorded_walk():
    """A persistent tape records the walk that happens inside its own block. Said once."""
    warned["walk"] += 1
    if warned["walk"] == 1:
        warn(
            "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient: the tape "
            "records the backward ops too, which takes time and memory. Unindent the call, unless you want a gradient of this gradient."
        )
