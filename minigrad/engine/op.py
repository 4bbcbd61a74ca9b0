"""An op: a NumPy function, and above it one VJP for each input, in plain NumPy too.

    @op("Mul", dx=lambda dz, y: dz * y, dy=lambda dz, x: dz * x)
    def multiply(x, y):
        return x * y

A VJP (vector-Jacobian product) takes the gradient of the target with respect to the op's output, and gives the gradient
with respect to one input. How a declaration is read:
  - `dx` is the VJP for x. A parameter that has one is an *input*, a Tensor (`dx=None`: it has no derivative). The
    parameters without one, which come after, are *attributes*, such as an axis; `axis=axes` names the function that
    tidies what the user wrote. An input annotated `: list` is a list of Tensors of one dtype, `: tuple` of any dtypes.
  - The first parameter of a VJP is the upstream gradient: `dz` says that the output is called z. With `-> list` (or
    `-> tuple`, or a named one) the op has many outputs, and the VJP is given the list of their gradients.
  - Its other parameters say what it needs, by name: an input, the output, an attribute; `x_shape`, `x_dtype` or
    `x_size`; `k`, the position in a list of inputs; or a by-product, which the function returns beside its output
    (`p=` says how ops compute it, for a backward pass that is itself recorded). A tape keeps that, and nothing else.
"Mul" is the op's name in TensorFlow, which errors carry. `print(multiply.source)` shows the function that is written
from a declaration, and that is what runs. (Inputs whose dtype it refuses may go on to a variant of the op: `by_kind`.)
`print(multiply.math)` shows what its VJPs compute: `x: upstream * y`. That is read off them, unless `math=` says it.
"""

import functools
import inspect
import linecache
import types

from .mathematics import Mathematics
from .operands import OPS, TensorLike, convert, one_by_one, tensor_of
from .rules import NUMPY_TWINS, dispatching
from .tensor import Tensor
from .writing import lists_of, many_of, parameters, with_name, written

KERNELS = {}  # every op by its TensorFlow name
MADE = []  # every op, those for other dtypes too: each knows its place here


def op(kernel, kinds="", /, *, twin=(), keep_misfit=False, first_alone=False, holomorphic=False, variant_of=None,
       math=None, **named):  # fmt: skip
    """Declare an op by its VJPs.

    Args:
        kernel: its name in TensorFlow.
        kinds: the kinds of dtype that it takes, as NumPy's letters (`"fc"`: float and complex); empty for all.
        twin: the NumPy function that does the same, or several. A VJP may call it; in a recorded one the op runs.
        keep_misfit: a Python number that does not fit the other input's dtype keeps its own, and the two dtypes are
            refused (InvalidArgumentError); otherwise the number is refused (TypeError).
        first_alone: a Python number that comes first does not take the dtype of the second, as in `tf.add(1, x)`.
        holomorphic: the VJPs hold for complex numbers too, but for the conjugates of TensorFlow's convention.
        variant_of: the op that calls this one for these kinds of dtype.
        math: what a VJP computes, as text, where that cannot be read off it: `{"x": "upstream, to each"}`. A line
            alone is that of each VJP. The notation is that of `Mathematics`.
        **named: the VJPs (`dx=`), how ops compute by-products (`p=`), and what tidies attributes (`axis=`).

    Raises:
        TypeError: (when the op is first used) the declaration cannot be read as above.
    """
    if not isinstance(kernel, str):
        name = getattr(kernel, "__name__", kernel)
        raise TypeError(f'@op above {name}: it needs the op\'s name and its VJPs, as in @op("Mul", dx=...)')

    def declare(forward):
        run = made(forward, kernel, kinds, named, None, keep_misfit, first_alone, math)
        KERNELS.setdefault(kernel, run)
        NUMPY_TWINS[forward] = run
        if is_ours(forward) or not is_ours(OPS.get(forward.__name__)):  # a user's op takes no name from one of ours
            OPS[forward.__name__] = run
        NUMPY_TWINS.update(dict.fromkeys(twin if isinstance(twin, tuple) else (twin,), run))
        if holomorphic:
            run.by_kind["c"] = made(forward, kernel, "c", named, conjugated, keep_misfit, first_alone, math)
        if variant_of is not None:
            variant_of.by_kind |= dict.fromkeys(kinds, run)
        return run

    return declare


def is_ours(function) -> bool:
    """Was it defined in this package?"""
    return getattr(function, "__module__", "").partition(".")[0] == __name__.partition(".")[0]


def made(forward, kernel, kinds, named, adapt=None, keep_misfit=False, first_alone=False, math=None):
    """The op of a declaration; `adapt`, if given, makes what runs of each VJP."""
    run = types.FunctionType(first_call.__code__, {"__name__": forward.__module__}, forward.__name__)
    run.__doc__, run.__module__, run.__wrapped__ = forward.__doc__, forward.__module__, forward
    run.__qualname__ = forward.__name__  # which Python's own errors show
    names = parameters(forward)
    run.__defaults__ = with_name(names, forward.__defaults__)[1]
    run.kernel, run.kinds, run.keep_misfit, run.first_alone = kernel, kinds, keep_misfit, first_alone
    run.vjps = {d: vjp for d, vjp in named.items() if d[0] == "d" and d[1:] in names}
    run.tidiers = {a: tidy for a, tidy in named.items() if a in names and a not in run.vjps}
    run.by_products = {p: make for p, make in named.items() if p not in run.vjps and p not in names}
    run.adapt, run.by_kind, run.for_strings = adapt, {}, None  # by_kind: what is called for other kinds of dtype
    run.number, run.lists, run.many = len(MADE), lists_of(forward), many_of(forward)
    MADE.append(run)
    run.np, run.source, run.math = dispatching(forward), Source(run), Mathematics(run, math)
    run.__globals__["this"] = run
    if adapt is None:  # the others are called by the op itself
        run.__signature__ = signature_of(run)
    return run


def signature_of(run):
    """What an op takes and gives, as help shows it."""
    forward, empty = run.__wrapped__, inspect.Parameter.empty
    names, defaults = with_name(parameters(forward), forward.__defaults__ or ())
    defaults = [empty] * (len(names) - len(defaults)) + [*defaults]
    shown = [parameter(name, default, annotation_of(run, name, default)) for name, default in zip(names, defaults)]
    return inspect.Signature(shown, return_annotation=LIST if run.many is list else run.many or Tensor)


def annotation_of(run, name, default):
    """The type of a parameter: that of an attribute is its own, or what its tidier takes, or that of its default."""
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


def parameter(name, default, annotation):
    """A parameter of a signature. Most ops have an x: it is made once."""
    try:
        return shared_parameter(name, default, annotation)
    except TypeError:  # a default such as an array
        return shared_parameter.__wrapped__(name, default, annotation)


@functools.lru_cache(typed=True)
def shared_parameter(name, default, annotation):
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)


LIST = list[Tensor]


def redeclared(run, **options):
    """The op of the same declaration with other options (`keep_misfit=`, `first_alone=`)."""
    declared = {**run.vjps, **run.by_products, **run.tidiers}
    return made(run.__wrapped__, run.kernel, run.kinds, declared, math=run.math.said, **options)


def conjugated(vjp):
    """For complex numbers: TensorFlow's gradient is multiplied by the conjugate of the derivative."""
    return lambda dz, *needs: vjp(dz.conj(), *needs).conj()


def with_other_exits(run, **exits):
    """The same op, but with other functions where its inputs cannot be used: `refuse_mixed=`, `convert=` ..."""
    run.source.write_out()
    other = types.FunctionType(run.__code__, {**run.__globals__, **exits}, run.__name__, run.__defaults__)
    vars(other).update(vars(run))
    other.__globals__["this"] = other
    other.__doc__, other.__module__, other.__qualname__ = run.__doc__, run.__module__, run.__qualname__
    return other


def first_call(*args, **kwargs):
    """What every op is until its first call, which writes it out: from then on that code runs in place of this one.

    Nothing simpler is as fast: written out at the import, the ops would take 100 ms, as long as NumPy's own import;
    behind a wrapper that calls what was written, each op takes 1.4 times as long. (`this` is the op; `made` put it into
    the op's globals.)
    """
    this.source.write_out()
    return this(*args, **kwargs)


class Source:
    """The source of an op, written from its declaration when it is first wanted."""

    def __init__(self, run):
        self.run, self.text = run, None

    def write_out(self):
        """Give the op the code that its declaration means."""
        name = self.run.__name__
        file = f"<op {name}>" if OPS.get(name) is self.run else f"<op {name} {self.run.number}>"  # a variant
        self.text, names = written(self.run)
        code = compile(self.text, file, "exec")
        linecache.cache[file] = len(self.text), None, self.text.splitlines(True), file  # tracebacks show the line
        self.run.__globals__.update(names)
        self.run.__code__ = next(one for one in code.co_consts if isinstance(one, types.CodeType))  # last: now it runs

    def __str__(self):
        if self.text is None:
            self.text = written(self.run)[0]
        return self.text

    __repr__ = __str__


def named(function, name, **words):
    """A function that another one made, with a name of its own and these words in its docstring."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (function.__doc__ or "").format(name=name, **words)
    return function


__all__ = ["KERNELS", "MADE", "OPS", "Source", "convert", "named", "one_by_one", "op", "redeclared", "tensor_of",
           "with_other_exits"]  # fmt: skip
