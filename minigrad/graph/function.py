"""tf.function: trace a function once for each kind of arguments, and from then on run what was traced."""

import functools
import inspect
import threading
import weakref
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from .. import config, nest
from ..engine import Tensor, Variable, as_value, dtypes, invalid
from ..engine.conversion import another_dtype
from ..engine.listening import listening, warn
from ..program.graphs import GraphRun, GraphState
from ..program.specs import (
    TensorSpec,
    as_tensor,
    check_signature,
    converted_arguments,
    has_spec,
    matching,
    naming_arguments,
    parameters,
    spec_of,
)  # fmt: skip
from .compiled import Compiled, OtherPath
from .program import name_of, written
from .run import Effect, Run
from .tracer import Untraceable

PATIENCE = 2  # seconds that a thread waits for another thread that is tracing
PATHS = 8  # how many paths through its decisions a function is traced for
SINGLETON = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only"
    " created once or created outside tf.function. See"
    " https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
)


def function(func=None, input_signature=None, autograph=True, jit_compile=None, reduce_retracing=False,
             experimental_implements=None, experimental_autograph_options=None, experimental_attributes=None,
             experimental_relax_shapes=None, experimental_compile=None,
             experimental_follow_type_hints=None):  # fmt: skip
    """Decorate a function: it is traced once for each kind of arguments, and then runs as NumPy calls alone.

    The kind of the arguments consists of the shapes and dtypes of Tensors and arrays, and of the values of Python
    objects. For each kind the function runs once, on Tensors that record what is done with them. Python side effects
    (`print`, a counter, reading a global) happen in that run alone; `mg.print` prints each time. The outcome of a
    decision on a Tensor's value (`if`, `while`, `int()`) is recorded, and for another outcome the function is traced
    again. (So there is no AutoGraph.) Shapes are those of the arguments: where a spec leaves a length open, each length
    has its own trace, and `x.shape` shows it; TensorFlow's shows None. An error about shapes or dtypes is that of the
    eager op, mostly an InvalidArgumentError; TensorFlow's graphs raise a ValueError or a TypeError. Intermediate arrays
    are kept from call to call; results are new arrays. Under a tape or a trace, and where it draws random numbers or
    reads Datasets, the function runs as Python. Threads that call it take turns, and changes of Variables during
    tracing are not visible to other threads.

    Return values, in any nest, become Tensors; a Variable is read, and None stays None.

    Args:
        func: the function; without it, the result is a decorator.
        input_signature: a list of `mg.TensorSpec`, or nests of them, to which the arguments are converted.
        autograph, jit_compile, reduce_retracing, experimental_...: accepted as in TensorFlow, without effect.

    Raises:
        TypeError: the signature is not a list of specs; or (in a call) an argument is missing, unexpected or does not
            match its spec, or a return value cannot become a Tensor.
        ValueError: (in a call) a Variable is made in any run but the first.
        NotImplementedError: (in a call) the numbers of a Tensor are requested, as by `np.mean(x)`.
        AttributeError: (in a call) it has `x.numpy()`, which a traced Tensor does not have.

    >>> import minigrad as mg
    >>> @mg.function
    ... def double(x):
    ...     print("traced for", x)
    ...     return x * 2
    >>> print(double(mg.constant(1.0)).numpy(), double(mg.constant(3.0)).numpy())
    traced for Tensor("x:0", shape=(), dtype=float32)
    2.0 6.0
    """
    if func is None:
        return functools.partial(function, input_signature=input_signature)
    return Function(func, input_signature)


class Function:
    """A function decorated by `mg.function`."""

    def __init__(self, python_function, input_signature=None, traces=None):
        self.python_function = python_function
        if input_signature is not None:
            check_signature(input_signature)
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self._parameters = parameters(python_function, self.input_signature or ())
        plain = all(one.kind == one.POSITIONAL_OR_KEYWORD for one in self._parameters.parameters.values())
        self._complete = len(self._parameters.parameters) if plain and input_signature is None else None
        self._traces = Traces() if traces is None else traces
        self._of_instances: Any = weakref.WeakKeyDictionary()
        functools.update_wrapper(self, python_function)
        self.__name__ = getattr(python_function, "__name__", "function")

    def __call__(self, *args, **kwargs):
        if config.eagerly[0]:
            return self.python_function(*args, **kwargs)
        if kwargs or len(args) != self._complete:
            args, kwargs = self._converted(args, kwargs)
        if not listening.now:
            found = self._traces.run(self, args, kwargs)
            if found is not None:
                return found[0]
        result = GraphRun(self._traces.graph)(self.python_function, *args, **kwargs)
        return nest.map_structure(self.as_tensor, result)

    def _converted(self, args, kwargs):
        """The arguments with all defaults, as Tensors where there is a spec."""
        args, kwargs = converted_arguments(self._parameters, self.input_signature or (), args, kwargs)
        bound = self._parameters.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, one in self._parameters.parameters.items():
            if one.kind == one.VAR_KEYWORD:  # their order does not matter
                bound.arguments[name] = dict(sorted(bound.arguments[name].items()))
        return bound.args, bound.kwargs

    def as_tensor(self, value):
        """Convert one return value to a Tensor."""
        return as_tensor(self.python_function, value)

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        method = self.python_function.__get__(instance, owner)
        return Function(method, self.input_signature, self._of_instances.setdefault(instance, Traces()))

    def get_concrete_function(self, *args, **kwargs):
        """The function for arguments like these, traced at once if their shapes are known.

        Args:
            *args, **kwargs: a spec or a Tensor stands for any Tensor with its spec; other values are bound.

        Returns:
            A `ConcreteFunction`, the same for the same specs and values: `print` shows its parameters and results, and
            `source` shows what it computes.

        Raises:
            TypeError: an argument is missing or unexpected.

        >>> import minigrad as mg
        >>> @mg.function
        ... def power(x, n):
        ...     return x**n
        >>> square = power.get_concrete_function(mg.TensorSpec(None, mg.float32), n=2)
        >>> print(square(mg.constant(3.0)).numpy())
        9.0
        """
        if not args and not kwargs:
            args = self.input_signature or ()
        with naming_arguments(self._parameters, args, kwargs):
            bound = self._parameters.bind(*args, **kwargs)
        bound.apply_defaults()
        kind = kind_of(specs_of(bound.arguments), [], [])
        made = self._traces.concrete.get(kind) or ConcreteFunction(self, self._parameters, dict(bound.arguments))
        return self._traces.concrete.setdefault(kind, made)

    def experimental_get_tracing_count(self) -> int:
        """How often the function was traced."""
        return self._traces.count

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The parameters and results of each trace, one below the other."""
        return "\n\n".join(self._traces.signatures)


class Traces:
    """The traces of a function.

    Attributes:
        paths: kind of arguments -> the compiled programs, one for each path through the decisions; it contains None if
            the function runs as Python.
        count: the number of traces.
        signatures: the text of each trace.
        kept: the objects that kinds identify by id.
        calls: the number of calls that traced the function or ran a program.
        recent, warnings: the calls that traced it and are counted in the next warning, and how many were given.
        latest: the program that ran last, the only one that keeps its buffers.
        latest_paths, layouts: the paths of the previous kind, and this kind: the shape and dtype of each Tensor in it.
        lock: held by the thread that traces the function or runs a program.
        tracing: whether the function is being traced.
        graph: the seeds of its random ops.
        concrete: kind of specs and values -> the ConcreteFunction, while somebody has it.
    """

    def __init__(self):
        self.paths, self.kept, self.calls, self.count, self.signatures = {}, [], 0, 0, []
        self.recent, self.warnings = [], 0
        self.latest: Any = None
        self.latest_paths, self.layouts = [], (None,)
        self.lock, self.tracing, self.graph = threading.RLock(), False, GraphState()
        self.concrete: Any = weakref.WeakValueDictionary()

    def __deepcopy__(self, memo):
        """A new, empty object: the copy of a model has its own Variables, and traces refer to those of the original."""
        return Traces()

    def run(self, function, args, kwargs):
        """The result of the function, in a tuple; None if it has to run as Python."""
        if not self.lock.acquire(False) and not self.begun():
            return None
        try:
            paths, arrays = self.latest_paths, self.arrays_alike(args) if not kwargs else None
            if arrays is None:
                paths, arrays = self.known(args, kwargs)
            for program in paths:
                if program is None:
                    return None
                try:
                    found = program.run(*arrays)
                except OtherPath:
                    continue
                except Exception:  # an op refuses these numbers: running as Python raises TensorFlow's error
                    return None
                self.calls += 1
                if program is not self.latest:
                    self.keep_buffers_of(program)
                return (found,)
            if len(paths) == PATHS:
                return None
            try:
                paths.append(self.trace(function, args, kwargs))
                return (paths[-1].run(*arrays),)
            except (Effect, OtherPath):
                paths[:] = [None]
                return None
        finally:
            self.lock.release()

    def begun(self):
        """Wait until no other thread traces or runs the function; False if that thread may be waiting for this one.

        A compiled program always ends. But tracing runs user code, which may wait for any thread.
        """
        while not self.lock.acquire(True, PATIENCE):
            if self.tracing:
                return False
        return True

    def arrays_alike(self, args):
        """The arrays of the arguments, if all are Tensors with the layouts of the previous call."""
        kind = tuple([x.__class__ is Tensor and (x.value.shape, x.value.dtype) for x in args])
        return [x.value for x in args] if kind == self.layouts else None

    def keep_buffers_of(self, program):
        """Release the buffers of the program that ran before: there may be a program for each shape."""
        if self.latest is not None:
            self.latest.buffers.spare.clear()
        self.latest = program

    def trace(self, function, args, kwargs):
        """Trace the function for these arguments. The first time it may make Variables, and is then traced again."""
        self.calls += 1
        before, self.tracing = self.tracing, True
        try:
            with GraphRun(self.graph):
                run = Run(function.python_function, args, kwargs, function.as_tensor)
                if run.made and not self.count:
                    run = Run(function.python_function, args, kwargs, function.as_tensor)
        except Untraceable as problem:
            if problem.by_user:
                raise NotImplementedError(str(problem)).with_traceback(problem.__traceback__) from None
            raise Effect from None
        finally:
            self.tracing = before
        if run.made:
            raise ValueError(SINGLETON)
        self.count += 1
        self.warn_of_retracing(function)
        program = Compiled(run, name_of(function))
        bound = function._parameters.bind(*args, **kwargs).arguments
        self.signatures.append(signature_text(function._parameters, specs_of(bound), program))
        return program

    def prepare(self, function, args, kwargs):
        """The first program for these arguments, traced if necessary; None if the function runs as Python."""
        if not self.begun():
            return None
        try:
            paths, _ = self.known(args, kwargs)
            if not paths:
                try:
                    paths.append(self.trace(function, args, kwargs))
                except Effect:
                    paths.append(None)
            return paths[0]
        finally:
            self.lock.release()

    def known(self, args, kwargs):
        """The compiled programs for the kind of these arguments, and their arrays."""
        arrays: list = []
        kept: list = []
        kind = tuple([kind_of(x, arrays, kept) for x in args])
        if kwargs:
            kind += (*kwargs, *[kind_of(x, arrays, kept) for x in kwargs.values()])
        paths = self.paths.get(kind)
        if paths is None:
            paths = self.paths[kind] = []
            self.kept += kept
        self.latest_paths, self.layouts = paths, kind
        return paths, arrays

    def warn_of_retracing(self, function):
        """As TensorFlow does: twice at most, and only if the traces from the second on began within ten calls."""
        calls = [*self.recent, self.calls]
        self.recent = [one for one, later in pairwise([*calls, self.calls]) if self.calls - later < 10]
        if len(self.recent) >= 5 and self.warnings < 2:
            self.warnings += 1
            said = "%d out of the last %d calls to %r triggered tf.function retracing. Tracing is expensive:"
            warn(f"{said} pass Tensors in place of Python's numbers, and decorate outside of loops.", len(self.recent),
                 self.calls - self.recent[0] + 1, function.python_function)  # fmt: skip


def kind_of(x, arrays, kept):
    """A key that is equal for arguments that share a trace.

    Args:
        arrays: the list to which the arrays of x are appended.
        kept: the list to which an object is appended if only its id can identify it.
    """
    if x.__class__ is Tensor:
        arrays.append(x.value)
        return x.value.shape, x.value.dtype
    if hasattr(x, "__array__") and not isinstance(x, Variable):
        arrays.append(as_value(x))
        return arrays[-1].shape, arrays[-1].dtype
    if isinstance(x, (bool, int, float, complex, str, bytes, type(None))):
        return type(x), repr(x)
    if hasattr(x, "__tf_tracing_type__"):
        return "type", x.__tf_tracing_type__(None)
    if nest.is_nested(x):
        names = tuple(nest.sorted_keys(x)) if isinstance(x, Mapping) else ()
        return type(x), names, tuple([kind_of(one, arrays, kept) for one in nest.children(x)])
    if isinstance(x, TensorSpec):
        return x
    kept.append(x)
    return "object", id(x)


def specs_of(arguments):
    """The arguments with a spec in place of each Tensor and array."""
    return {name: nest.map_structure(spec_of, one) for name, one in arguments.items()}


def signature_text(parameters, bound, program):
    """The parameters and results of a trace, one per line, as TensorFlow shows them."""
    kinds = {name: one.kind.name for name, one in parameters.parameters.items()}
    lines = [f"  {name} ({kinds[name]}): {type_text(one)}" for name, one in bound.items()]
    results = ["Output Type:", f"  {type_text(program.outputs)}"] if program else []
    resource = "TensorSpec(shape=(), dtype=mg.resource, name=None)"
    captures = [f"  {one.id}: {resource}" for one in (program.variables if program else ())]
    return "\n".join(["Input Parameters:", *lines, *results, "Captures:", *(captures or ["  None"])])


def type_text(x):
    """The type of an argument or a result, as TensorFlow writes it."""
    if isinstance(x, Mapping):
        return f"Dict[{', '.join(f'[{name!r}, {type_text(x[name])}]' for name in x)}]"
    if nest.is_nested(x):
        return f"{'List' if isinstance(x, list) else 'Tuple'}[{', '.join(map(type_text, x))}]"
    return repr(x) if isinstance(x, TensorSpec) or x is None or hasattr(x, "assign") else f"Literal[{x!r}]"


def called(x, name):
    """An argument; a spec without a name gets this one."""
    return TensorSpec.from_spec(x, x.name or name) if isinstance(x, TensorSpec) else x


def example_of(x):
    """Ones, or empty strings, for a spec."""
    if not isinstance(x, TensorSpec):
        return x
    if x.dtype == dtypes.string:
        return np.full(x.shape.as_list(), b"", object)
    return np.ones(x.shape.as_list(), x.dtype.as_numpy_dtype)[()]


def known(arguments) -> bool:
    """Whether each spec among the arguments gives the length of each axis."""
    specs = [one for one in nest.flatten(list(arguments.values())) if isinstance(one, TensorSpec)]
    return all(one.shape.is_fully_defined() for one in specs)


class ConcreteFunction:
    """A function of Tensors with given specs; its other arguments are bound to values and may be omitted.

    Attributes:
        structured_input_signature: the specs and values of the arguments: a tuple, and a dict of the keyword-only ones.
        structured_outputs: a spec for each result; None if the shapes of the arguments are not fully known.
        function_type: the parameters, and the results where they are known, in one line.
    """

    __name__: str

    def __init__(self, function, parameters, given):
        self._function, self._parameters, self._given, self._bound = function, parameters, given, specs_of(given)
        self._open = [name for name, one in self._bound.items() if has_spec(one)]  # the arguments that are not bound
        functools.update_wrapper(self, function)
        program = function._traces.prepare(function, *self._example()) if known(given) else None
        named = [name for name in self._bound if parameters.parameters[name].kind == inspect.Parameter.KEYWORD_ONLY]
        first = [name for name in self._bound if name not in named]
        specs = {name: called(one, name) for name, one in self._bound.items()}
        self.structured_input_signature = tuple([specs[name] for name in first]), {name: specs[name] for name in named}
        self.structured_outputs = program.outputs if program else None
        types = [f"{name}: {type_text(self._bound[name])}" for name in (*first, *named)]
        types[len(first) : len(first)] = ["*"] * bool(named)
        result = f" -> {type_text(self.structured_outputs)}" if program else ""
        self.function_type = f"({', '.join(types)}){result}"
        self._text = f"ConcreteFunction {signature_text(parameters, self._bound, program)}"

    def _example(self):
        """Arguments for tracing it."""
        arguments = {name: nest.map_structure(example_of, one) for name, one in self._given.items()}
        call = inspect.BoundArguments(self._parameters, arguments)
        return call.args, call.kwargs

    @property
    def source(self) -> str:
        """The program that it computes, as `mg.written` writes it.

        Raises:
            ValueError: a spec does not give the length of an axis.
        """
        if not known(self._given):
            raise ValueError(f"{self.__name__}: a shape is open. Write f.get_concrete_function(x), with a Tensor.")
        args, kwargs = self._example()
        return written(self._function.python_function, *args, **kwargs).source

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"<ConcreteFunction {self.function_type}>"

    def __call__(self, *args, **kwargs):
        with naming_arguments(self.function_type, args, kwargs):
            given = self._bound | self.by_name(args, kwargs)
            converted = {name: matching(bound, given[name]) for name, bound in self._bound.items()}
        for k, name in enumerate(self._open):
            self.check_dtypes(k, self._bound[name], converted[name])
        call = inspect.BoundArguments(self._parameters, converted)
        result = self._function(*call.args, **call.kwargs)
        return nest.map_structure(self._function.as_tensor, result) if config.eagerly[0] else result

    def by_name(self, args, kwargs):
        """The arguments by name. If some are missing, those given are the unbound Tensors, or Tensors and Variables."""
        try:
            return self._parameters.bind(*args, **kwargs).arguments
        except TypeError:
            variables = [name for name, one in self._bound.items() if isinstance(one, Variable)]
            for names in (self._open, [name for name in self._bound if name in (*self._open, *variables)]):
                given = dict(zip(names, args), **kwargs)
                if len(given) == len(args) + len(kwargs) and given.keys() == set(names):
                    return given
            raise

    def check_dtypes(self, k, bound, given):
        """Check that Tensors have the dtypes of their specs.

        Raises:
            InvalidArgumentError: one has another dtype.
        """
        for spec, x in zip(nest.flatten(bound), nest.flatten(given)):
            if isinstance(spec, TensorSpec) and x.dtype != spec.dtype:
                problem = another_dtype(self.__name__, k, spec.dtype.dtype, x.dtype.dtype)
                raise invalid(f"{problem} [Op:{self.__name__}]")
