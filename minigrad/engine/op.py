"""An op: a NumPy function, declared with one VJP per input, also in plain NumPy.

    @op("Mul", dx=lambda dz, y: dz * y, dy=lambda dz, x: dz * x)
    def multiply(x, y):
        return x * y

A VJP (vector-Jacobian product) maps the gradient of the target with respect to the op's output to the gradient with
respect to one input. How a declaration is read:
  - `dx` is the VJP for x. A parameter with a VJP is an *input*, a Tensor (`dx=None`: no derivative). The other
    parameters, which come last, are *attributes*, such as an axis; `axis=axes` names the function that tidies what the
    user passed. An input annotated `: list` is a list of Tensors of one dtype, `: tuple` one of Tensors of any dtypes.
  - The first parameter of a VJP is the upstream gradient; the name `dz` means that the output is called z. With
    `-> list` (or `-> tuple`, or a named tuple) the op has several outputs, and the VJP receives a list of their
    gradients.
  - The other parameters name what the VJP needs: an input, the output, an attribute; `x_shape`, `x_dtype` or `x_size`;
    `k`, the position in a list of inputs; or a by-product, which the function returns beside its output (`p=` computes
    it with ops, for a backward pass that is itself recorded). A tape keeps these values, and nothing else.
"Mul" is the op's TensorFlow name, which error messages contain. `print(multiply.source)` shows the function that is
generated from the declaration and runs. (Inputs of other dtypes may be passed on to a variant of the op: `by_kind`.)
`print(multiply.math)` shows what the VJPs compute: `x: upstream * y`. It is derived from them unless `math=` is given.
"""

import inspect
import linecache
import sys
import types

from .mathematics import Mathematics
from .operands import OPS, TensorLike
from .rules import NUMPY_TWINS, dispatching
from .tensor import Tensor
from .writing import lists_of, many_of, parameters, source_of, with_name

KERNELS = {}  # every op by its TensorFlow name
MADE = []  # every op, variants for other dtypes included; `op.number` is its index here


def op(kernel, kinds="", /, *, twin=(), keep_misfit=False, first_alone=False, holomorphic=False, variant_of=None,
       math=None, **functions):  # fmt: skip
    """Declare an op by its VJPs.

    Args:
        kernel: its name in TensorFlow.
        kinds: the kinds of dtype that it accepts, as NumPy's letters (`"fc"`: float and complex); empty for all.
        twin: the equivalent NumPy function, or a tuple of several. A VJP may call it; in a recorded one the op runs.
        keep_misfit: a Python number that does not fit the other input's dtype keeps its own dtype, and the two dtypes
            are refused (InvalidArgumentError); otherwise the number is refused (TypeError).
        first_alone: a Python number as first input does not take the dtype of the second, as in `tf.add(1, x)`.
        holomorphic: the VJPs hold for complex numbers too, up to the conjugates of TensorFlow's convention.
        variant_of: the op that calls this one for these kinds of dtype.
        math: what a VJP computes, as text, where it cannot be derived: `{"x": "upstream, to each"}`. A single string
            applies to every VJP. See `Mathematics` for the notation.
        **functions: the VJPs (`dx=`), functions that compute by-products with ops (`p=`), and those that tidy
            attributes (`axis=`).

    Raises:
        TypeError: the op's name is missing, or (when the op is first used) the declaration is invalid.
    """
    if not isinstance(kernel, str):
        name = getattr(kernel, "__name__", kernel)
        raise TypeError(f'@op above {name}: it needs the op\'s name and its VJPs, as in @op("Mul", dx=...)')

    def declare(forward):
        run = made(forward, kernel, kinds, functions, None, keep_misfit, first_alone, math)
        KERNELS.setdefault(kernel, run)
        NUMPY_TWINS[forward] = run
        if is_ours(forward) or not is_ours(OPS.get(forward.__name__)):  # a user's op does not replace one of ours
            OPS[forward.__name__] = run
        NUMPY_TWINS.update(dict.fromkeys(twin if isinstance(twin, tuple) else (twin,), run))
        if holomorphic:
            run.by_kind["c"] = made(forward, kernel, "c", functions, conjugated, keep_misfit, first_alone, math)
        if variant_of is not None:
            variant_of.by_kind |= dict.fromkeys(kinds, run)
        return run

    return declare


def is_ours(function) -> bool:
    """Was it defined in this package?"""
    return getattr(function, "__module__", "").partition(".")[0] == __name__.partition(".")[0]


def made(forward, kernel, kinds, functions, adapt=None, keep_misfit=False, first_alone=False, math=None):
    """The op of a declaration; `adapt`, if given, wraps each VJP."""
    run = types.FunctionType(first_call.__code__, {"__name__": forward.__module__}, forward.__name__)
    run.__doc__, run.__module__, run.__wrapped__ = forward.__doc__, forward.__module__, forward
    run.__qualname__ = forward.__name__  # which Python's own errors show
    names = parameters(forward)
    run.__defaults__ = with_name(names, forward.__defaults__)[1]
    run.kernel, run.kinds, run.keep_misfit, run.first_alone = kernel, kinds, keep_misfit, first_alone
    run.vjps = {d: vjp for d, vjp in functions.items() if d[0] == "d" and d[1:] in names}
    run.tidiers = {a: tidy for a, tidy in functions.items() if a in names and a not in run.vjps}
    run.by_products = {p: make for p, make in functions.items() if p not in run.vjps and p not in names}
    run.adapt, run.exits, run.for_strings = adapt, {}, None
    run.by_kind = {}  # kind of dtype -> the variant that is called for it
    run.number, run.lists, run.many = len(MADE), lists_of(forward), many_of(forward)
    MADE.append(run)
    run.np, run.source, run.math = dispatching(forward), Source(run), Mathematics(run, math)
    run.__globals__["this"] = run
    if adapt is None:  # a variant is called only by the op itself
        run.__signature__ = Signature(run=run)
    return run


class Signature(inspect.Signature):
    """The signature of an op, as `help` shows it; computed on first access."""

    __slots__ = ("run",)

    def __init__(self, *given, run=None, **named):
        self.run = run
        if run is None:  # a modified copy, made by `inspect`
            super().__init__(*given, **named)

    def __getattr__(self, name):
        """Initialize the base class on first access."""
        run, empty = self.run, inspect.Parameter.empty
        if run is None:
            raise AttributeError(name)
        names, defaults = with_name(parameters(run.__wrapped__), run.__wrapped__.__defaults__ or ())
        defaults = [empty] * (len(names) - len(defaults)) + [*defaults]
        notes = [annotation_of(run, *one) for one in zip(names, defaults)]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        shown = [inspect.Parameter(x, kind, default=y, annotation=z) for x, y, z in zip(names, defaults, notes)]
        super().__init__(shown, return_annotation=list[Tensor] if run.many is list else run.many or Tensor)
        return object.__getattribute__(self, name)


def annotation_of(run, name, default):
    """The type of a parameter; for an attribute its annotation, or that of its tidier, or the type of its default."""
    if name in run.lists:
        return list[TensorLike]
    if f"d{name}" in run.vjps:
        return TensorLike
    if name == "name":
        return str | None
    tidied = getattr(run.tidiers.get(name), "__annotations__", {})
    natural = default if default is inspect.Parameter.empty else type(default)
    kind = run.__wrapped__.__annotations__.get(name) or next(iter(tidied.values()), natural)
    return kind | None if default is None and kind is not type(None) else kind


def tell_help(namespace):
    """Add what the VJPs compute to the docstrings of the ops in a namespace.

    To be called once the namespace is complete: a VJP may call an op that is defined later.
    """
    margin = "" if sys.version_info >= (3, 13) else "    "  # 3.13 strips the indentation of docstrings
    for run in MADE:
        if run.__module__.startswith(namespace) and run.adapt is None and run.__doc__ and (lines := run.math.lines):
            z = next(vjp for vjp in run.vjps.values() if vjp).__code__.co_varnames[0][1:]
            head = f"{margin}Gradients (upstream is that of {z}, the output):"
            shown = "".join([f"\n{margin}    {x}: {line}" for x, line in lines.items()])
            run.__doc__ = f"{run.__doc__.rstrip()}\n\n{head}{shown}\n{margin}"


def redeclared(run, **options):
    """The op of the same declaration with other options (`keep_misfit=`, `first_alone=`)."""
    declared = {**run.vjps, **run.by_products, **run.tidiers}
    return made(run.__wrapped__, run.kernel, run.kinds, declared, math=run.math.said, **options)


def conjugated(vjp):
    """Adapt a VJP to complex numbers: TensorFlow multiplies by the conjugate of the derivative."""

    def adapted(dz, *needs):
        return vjp(dz.conj(), *needs).conj()

    adapted.__wrapped__ = vjp  # type: ignore[attr-defined]
    return adapted


def with_other_exits(run, **exits):
    """The same op with other functions for inputs that it cannot use: `refuse_mixed=`, `convert=` ..."""
    other = types.FunctionType(first_call.__code__, {"__name__": run.__module__}, run.__name__, run.__defaults__)
    vars(other).update(vars(run), exits={**exits, "this": other})
    other.__globals__["this"] = other
    other.__doc__, other.__module__, other.__qualname__ = run.__doc__, run.__module__, run.__qualname__
    return other


def first_call(*args, **kwargs):
    """The code of every op until its first call, which generates the code that runs from then on.

    Nothing simpler is as fast: generating all ops at import would take 100 ms, as long as importing NumPy; behind a
    wrapper that calls the generated function, each op takes 1.4 times as long. (`this` is the op; `made` put it into
    the op's globals.)
    """
    this.source.write_out(this)
    return this(*args, **kwargs)


class Source:
    """The source of an op, generated from its declaration on first use."""

    def __init__(self, run):
        self.run, self.text, self.code, self.names = run, None, None, {}

    def write_out(self, run):
        """Install the generated code in the op, or in the same op with other exits."""
        if self.code is None:
            self.compile()
        run.__globals__.update(self.names, **run.exits)
        run.__code__ = self.code  # last: from here on it runs

    def compile(self):
        """Compile the source, whose lines tracebacks show."""
        name = self.run.__name__
        variant = "" if OPS.get(name) is MADE[self.run.number] else f" {self.run.number}"
        file = f"<op {name}{variant}>"
        self.text, self.names = source_of(self.run)
        code = compile(self.text, file, "exec")
        linecache.cache[file] = len(self.text), None, self.text.splitlines(True), file
        self.code = next(one for one in code.co_consts if isinstance(one, types.CodeType))

    def __str__(self):
        if self.text is None:
            self.text = source_of(self.run)[0]
        return self.text

    __repr__ = __str__


def named(function, name, **words):
    """Name a function that another function made, and fill `words` into its docstring."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (function.__doc__ or "").format(name=name, **words)
    return function


__all__ = ["KERNELS", "MADE", "Source", "named", "op", "redeclared", "tell_help", "with_other_exits"]
