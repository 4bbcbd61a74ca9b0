"""tf.train: checkpoints, which save the values of Variables to a file and restore them.

The checkpoint `path` is one file, `path.npz`: an array for each Variable, named by the attributes that lead to it, and
the graph of these names as JSON. It is read without pickle, so a file from elsewhere can contain wrong numbers, but no
program. It is written under another name and then renamed: a file is complete, or it does not exist.
"""

import json
import os
import time
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .engine import Variable, convert, dtypes, warn
from .engine.conversion import strings
from .errors import DataLossError, NotFoundError, UnimplementedError, by_kernel, visible
from .program import module
from .random.generator import Generator

__all__ = ["Checkpoint", "CheckpointManager", "latest_checkpoint", "list_variables", "load_variable"]
__dir__ = __all__.copy  # what Tab offers

GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
OF_TENSORFLOW = (".index", ".meta", ".h5", ".keras")


# ---- files ---------------------------------------------------------------------------------------------------------


def replace_file(path, write):
    """Create or replace a file in a single move: readers see either the old or the new version."""
    beside = f"{path}.{os.getpid()}.part"
    try:
        with open(beside, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        if os.path.exists(beside):
            os.remove(beside)


def save_state(path, nodes, states):
    """Write a graph, and the values of its Variables and iterators by name, to one file."""
    text = np.frombuffer(json.dumps(nodes).encode(), np.uint8)
    stored = {name: with_end_marks(value_of(state)) for name, state in states.items()}
    replace_file(path, lambda file: np.savez(file, **{GRAPH: text}, **stored))


def load_state(path, kind=".npz"):
    """The graph and the arrays of a file.

    Raises:
        NotFoundError: there is no such file.
        UnimplementedError: it was written by TensorFlow.
        DataLossError: it is damaged, or not a checkpoint.
    """
    if not os.path.exists(path):
        there = [path.removesuffix(kind) + other for other in OF_TENSORFLOW]
        if any(map(os.path.exists, there)):
            raise of_tensorflow(path)
        problem = "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for"
        raise NotFoundError(None, None, f"{problem} {visible(path.removesuffix(kind))}")
    with open(path, "rb") as file:
        if file.read(8) == b"\x89HDF\r\n\x1a\n":
            raise of_tensorflow(path)
        file.seek(0)
        try:
            with np.load(file, allow_pickle=False) as stored:
                arrays = {name: without_end_marks(stored[name]) for name in stored.files}
            nodes = checked(json.loads(arrays.pop(GRAPH).tobytes()), arrays)
        except Exception as problem:
            reason = f"{type(problem).__name__}: {problem}"
            text = f"{visible(path)} is damaged, or no checkpoint of minigrad ({visible(reason)})."
            raise DataLossError(None, None, f"{text} Restore an older one.") from None
    return nodes, arrays


def of_tensorflow(path):
    """The error for a file written by TensorFlow or Keras."""
    problem = f"{visible(path)} was written by TensorFlow, whose format minigrad does not read."
    fix = "There write np.savez(path, *[v.numpy() for v in variables]); here assign the arrays of np.load(path)."
    return UnimplementedError(None, None, f"{problem} {fix}")


def checked(nodes, arrays):
    """Check a graph from a file: each edge must lead to a node, and each name to an array."""
    for node in nodes:
        known = node in arrays if isinstance(node, str) else all(child in range(len(nodes)) for child in node.values())
        if not known:
            raise ValueError(f"{visible(node)} leads nowhere")
    return nodes


def with_end_marks(array):
    """Mark the ends of strings, because NumPy drops trailing zero bytes and a file without pickle must keep them."""
    return array if array.dtype.kind != "O" else np.array([text + b"." for text in array.ravel()]).reshape(array.shape)


def without_end_marks(array):
    """Remove the marks of `with_end_marks`."""
    return array if array.dtype.kind != "S" else strings([text[:-1] for text in array.ravel()], array.shape)


# ---- the graph of what is kept -------------------------------------------------------------------------------------


def is_state(x) -> bool:
    """Whether the object itself is saved: a Variable, a Keras Variable, or an iterator."""
    return (hasattr(x, "assign") and hasattr(x, "id")) or hasattr(x, "_go_to")


def is_followed(x) -> bool:
    """Whether a checkpoint saves the object or looks inside it. Modules, layers and optimizers have `variables`."""
    has_variables = hasattr(type(x), "variables") and not hasattr(x, "update_state")  # metrics are excluded
    return has_variables or is_state(x) or isinstance(x, (list, tuple, Mapping, Checkpoint, Generator))


def children(x) -> dict:
    """The objects that a checkpoint follows from this one, by attribute name, key, or index in a list."""
    if is_state(x):
        return {}
    if isinstance(x, (list, tuple)):
        named: Mapping = {str(i): one for i, one in enumerate(x)}
    elif isinstance(x, Checkpoint):
        named = x._named()
    else:
        named = x if isinstance(x, Mapping) else vars(x)
    return {name: one for name, one in named.items() if isinstance(name, str) and is_followed(one)}


def graph_of(root):
    """All objects reachable from `root`, by the shortest paths.

    Returns:
        For each object, the objects it holds, as name -> number of an object, or the name of its array if it is saved
            itself; and the saved objects by name.
    """
    objects, numbers, paths, nodes, states = [root], {id(root): 0}, [""], [], {}
    for number, one in enumerate(objects):  # grows during the loop
        node, path = {}, paths[number]
        for name, child in children(one).items():
            if id(child) not in numbers:
                numbers[id(child)] = len(objects)
                objects.append(child)
                paths.append(f"{path}/{name.replace('.', '..').replace('/', '.S')}".lstrip("/"))
            node[name] = numbers[id(child)]
        if is_state(one):
            kind = "ITERATOR_STATE" if hasattr(one, "_go_to") else "VARIABLE_VALUE"
            node = f"{path}/.ATTRIBUTES/{kind}"
            states[node] = one
        nodes.append(node)
    return nodes, states


def value_of(state):
    """The array saved for a Variable or an iterator."""
    if hasattr(state, "_go_to"):
        return np.array([state._taken])
    inner = state if isinstance(state, Variable) else state.value
    return np.asarray(inner._present())


# ---- restoring ----------------------------------------------------------------------------------------------------


def give(state, array):
    """Restore a Variable or an iterator.

    Raises:
        ValueError: the shape differs.
        InvalidArgumentError: the dtype differs.
    """
    if hasattr(state, "_go_to"):
        state._go_to(int(array[0]))
        return
    if not state.shape.is_compatible_with(array.shape):
        problem = f"Received incompatible tensor with shape {array.shape} when attempting to restore variable with"
        raise ValueError(f"{problem} shape {tuple(state.shape)} and name {visible(state.name)}.")
    if array.dtype != state.dtype:
        kinds = [f"{dtypes.as_dtype(one).kernel_name}" for one in (state.dtype, array.dtype)]
        problem = f"{visible(state.name)}: expected dtype {kinds[0]} does not equal original dtype {kinds[1]}"
        raise by_kernel("RestoreV2", problem)
    state.assign(array)


class Restoration:
    """The values of a checkpoint: some have been given to Variables, the others wait for Variables made later.

    It keeps waiting as long as any object that it has found is alive, but keeps none of them alive.
    """

    def __init__(self, root, nodes, arrays):
        self.nodes, self.arrays, self.found = nodes, arrays, {0: weakref.ref(root)}  # found: number of a node -> object
        module.waiting[:] = [one for one in module.waiting if one.found[0]() is not root]
        self.match()
        module.waiting.append(self)

    def match(self):
        """Assign the values to the Variables that exist by now, each once."""
        todo = [(one, number) for number, found in self.found.items() if (one := found()) is not None]
        if not todo or not self.arrays:
            module.waiting[:] = [one for one in module.waiting if one is not self]
            return
        seen = set()
        for one, number in todo:  # grows during the loop
            if number in seen or not self.is_the_one(one, number):
                continue
            seen.add(number)
            node = self.nodes[number]
            if isinstance(node, str):
                if node in self.arrays and is_state(one):
                    give(one, self.arrays.pop(node))
            else:
                todo += [(child, node[name]) for name, child in children(one).items() if name in node]

    def is_the_one(self, one, number):
        """Whether no other object was found for this node. (Lists and dicts are identified by their owners.)"""
        if isinstance(one, (list, tuple, Mapping)):
            return True
        return self.found.setdefault(number, weakref.ref(one))() is one


class Status:
    """The result of `restore`: tells whether all was restored. Values of Variables that do not exist yet wait for them.

    (Variables assigned to a module or a Checkpoint, and those that layers and optimizers make when they are built, get
    their values before anything reads them.)
    """

    def __init__(self, root: Any, nodes: list, arrays: dict):
        self._root, self._restoration = root, Restoration(root, nodes, arrays)

    def _unmatched(self):
        """The Variables that the checkpoint does not contain."""
        self._restoration.match()
        found = {id(one()) for one in self._restoration.found.values()}
        return [one for one in graph_of(self._root)[1].values() if id(one) not in found]

    def assert_existing_objects_matched(self) -> "Status":
        """Raise an AssertionError unless the checkpoint contains every Variable here."""
        missing = self._unmatched()
        if missing:
            problem = f"Found {len(missing)} Python objects that were not bound to checkpointed values, likely due to"
            shown = f"Showing {min(10, len(missing))} of {len(missing)} unmatched objects: {missing[:10]}"
            raise AssertionError(f"{problem} changes in the Python program. {shown}")
        return self

    def assert_consumed(self) -> "Status":
        """Raise an AssertionError unless, in addition, every value of the checkpoint was given to a Variable."""
        self.assert_existing_objects_matched()
        if self._restoration.arrays:
            left = [name.partition("/.ATTRIBUTES")[0].replace("/", ".") for name in self._restoration.arrays]
            problem = f"Unresolved object in checkpoint (root).{left[0]}:"
            raise AssertionError(f"{problem} {len(left)} of its values have no Variable here")
        return self

    def assert_nontrivial_match(self) -> "Status":
        """Raise an AssertionError if only the Checkpoint itself was found."""
        missing = self._unmatched()
        if len(self._restoration.found) <= 1 and not missing:
            raise AssertionError("Nothing to load. The Checkpoint has no attributes yet.")
        if len(self._restoration.found) <= 1:
            problem = "Nothing except the root object matched a checkpointed value. Typically this means that the"
            advice = "checkpoint does not match the Python program. The following objects have no matching"
            raise AssertionError(f"{problem} {advice} checkpointed value: {missing}")
        return self

    def expect_partial(self) -> "Status":
        """The status itself. minigrad does not warn of unused values anyway."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Do nothing: the values have already been assigned."""

    run_restore_ops = initialize_or_restore


class NoStatus(Status):
    """The result of `restore(None)`: nothing was restored."""

    def __init__(self):
        pass

    def _nothing(self):
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_consumed = assert_existing_objects_matched = assert_nontrivial_match = _nothing


# ---- what users make -----------------------------------------------------------------------------------------------


class Checkpoint:
    """Saves the Variables that its attributes lead to into a file, and restores them from there.

    It follows modules, layers, optimizers, random generators, other Checkpoints, lists, dicts, and iterators of
    Datasets. (As in TensorFlow, metrics are not followed.) Variables are matched by the names of the attributes that
    lead to them, not by their own names. Variables made after `restore` are restored when they are made, including
    weights of Keras layers, some of which TensorFlow forgets. The file, `PREFIX.npz`, is minigrad's own: TensorFlow
    cannot read it, and TensorFlow's files cannot be read here.

    Args:
        root: an object to follow instead of the Checkpoint, which attaches the other objects to it.
        **kwargs: the objects to save, by name; each becomes an attribute.

    Raises:
        ValueError: one of them is neither a Variable nor an object that has Variables.

    >>> import os, tempfile
    >>> import minigrad as mg
    >>> folder = tempfile.TemporaryDirectory()
    >>> v = mg.Variable([1.0, 2.0])
    >>> checkpoint = mg.train.Checkpoint(v=v)
    >>> path = checkpoint.save(os.path.join(folder.name, "ckpt"))
    >>> _ = v.assign([0.0, 0.0])
    >>> status = checkpoint.restore(path).assert_consumed()
    >>> print(os.path.basename(path), v.numpy(), checkpoint.save_counter.numpy())
    ckpt-1 [1. 2.] 1
    >>> folder.cleanup()
    """

    def __init__(self, root: Any = None, **kwargs: Any):
        self._counter: Variable | None = None
        for name, one in {**({} if root is None else {"root": root}), **dict(sorted(kwargs.items()))}.items():
            if not is_followed(one):
                problem = f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from"
                advice = "Give it a Variable, or what has Variables."
                raise ValueError(f"{problem} `Trackable`), got {visible(one)}. {advice}")
            setattr(self, name, one)

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        module.restore_what_waits()

    def _named(self):
        own = {name: one for name, one in vars(self).items() if name not in ("root", "_counter")}
        counter = {} if self._counter is None else {"save_counter": self._counter}
        return {**children(vars(self).get("root", {})), **own, **counter}

    @property
    def save_counter(self) -> Variable:
        """The number of saves: a Variable, which is saved with the others."""
        if self._counter is None:
            self._counter = Variable(0, dtype=dtypes.int64, trainable=False, name="save_counter")
        return self._counter

    def write(self, file_prefix: Any, options: Any = None) -> str:
        """Write the file, without counting it.

        Args:
            file_prefix: the path without `.npz`.
            options: accepted as in TensorFlow, without effect.

        Returns:
            The prefix, for `read`.
        """
        prefix = os.fspath(file_prefix)
        os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
        save_state(f"{prefix}.npz", *graph_of(self))
        return prefix

    def save(self, file_prefix: Any, options: Any = None) -> str:
        """Count up `save_counter`, write the file `PREFIX-NUMBER`, and name it in the file `checkpoint` beside it.

        Returns:
            The prefix with its number, for `restore`.
        """
        self.save_counter.assign_add(1)
        path = self.write(f"{os.fspath(file_prefix)}-{self.save_counter.numpy()}")
        write_record(os.path.dirname(path), path, {path: None})
        return path

    def read(self, save_path: Any, options: Any = None) -> Status:
        """Restore a checkpoint written by `write`.

        Returns:
            A status with `assert_consumed()` and other methods; see `restore`.

        Raises:
            NotFoundError: there is no such checkpoint.
            DataLossError: the file is damaged.
            UnimplementedError: it was written by TensorFlow.
            ValueError, InvalidArgumentError: a Variable has another shape or dtype than its value.
        """
        path = os.fspath(save_path)
        try:
            return Status(self, *load_state(f"{path}.npz"))
        except NotFoundError as problem:
            where = f"Error when restoring from checkpoint or SavedModel at {visible(path)}: {problem.message}"
            advice = "Please double-check that the path is correct. You may be missing the checkpoint suffix (e.g. the"
            raise NotFoundError(None, None, f"{where}\n{advice} '-1' in 'path/to/ckpt-1').") from None

    def restore(self, save_path: Any, options: Any = None) -> Status:
        """Restore a checkpoint written by `save`: existing Variables at once, later ones when they are made.

        Args:
            save_path: what `save` or `latest_checkpoint` returned; None restores nothing.
            options: accepted as in TensorFlow, without effect.

        Returns:
            A status: `assert_consumed()` raises unless everything was restored, here and in the file;
                `assert_existing_objects_matched()` raises unless everything here was; `expect_partial()` does nothing.

        Raises:
            NotFoundError, DataLossError, UnimplementedError, ValueError, InvalidArgumentError: as for `read`.
        """
        if save_path is None:
            return NoStatus()
        self.save_counter  # noqa: B018  (which is made, so that it is restored too)
        return self.read(save_path)


class CheckpointManager:
    """Keeps the last checkpoints of a directory, and deletes older ones.

    Args:
        checkpoint: the `Checkpoint` to save.
        directory: the directory for its files, and for the file `checkpoint`, from which a later manager learns of
            them.
        max_to_keep: the number of checkpoints to keep; None for all.
        keep_checkpoint_every_n_hours: keep one checkpoint permanently each time this many hours have passed.
        checkpoint_name: the prefix of the file names.
        step_counter: a Variable that counts steps, for `checkpoint_interval`.
        checkpoint_interval: the number of steps before `save` writes again.
        init_fn: a function for `restore_or_initialize` to call if there is no checkpoint.
        last_checkpoint_step: the step of the last checkpoint, if it is known.

    Raises:
        ValueError: `max_to_keep` is not positive, or there is an interval without a counter.

    >>> import tempfile
    >>> import minigrad as mg
    >>> folder = tempfile.TemporaryDirectory()
    >>> checkpoint = mg.train.Checkpoint(step=mg.Variable(0))
    >>> manager = mg.train.CheckpointManager(checkpoint, folder.name, max_to_keep=2)
    >>> for _ in range(3):
    ...     path = manager.save()
    >>> print([one.removeprefix(folder.name) for one in manager.checkpoints], manager.latest_checkpoint == path)
    ['/ckpt-2', '/ckpt-3'] True
    >>> folder.cleanup()
    """

    def __init__(self, checkpoint: Checkpoint, directory: Any, max_to_keep: int | None,
                 keep_checkpoint_every_n_hours: float | None = None, checkpoint_name: str = "ckpt",
                 step_counter: Any = None, checkpoint_interval: int | None = None, init_fn: Callable | None = None,
                 last_checkpoint_step: int | None = None):  # fmt: skip
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self.checkpoint, self.directory, self._most = checkpoint, os.fspath(directory), max_to_keep
        self._hours, self._name, self._init = keep_checkpoint_every_n_hours, checkpoint_name, init_fn
        self.checkpoint_interval, self._counter, self._step = checkpoint_interval, step_counter, last_checkpoint_step
        self.latest_checkpoint, self._times, self._preserved = read_record(self.directory)

    @property
    def checkpoints(self) -> list[str]:
        """The checkpoints that may be deleted, oldest first."""
        return list(self._times)

    def save(self, checkpoint_number: Any = None, check_interval: bool = True, options: Any = None) -> str | None:
        """Write a checkpoint, and delete those that are too old.

        Args:
            checkpoint_number: the number; by default that of the checkpoint's `save_counter`, which is incremented in
                any case.
            check_interval: whether to respect `checkpoint_interval`; nothing is ever written twice for one step.
            options: accepted as in TensorFlow, without effect.

        Returns:
            The path; None if nothing was written.
        """
        if self.checkpoint_interval is not None:
            step, last = int(self._counter), self._step
            if last is not None and (step == last or (check_interval and step < last + self.checkpoint_interval)):
                return None
            self._step = step
        self.checkpoint.save_counter.assign_add(1)
        number = int(convert(self.checkpoint.save_counter if checkpoint_number is None else checkpoint_number))
        path = self.checkpoint.write(os.path.join(self.directory, f"{self._name}-{number}"))
        self._times.pop(path, None)
        self._times[path] = time.time()
        self.latest_checkpoint = path
        self._sweep()
        return path

    def _sweep(self):
        """Write the record, and then delete old checkpoints, so that every file in the record exists."""
        too_old = []
        for path in list(self._times)[: -self._most] if self._most else []:
            made = self._times.pop(path)
            if self._hours and made - self._hours * 3600 >= self._preserved:
                self._preserved = made
            else:
                too_old.append(f"{path}.npz")
        write_record(self.directory, self.latest_checkpoint, self._times, self._preserved)
        for file in filter(os.path.exists, too_old):
            os.remove(file)

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint and return its path; if there is none, call `init_fn`, and return None."""
        if self.latest_checkpoint is None:
            if self._init is not None:
                self._init()
            return None
        self.checkpoint.restore(self.latest_checkpoint)
        self._step = None if self._counter is None else int(self._counter)
        return self.latest_checkpoint


# ---- the record of a directory -------------------------------------------------------------------------------------


def write_record(directory, latest, times, preserved=None):
    """Write the file `checkpoint`, in TensorFlow's format: the checkpoints, the latest one, and their times."""
    paths = [os.path.relpath(path, directory or ".") for path in (latest, *times)]
    lines = [f"all_model_checkpoint_paths: {json.dumps(path)}" for path in paths[1:]]
    lines += [f"all_model_checkpoint_timestamps: {made!r}" for made in times.values() if made is not None]
    lines += [f"last_preserved_timestamp: {preserved!r}"] if preserved is not None else []
    text = "\n".join([f"model_checkpoint_path: {json.dumps(paths[0])}", *lines, ""])
    replace_file(os.path.join(directory, "checkpoint"), lambda file: file.write(text.encode()))


def read_record(directory, name="checkpoint"):
    """The latest checkpoint of a directory (or None), the time of each, and when one was last kept permanently."""
    told: dict = {}
    try:
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            for line in file:
                word, _, value = line.partition(": ")
                told.setdefault(word, []).append(json.loads(value))
    except FileNotFoundError:
        pass
    except ValueError:
        warn("%s: Checkpoint ignored", os.path.join(directory, name))
        told = {}
    preserved = told.get("last_preserved_timestamp", [time.time() - 1.0])[0]
    paths = [os.path.join(directory, path) for path in told.get("all_model_checkpoint_paths", [])]
    made = told.get("all_model_checkpoint_timestamps", [])
    latest = [os.path.join(directory, path) for path in told.get("model_checkpoint_path", [])]
    return latest[0] if latest else None, dict(zip(paths, made or [preserved] * len(paths))), preserved


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """The path of the latest checkpoint in a directory, for `restore`; None if there is none.

    Args:
        checkpoint_dir: the directory.
        latest_filename: the name of the record file; "checkpoint" if None.

    >>> import minigrad as mg
    >>> print(mg.train.latest_checkpoint("no such directory"))
    None
    """
    path = read_record(checkpoint_dir, latest_filename or "checkpoint")[0]
    return path if path and any(os.path.exists(path + end) for end in (".npz", *OF_TENSORFLOW)) else None


def load_latest(ckpt_dir_or_file):
    """The graph and the arrays of a checkpoint, or of the latest checkpoint in a directory.

    Raises:
        ValueError: there is no checkpoint in the directory.
    """
    path = os.fspath(ckpt_dir_or_file)
    if os.path.isdir(path):
        path = latest_checkpoint(path)
        if path is None:
            given = f"given directory {visible(ckpt_dir_or_file)}"
            raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in {given}")
    return load_state(f"{path}.npz")


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list]]:
    """The names and shapes of the values in a checkpoint, sorted.

    Args:
        ckpt_dir_or_file: the path of a checkpoint; or a directory, for its latest checkpoint.

    Raises:
        NotFoundError, DataLossError, UnimplementedError, ValueError: no checkpoint can be read.

    >>> import os, tempfile
    >>> import minigrad as mg
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = mg.train.Checkpoint(w=mg.Variable([1.0, 2.0])).write(os.path.join(folder.name, "ckpt"))
    >>> mg.train.list_variables(path)
    [('_CHECKPOINTABLE_OBJECT_GRAPH', []), ('w/.ATTRIBUTES/VARIABLE_VALUE', [2])]
    >>> print(mg.train.load_variable(path, "w/.ATTRIBUTES/VARIABLE_VALUE"))
    [1. 2.]
    >>> folder.cleanup()
    """
    arrays = load_latest(ckpt_dir_or_file)[1]
    return sorted([(GRAPH, []), *((name, list(array.shape)) for name, array in arrays.items())])


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """The value stored in a checkpoint under a name from `list_variables`, as a NumPy array or scalar.

    Raises:
        NotFoundError: there is no such name, or no such checkpoint.
    """
    arrays = load_latest(ckpt_dir_or_file)[1]
    if name not in arrays:
        raise NotFoundError(None, None, f"Key {visible(name)} not found in checkpoint")
    return arrays[name][()]
