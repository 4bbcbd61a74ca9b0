"""GradientTape: records a step for each tracked input of an op; `gradient` runs the backward pass over the steps."""

import contextlib
import math as python_math
import operator
import sys
import weakref
from functools import partial
from types import MethodType
from typing import Any

import numpy as np

from .. import nest
from ..errors import visible
from . import dtypes
from .backward import backward, backward_rows, prune
from .listening import Exit, Listener, end, listeners_only, listening, recording
from .operands import convert
from .questions import (
    UnconnectedGradients,
    must_persist,
    one_tensor,
    seeds_of,
    source_leaves,
    target_leaves,
    unconnected_mode,
    warn_of_dtype,
    warn_of_recorded_backward,
    zeros_of,
)  # fmt: skip
from .rules import Recorded
from .slices import IndexedSlices, SparseRows
from .tensor import Tensor, next_id

# Since 3.14, a call releases a bound method before running it: the weak reference to it would exit the block twice.
bound = MethodType if sys.version_info < (3, 14) else partial


class TapeExit(Exit):
    """Exit for tapes. As a tape is in one block at a time, the weak reference is kept in `tape.block`."""

    def __get__(self, tape, kind=None):
        if tape is None:
            return self.method
        if tape.block is not None:  # looked up again, inside the block
            return tape.stop
        leave = bound(self.method, tape)
        tape.block = weakref.ref(leave, bound(self.method, tape))
        return leave


class GradientTape(Listener):
    """Records ops as they run, and computes the derivatives of their results.

    Only ops on something that depends on a *watched* value are recorded: trainable Variables are watched when they are
    read, Tensors when you call `watch`. The tape keeps in memory only what the VJPs will need.

    Args:
        persistent: keep the record, so that `gradient` can be called more than once; its memory is freed with the
            tape, or by `reset`. Otherwise the first call uses it up, freeing its memory along the way.
        watch_accessed_variables: watch each trainable Variable that is read; if False, watch by hand.

    >>> import minigrad as mg
    >>> x = mg.Variable(3.0)
    >>> with mg.GradientTape() as tape:
    ...     y = x * x
    >>> print(tape.gradient(y, x))
    mg.Tensor(6.0, shape=(), dtype=float32)

    Nested tapes compute gradients of gradients:

    >>> with mg.GradientTape() as outer:
    ...     with mg.GradientTape() as inner:
    ...         y = x * x * x
    ...     slope = inner.gradient(y, x)
    >>> print(outer.gradient(slope, x).numpy())
    18.0
    """

    # A step for each tracked input of an op, in execution order (see backward.py); None: not entered, or used up.
    steps: "list | None" = None
    tracked_ids: Any = frozenset()  # the ids of all values that depend on something watched
    roots = tracked_ids  # the ids of what is watched
    variables: dict  # id -> watched Variable
    read_versions: dict  # id -> the version of the Variable when it was last read
    entered = False
    ended = 0  # Tensors with a higher id were made after the block
    last_question: tuple = (), (), ()  # the ids of targets and sources, and weak references to the gradients
    refused = False  # was it asked again once used up?
    traces: tuple = ()  # the last traces that heard it
    checkpoint: Any = None  # from which a trace can replay its block
    here: Any = None  # the state of `listening` in the thread in which it was entered
    block: Any = None  # a weak reference to what its open `with` holds: see Exit

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True):
        self.persistent, self.watch_accessed, self.number = persistent, watch_accessed_variables, next_id()
        self.tracked_ids, self.roots, self.variables, self.read_versions = set(), set(), {}, {}

    # ---- recording -------------------------------------------------------------------------------------------------

    def __enter__(self, here: Any = None):
        if self.here is not None and self in self.here["now"]:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        if self.steps is None:
            if self.entered:  # and used up
                self._forget()
            self.steps = []
        self.entered, self.ended, self.here = True, 0, here or listening.__dict__
        one = self if self.block is not None else self._held_by_hand()
        others = self.here["now"]
        self.here["now"] = (*others, one)
        for listener in others:
            listener.started(self)
        return self

    @TapeExit
    def __exit__(self, *error):
        here = self.here or listening.__dict__
        self.ended = next_id()
        now = here["now"]
        if now and now[-1] is self and not here["hidden"]:
            here["now"] = now[:-1]
        else:
            end(here, self)
        for listener in here["now"]:
            listener.stopped(self)
        if error:
            self.block = None

    def stop(self, *error: Any) -> None:
        """Stop listening, even if the block continues."""
        GradientTape.__exit__(self)

    def _held_by_hand(self):
        """A proxy that listens for a tape entered without `with`, for as long as the tape is referenced."""
        return weakref.proxy(self, partial(end, self.here, same=operator.is_))

    def _forget(self):
        """Start an empty record."""
        self.last_question, self.refused, self.steps = GradientTape.last_question, False, []
        self.tracked_ids, self.roots, self.variables, self.read_versions = set(), set(), {}, {}

    def _is_recorded(self):
        """Will a tape record the backward pass? An outer one does, and so does a persistent tape inside its block."""
        return any([one.tracked_ids is not None and (one != self or self.persistent) for one in listening.now])

    def watch(self, tensor: Any) -> None:
        """Record, from here on, what is computed from `tensor`.

        Earlier ops stay unrecorded: what the VJP of an unwatched input would need is not kept. (TensorFlow keeps all
        inputs of an op if one of them is watched: after `y = matmul(x, w)` with a Variable `w` and only then
        `watch(x)`, it gives dy/dx. minigrad gives None, and `explain` says why.)

        Args:
            tensor: a Tensor or a Variable of a float or complex dtype, or a nest of them.

        Raises:
            ValueError: `tensor` is something else, such as a Python number.
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
                given = f"{visible(one)} of type {type(one).__name__!r}"
                problem = f"Passed in object {given}, not tf.Tensor or tf.Variable or ExtensionType."
                of_keras = hasattr(one, "path")
                fix = "Write tape.watch(v.value)." if of_keras else "Make it a Tensor first: x = mg.constant(...)."
                raise ValueError(f"{problem} {fix}")
            if self.steps is None:
                problem = "The tape is not running, so it has nothing to watch with."
                raise AttributeError(f"{problem} Call tape.watch(x) inside `with mg.GradientTape() as tape:`.")
            dtype = dtypes.to_numpy(one.dtype)
            if dtype.kind not in "fc":
                warn_of_dtype(one.dtype)
            if recording():  # without a running tape, watching has no effect, as in TensorFlow
                if hasattr(one, "trainable"):
                    self.variables[one.id] = one
                if dtype.kind in "fc":
                    self.roots.add(one.id)
                    self.tracked_ids.add(one.id)
                for listener in listening.now:
                    listener.watching(self, one)

    def read(self, variable):
        """A Variable was read, for the first time while the tape listens, or since its last assignment."""
        self.read_versions[variable.id] = variable.version
        if self.watch_accessed and variable.trainable:
            self.variables[variable.id] = variable
            if variable.smooth:
                self.roots.add(variable.id)
                self.tracked_ids.add(variable.id)

    def wrote(self, variable: Any, given: Any, how: str) -> None:
        """A Variable that is assigned is listed in `watched_variables`; a new one is not."""
        if self.watch_accessed and variable.trainable and how != "Variable":
            self.variables[variable.id] = variable

    def watched_variables(self) -> tuple:
        """The Variables that the tape has watched, in the order in which they were created.

        >>> import minigrad as mg
        >>> x, unread = mg.Variable(3.0, name="x"), mg.Variable(1.0)
        >>> with mg.GradientTape() as tape:
        ...     y = x * x
        >>> print([v.name for v in tape.watched_variables()])
        ['x:0']
        """
        return tuple(self.variables[i] for i in sorted(self.variables))

    def stop_recording(self) -> contextlib.AbstractContextManager[None]:
        """A context manager whose ops the tape does not record: their results are constants to it.

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
        return Pause(self)

    def reset(self) -> None:
        """Discard everything recorded and watched, and continue recording.

        Raises:
            ValueError: the tape is not recording.

        >>> import minigrad as mg
        >>> x = mg.Variable(3.0)
        >>> with mg.GradientTape() as tape:
        ...     y = x * x
        ...     tape.reset()
        ...     z = 2.0 * x
        >>> print(tape.gradient([y, z], x).numpy())
        2.0
        """
        if self not in listening.now:
            raise ValueError("Tape is not recording.")
        self._forget()
        for listener in listening.now:
            listener.forgot(self)

    # ---- asking ----------------------------------------------------------------------------------------------------

    def gradient(self, target: Any, sources: Any, output_gradients: Any = None,
                 unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:  # fmt: skip
        """The derivative of `target` with respect to each of `sources`.

        Args:
            target: a Tensor or Variable, or a nest of them. The sum of all elements is differentiated; `jacobian` keeps
                them apart.
            sources: Tensors or Variables, in any nest of lists, tuples and dicts.
            output_gradients: the upstream gradients of the target, in the structure of `target`; ones if None.
            unconnected_gradients: what to return for a source that the target does not depend on:
                `mg.UnconnectedGradients.NONE` (None) or `ZERO` (zeros).

        Returns:
            The derivatives, in the structure of `sources`: each with the shape and dtype of its source, or None. The
            derivative for a source that was read by `gather` is an `mg.IndexedSlices`.

        Raises:
            RuntimeError: the tape is not persistent and was asked before, or was never entered.
            LookupError: an op on the way has no registered gradient.
            TypeError, AttributeError: a target or a source is neither a Tensor nor a Variable.
            ValueError: `unconnected_gradients` is neither NONE nor ZERO.
            InvalidArgumentError: one of the `output_gradients` has another dtype, or a shape that does not fit.

        >>> import minigrad as mg
        >>> w, b = mg.Variable([1.0, 2.0]), mg.Variable(1.0)
        >>> with mg.GradientTape() as tape:
        ...     loss = mg.reduce_sum(w * w) + b
        >>> {name: g.numpy() for name, g in tape.gradient(loss, {"w": w, "b": b}).items()}
        {'w': array([2., 4.], dtype=float32), 'b': np.float32(1.0)}
        """
        if self.steps is None:
            raise self._used_up()
        missing = None
        if unconnected_gradients is not UnconnectedGradients.NONE:
            missing = zeros_of if unconnected_mode(unconnected_gradients) is UnconnectedGradients.ZERO else None
        alone = hasattr(sources, "id")
        leaves, source_ids = ([sources], [sources.id]) if alone else source_leaves(sources)
        targets = [target] if hasattr(target, "id") else target_leaves(target)
        recorded = self._is_recorded() if listening.now else False
        if target.__class__ is Tensor and output_gradients is None and not recorded and target.value.dtype.kind != "O":
            y = target.value  # a scalar 1 is faster to make, and to compute with
            seeds = {target.id: np.ones(y.shape, y.dtype) if y.shape else y.dtype.type(1)}
        else:
            try:
                seeds = seeds_of(self, targets, output_gradients, recorded)
            except Exception as problem:
                self._told(targets, leaves, problem)
                raise
        found = self._ask(backward, targets, seeds, leaves, source_ids, recorded, missing)
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
            In the structure of `sources`: a Tensor of shape `target.shape + source.shape` for each, or None.

        Raises:
            RuntimeError: the tape is not persistent and was asked before.
            AttributeError: the target is not a Tensor.
            ValueError: `unconnected_gradients` is neither NONE nor ZERO.

        >>> import minigrad as mg
        >>> x = mg.Variable([1.0, 2.0])
        >>> with mg.GradientTape() as tape:
        ...     y = x * x
        >>> print(tape.jacobian(y, x).numpy())
        [[2. 0.]
         [0. 4.]]
        """
        if self.steps is None:
            raise self._used_up()
        unconnected_gradients = unconnected_mode(unconnected_gradients)
        must_persist(self, experimental_use_pfor, "jacobian")
        watched = self.watch_accessed and getattr(target, "trainable", False)
        target = self._dense(target)
        tracked = target.id in self.tracked_ids or watched
        target, (leaves, source_ids) = convert(target), source_leaves(sources)
        shape, size = target.value.shape, target.value.size
        smooth = tracked and target.value.dtype.kind in "fc"
        seeds = {target.id: np.eye(size, dtype=target.value.dtype).reshape((size, *shape)) if smooth else None}

        def in_shape(*given):
            return {i: rows.reshape((*shape, *rows.shape[1:])) for i, rows in backward_rows(*given).items()}

        zero = unconnected_gradients is UnconnectedGradients.ZERO
        missing = (lambda source: zeros_of(source, shape)) if zero else None
        found = self._ask(in_shape, [target], seeds, leaves, source_ids, self._is_recorded(), missing)
        return nest.pack_sequence_as(sources, found) if nest.is_nested(sources) else found[0]

    def batch_jacobian(self, target: Any, source: Any, unconnected_gradients: Any = UnconnectedGradients.NONE,
                       parallel_iterations: Any = None, experimental_use_pfor: bool = True) -> Tensor:  # fmt: skip
        """The Jacobian of each example of a batch, where example i of `target` depends on example i of `source` alone.

        It is computed from the sum over the batch: if examples do mix, the result is silently wrong.

        Args:
            target: a Tensor of shape `(batch, ...)`.
            source: a Tensor or Variable of shape `(batch, ...)`.
            unconnected_gradients: as for `gradient`, but an unconnected source always gets zeros, as in TensorFlow.
            parallel_iterations: accepted as in TensorFlow, without effect.
            experimental_use_pfor: if False, the tape must be persistent, as in TensorFlow; it has no other effect.

        Returns:
            A Tensor of shape `(batch, target.shape[1:], source.shape[1:])`.

        Raises:
            ValueError: the batches differ in size, or a shape has no second axis.
            IndexError: the target is a single number.
            AttributeError: the target or the source is neither a Tensor nor a Variable.
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
            raise self._used_up()
        unconnected_mode(unconnected_gradients)
        must_persist(self, experimental_use_pfor, "batch_jacobian")
        target, source = convert(self._dense(target)), one_tensor("source", source)
        if not target.shape.rank:
            raise IndexError("list index out of range: the target is one number, and has no batch. Ask tape.gradient.")
        for shape in (target.shape.with_rank_at_least(2), source.shape.with_rank_at_least(2)):
            if shape[0] != target.shape[0]:
                problem = f"Need first dimension of target shape ({target.shape})"
                raise ValueError(f"{problem} and source shape ({source.shape}) to match.")
        batch, *inner = target.value.shape
        size, whole = python_math.prod(inner), (batch, *inner, *source.shape[1:])
        rows = np.zeros((size, batch, size), target.value.dtype)
        rows[np.arange(size), :, np.arange(size)] = 1
        seeds = {target.id: rows.reshape((size, *target.value.shape))}

        def by_example(*given):
            found = backward_rows(*given).items()
            return {i: np.transpose(rows, (1, 0, *range(2, rows.ndim))).reshape(whole) for i, rows in found}

        def missing(source):
            return Tensor.of(np.zeros(whole, dtypes.to_numpy(source.dtype)))

        return self._ask(by_example, [target], seeds, [source], [source.id], self._is_recorded(), missing)[0]

    def _dense(self, target):
        """The target of a Jacobian: one Tensor. The op that sums sparse rows is recorded too."""
        if target.__class__ is not IndexedSlices:
            return one_tensor("target", target)
        with listeners_only(*[one for one in listening.now if one is not self], self):
            return convert(target)

    def _ask(self, compute, targets, seeds, sources, source_ids, recorded, missing):
        """The common part of all questions: take the steps, run the backward pass, notify listeners, keep the question.

        Args:
            compute: `backward`, or a function that arranges the rows found by `backward_rows`.
            seeds: id of a target -> its initial gradient.
            missing: makes the result for an unconnected source; if None, that is None.
        """
        now = listening.now
        for listener in now:
            listener.asking(self)
        if self in now:
            warn_of_recorded_backward() if self.persistent else self.stop()
        try:
            steps = self.steps[:] if self.persistent else self.steps
            if not self.persistent:
                del self.steps  # only one of several threads can
        except (AttributeError, TypeError):
            raise self._used_up() from None
        if not self.roots.issubset(source_ids):
            steps = prune(steps, source_ids)
        target_ids, found, references = list(seeds), [], []
        try:
            grads = compute(steps, seeds, source_ids, recorded)
        except Exception as problem:
            self._told(targets, sources, problem)
            raise
        for dx in map(grads.get, source_ids):
            if dx is None:
                answer = None
            elif dx.__class__ is Recorded or dx.__class__ is SparseRows:
                answer = dx.public()
            else:
                answer = Tensor()
                answer.value, answer.id = dx, next_id()
            found.append(answer)
            references.append(answer if answer is None else weakref.ref(answer))
        self.last_question = target_ids, source_ids, references
        if missing is not None:
            found = [dx if i in grads else missing(source) for i, dx, source in zip(source_ids, found, sources)]
        for listener in listening.now:
            listener.asked(self, targets, sources, found)
        return found

    def explain(self, target: Any, sources: Any, output_gradients: Any = None,
                unconnected_gradients: Any = UnconnectedGradients.NONE,
                seconds: float | None = None) -> Any:  # fmt: skip
        """Why `gradient(target, sources)` is None, or whether its number can be trusted. The tape is not used up.

        Args:
            target, sources, output_gradients, unconnected_gradients: as for `gradient`.
            seconds: under a trace, how long the tape's block may be replayed to test the answer; 0 for no replay. The
                default is the value of the environment variable MINIGRAD_SECONDS, or else 1.8.

        Returns:
            An `Explanation` for each source, in the structure of `sources`: print it. With `mg.trace(True)` at the top,
            it knows every line; without, only what the tape recorded.

        >>> import minigrad as mg
        >>> x = mg.Variable(3)
        >>> with mg.GradientTape() as tape:
        ...     y = x * x
        >>> print(tape.explain(y, x).status, tape.explain(y, x).codes)
        none ('INTEGER',)
        """
        from ..explain import explain  # the only upward import, made on first use

        return explain(self, target, sources, output_gradients, unconnected_gradients, seconds)

    def _used_up(self):
        """The error for a question to a used-up tape."""
        self.refused = True
        problem = "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
        return self._told((), (), RuntimeError(problem))

    def _told(self, targets, sources, problem):
        """The error of a question, of which the listeners have been told."""
        for listener in listening.now:
            listener.raised(self, targets, sources, problem)
        return problem


class Pause(contextlib.ContextDecorator):
    """The block of `stop_recording`."""

    block: Any = ()  # the tape's; None if it was entered by hand

    def __init__(self, tape):
        self.tape = tape

    def __enter__(self):
        tape = self.tape
        if tape.steps is None:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        if tape not in listening.now:
            raise ValueError("Tape is not recording.")
        for listener in listening.now:
            listener.paused(tape)
        self.block = tape.block
        tape.stop()

    @Exit
    def __exit__(self, here, *error):
        tape = self.tape
        if self.block is tape.block and tape not in tape.here["now"]:  # the tape's block goes on
            tape.__enter__(tape.here)
        here["blocks"].pop(self, None)
