"""An op: a NumPy function, and above it one gradient rule per input, in plain NumPy too.

    @op("Mul", dx=lambda dz, y: dz * y, dy=lambda dz, x: dz * x)
    def multiply(x, y):
        return x * y

The naming law.
  - `dx` is the gradient of the target with respect to x. A parameter with a rule is an *input*, a Tensor
    (`dx=None`: no derivative exists); the parameters without one, which come after, are *attributes*, such as axis.
    An input annotated `: list` is a list of Tensors of one dtype, `: tuple` of any dtypes. Another annotation is a
    function that tidies an attribute.
  - The first parameter of a rule is the gradient that arrives: `dz` says that the output is called z. With `-> list`
    the op has many outputs, and the rule is given the list of their gradients.
  - The others say what the rule needs, by name: an input, the output, an attribute; `x_shape`, `x_dtype` or `x_size`;
    `k`, the place in a list of inputs; or a by-product, which the function returns beside its output (`p=` says how
    ops make it, for a walk that is itself recorded). A tape keeps that, and nothing else.
"Mul" is the op's name in TensorFlow, which its errors carry. `print(multiply.source)` shows what the law makes of a
declaration: all that happens when the op runs, and no more.
"""

import linecache
import types

import numpy as np

from .listening import listening
from .operands import OPS, again, agree, convert, convert_all, refuse, tensor_of
from .rules import NUMPY_TWINS, Again, answering
from .tensor import Tensor, next_id
from .writing import lists_of, parameters, with_name, written

KERNELS = {}  # every op by its TensorFlow name
MADE = []  # every op, those for other dtypes too: each knows its place here


def op(kernel, kinds="", lenient=False, holomorphic=False, **named):
    """Declare an op by its rules.

    Args:
        kernel: its name in TensorFlow.
        kinds: the kinds of dtype that it takes, as NumPy's letters (`"fc"`: float and complex); empty for all.
        lenient: a Python number that does not fit the other input's dtype is an InvalidArgumentError, not a TypeError.
            If "alone", a number that comes first does not take the dtype of the second, as `tf.add(1, x)` does not.
            If a function, it is called with inputs that differ in dtype.
        holomorphic: the rules hold for complex numbers too, but for the conjugate.
        **named: the rules (`dx=`) and how ops make the by-products (`p=`), by the naming law.
    """

    def declare(forward):
        run = made(forward, kernel, kinds, lenient, named)
        if holomorphic:
            run.others["c"] = of_complex(run)
        KERNELS.setdefault(kernel, run)
        OPS[forward.__name__] = NUMPY_TWINS[forward] = run
        return run

    return declare


def made(forward, kernel, kinds, lenient, rules, worked_by=lambda rule: rule):
    """The op of a declaration; `worked_by` gives what does the work of each rule."""
    space = {**TOOLS, **{name: rule and worked_by(rule) for name, rule in rules.items()}, "forward": forward}
    space["__name__"] = forward.__module__
    run = space["this"] = types.FunctionType(first_call.__code__, space, forward.__name__, forward.__defaults__)
    run.__doc__, run.__module__, run.__wrapped__ = forward.__doc__, forward.__module__, forward
    run.__qualname__ = forward.__name__  # which Python's own errors show
    run.__defaults__ = with_name(parameters(forward), forward.__defaults__)[1]
    run.kernel, run.kinds, run.lenient, run.rules, run.for_strings = kernel, kinds, lenient, rules, None
    run.number, run.lists = len(MADE), lists_of(forward)
    MADE.append(run)
    run.others = {}  # other kinds of dtype, and what is called for them
    run.np, run.source = answering(forward), Source(run)
    return run


def of_complex(run):
    """The same op for complex numbers, whose gradient TensorFlow multiplies by the conjugate of the derivative."""
    return made(run.__wrapped__, run.kernel, "c", run.lenient, run.rules, conjugated)


def conjugated(rule):
    return lambda dz, *needs: rule(dz.conj(), *needs).conj()


def first_call(*args, **kwargs):
    """What an op is until it is used: its first call writes it out and puts that in place of this (so importing is quick)."""
    this.source.write_out()
    return this(*args, **kwargs)


class Source:
    """The source of an op, written from its signatures when it is first wanted."""

    def __init__(self, run):
        self.run, self.text = run, None

    def write_out(self):
        """Give the op the code that its declaration means."""
        file = f"<op {self.run.__name__}>"
        module = compile(str(self), file, "exec")
        linecache.cache[file] = len(self.text), None, self.text.splitlines(True), file  # tracebacks show the line
        self.run.__globals__.update({f"tidy_{a}": tidy for a, tidy in self.run.__wrapped__.__annotations__.items()})
        self.run.__code__ = next(one for one in module.co_consts if isinstance(one, types.CodeType))  # last: others may call it now

    def __str__(self):
        if self.text is None:
            self.text = written(self.run, TOOLS)
        return self.text

    __repr__ = __str__


def one_by_one(inputs):
    """The inputs that an op was called with, those in its lists too."""
    return [y for x in inputs for y in (x if isinstance(x, (list, tuple)) else (x,))]


def bundle(outputs, live):
    """The outputs of one op as the key of a step: id, shape and dtype of each. Those that can have a gradient become live."""
    live.update([z.id for z in outputs if z.value.dtype.kind in "fc"])
    return tuple([(z.id, z.value.shape, z.value.dtype) for z in outputs])


TOOLS = dict(
    Again=Again, Tensor=Tensor, again=again, agree=agree, bundle=bundle, convert=convert, convert_all=convert_all,
    float32=np.dtype(np.float32), listening=listening, next_id=next_id, refuse=refuse, text=Tensor.of(np.array(b"", object)),
    truth=Tensor.of(np.True_),
)  # fmt: skip
__all__ = ["KERNELS", "MADE", "OPS", "Source", "convert", "of_complex", "one_by_one", "op", "tensor_of"]
