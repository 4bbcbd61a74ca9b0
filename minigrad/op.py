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

import functools
import linecache
import types
import warnings

import numpy as np

from . import dtypes, errors
from .arguments import NUMPY_TWINS, Again, answering
from .conversion import KINDS, as_value
from .listening import coming, listening
from .tensor import Tensor, new, next_id

OPS = {}  # every op by its Python name, for the tests, the documentation and the inspector
KERNELS = {}  # ... and by its TensorFlow name


def op(kernel, kinds="", lenient=False, **named):
    """Declare an op by its rules.

    Args:
        kernel: its name in TensorFlow.
        kinds: the kinds of dtype that it takes, as NumPy's letters (`"fc"`: float and complex); empty for all.
        lenient: a Python number that does not fit the other input's dtype is an InvalidArgumentError, not a TypeError.
            If "alone", a number that comes first does not take the dtype of the second, as `tf.add(1, x)` does not.
        **named: the rules (`dx=`) and how ops make the by-products (`p=`), by the naming law.
    """

    def declare(forward):
        run = made(forward, kernel, kinds, lenient, named)
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
    run.__defaults__ = (*(forward.__defaults__ or ()), None)  # the last is for name=None
    run.kernel, run.kinds, run.lenient, run.rules, run.for_strings = kernel, kinds, lenient, rules, None
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
        self.run.__code__ = next(one for one in module.co_consts if isinstance(one, types.CodeType))
        self.run.__globals__.update({f"tidy_{a}": tidy for a, tidy in self.run.__wrapped__.__annotations__.items()})

    def __str__(self):
        if self.text is None:
            self.text = written(self.run)
        return self.text

    __repr__ = __str__


# ---- writing out ---------------------------------------------------------------------------------------------------


def parameters(function):
    """The names of a function's parameters."""
    return list(function.__code__.co_varnames[: function.__code__.co_argcount])


def with_defaults(names, defaults):
    """The source of a list of parameters."""
    required = len(names) - len(defaults or ())
    return names[:required] + [f"{name}={value!r}" for name, value in zip(names[required:], defaults or ())]


def row(names):
    """The source of a tuple."""
    return f"({', '.join(names)}{',' * (len(names) == 1)})"


class Signature:
    """What the naming law reads out of a declaration: who is an input, what each rule needs, where to find it."""

    def __init__(self, name, forward, rules):
        self.name, self.parameters, self.rules = name, parameters(forward), rules
        self.inputs = [p for p in self.parameters if f"d{p}" in rules]
        self.attributes = [p for p in self.parameters if p not in self.inputs]
        self.needs = {x: parameters(rules[f"d{x}"]) for x in self.inputs if rules[f"d{x}"]}
        self.output = next(iter(self.needs.values()))[0][1:] if self.needs else "output"
        self.extras = [n for n in rules if n not in [f"d{x}" for x in self.inputs]]
        notes = forward.__annotations__
        self.lists = [x for x in self.inputs if notes.get(x) in (list, tuple)]
        self.mixed = [x for x in self.lists if notes[x] is tuple]
        self.tidy = [a for a in self.attributes if a in notes]
        self.many = notes.get("return") is list
        self.alike = list(self.needs) or self.inputs  # these must agree in dtype; a Python number takes it from them
        self.offers = self.offered()
        self.check()

    def offered(self):
        """What a rule can ask for: where it is among the arrays, and where among the Tensors."""
        offers = {f"{x}_{p}": (f"{x}_.{p}",) * 2 for x in self.inputs for p in ("shape", "dtype", "size")}
        offers |= {f"{x}_shape": (f"{x}_shape",) * 2 for x in self.lists} | ({"k": ("k", "k")} if self.lists else {})
        offers |= {x: (f"{x}_", x) for x in [*self.inputs, self.output]} | {a: (a, a) for a in self.attributes}
        return offers | {p: (f"{p}_", f"Again({p}, {row(parameters(self.rules[p]))})") for p in self.extras}

    def check(self):
        """Each name has one meaning, and each rule asks for what there is."""
        names = [*self.parameters, self.output, *self.extras]
        asked = {wish for _, *wishes in self.needs.values() for wish in wishes}
        if self.inputs + self.attributes != self.parameters:
            problem = "the inputs, which have rules, must come before the attributes"
        elif len(set(names)) < len(names) or set(names) & {*TOOLS, "forward", "this", "live", "listener", "write", "name"}:
            problem = f"a name has two meanings: {', '.join(names)}"
        elif any(first != f"d{self.output}" for first, *_ in self.needs.values()):
            problem = f"each rule must begin with d{self.output}, the gradient that arrives"
        elif not asked <= set(self.offers):
            problem = f"a rule asks for {', '.join(sorted(asked - set(self.offers)))}; there is {', '.join(self.offers)}"
        elif not asked >= set(self.extras):
            problem = f"no parameter and no rule knows {', '.join(sorted(set(self.extras) - asked))}"
        else:
            return
        raise TypeError(f"@op above {self.name}({', '.join(self.parameters)}): {problem}")


def written(run):
    """The source of an op. In it `x` is a Tensor, and `x_` is its array."""
    s = Signature(run.__name__, run.__wrapped__, run.rules)
    results = ", ".join(f"{p}_" for p in [s.output, *s.extras])
    given = ", ".join([*(f"{x}_" for x in s.inputs), *s.attributes])
    lines = [f"def {s.name}({', '.join([*with_defaults(s.parameters, run.__wrapped__.__defaults__), 'name=None'])}):"]
    lines += written_inputs(s, run.lenient)
    lines += [f"    if {a} is not None: {a} = tidy_{a}({a})" for a in s.tidy]
    lines += written_dtype_checks(s, run)
    lines += [f"    try: {results} = forward({given})",
              f"    except Exception as problem: {results} = again(this, problem, forward, {given})"]  # fmt: skip
    if s.many:
        lines += [f"    {s.output} = [Tensor.of(array) for array in {s.output}_]"]
    else:
        lines += [f"    {s.output} = new(Tensor); {s.output}.value = {s.output}_; {s.output}.id = next_id()"]
    lines += ["    for listener in listening.now:",
              "        live = listener.live",
              f"        if live is None: listener.hear(this, {row(s.inputs)}, {s.output}, {row(s.attributes)}); continue",
              "        write = listener.steps.append"]  # fmt: skip
    followed = [] if run.kernel == "StopGradient" else s.inputs  # what it lets through is new to every tape
    lines += [written_step(x, s) if x in s.needs else written_dead_end(x, s) for x in followed]
    return "\n".join([*lines, f"    return {s.output}"]) + "\n"


def written_inputs(s, lenient):
    """Lines that make Tensors of whatever the user gave."""
    lines = []
    for x in s.inputs:
        others = "".join(f", {y}" for y in s.alike if x in s.alike and y != x and not (lenient == "alone" and x == s.inputs[0]))
        shapes = f"; {x}_shape = [x.shape for x in {x}_]" if any(f"{x}_shape" in wish for wish in s.needs.values()) else ""
        if x in s.lists:
            made = f"[convert(one) for one in {x}]" if x in s.mixed else f"convert_all({x}, this)"
            lines += [f"    {x} = {made}; {x}_ = [x.value for x in {x}]{shapes}"]
        else:
            lines += [f"    if {x}.__class__ is not Tensor: {x} = convert({x}{others})"]
    if lenient:
        alone = "; ".join(f"{x} = convert({x})" for x in s.inputs)
        return ["    try:", *("    " + line for line in lines), f"    except TypeError: {alone}"]
    return lines


def written_dtype_checks(s, run):
    """Lines that refuse dtypes which differ, or which the op does not take."""
    singles = [x for x in s.inputs if x not in s.lists]
    alike = [x for x in s.alike if x not in s.lists]
    lines = [f"    {x}_ = {x}.value" for x in singles]
    if alike and (alike[1:] or run.kinds):
        lines += [f"    dtype_ = {alike[0]}_.dtype"]
    lines += [f"    if {x}_.dtype is not dtype_: agree(this, {row(s.inputs)}, {alike[0]}, {x})" for x in alike[1:]]
    if run.kinds and alike:  # float32 is looked at first: nearly all are
        unless = "dtype_ is not float32 and " if "f" in run.kinds else ""
        lines += [f"    if {unless}dtype_.kind not in {run.kinds!r}: return refuse(this, {', '.join(alike)})"]
    return lines


def written_step(x, s):
    """The lines that write a step for the edge from x to the output, if a watched value flows along it."""
    rule, wish = f"d{x}", s.needs[x][1:]
    arrays, tensors = (row([s.offers[w][i] for w in wish]) for i in (0, 1))
    out, bring = (f"bundle({s.output}, live)", "") if s.many else (f"{s.output}.id", f"live.add({s.output}.id); ")
    if x not in s.lists:
        return f"        if {x}.id in live: {bring}write(({out}, {x}.id, {rule}, {arrays}, {tensors}, {x}_.shape))"
    return (
        f"        for k, x in enumerate({x}):\n"
        f"            if x.id in live: {bring}write(({out}, x.id, {rule}, {arrays}, {tensors}, x.value.shape))"
    )


def written_dead_end(x, s):
    """The line for an input without a derivative: no step, but what comes out of `floor(x)` can be a source itself."""
    if x in s.lists:
        return f"        if any([x.id in live for x in {x}]): bundle({s.output if s.many else f'[{s.output}]'}, live)"
    return f"        if {x}.id in live: bundle({s.output if s.many else f'[{s.output}]'}, live)"


# ---- the tools of what is written out ------------------------------------------------------------------------------


def convert(x, *others):
    """What the user gave, as a Tensor. Python's numbers, lists and NumPy's arrays take the dtype of the Tensor they meet."""
    if x.__class__ is not float and x.__class__ is not int and hasattr(x, "__tf_tensor__"):
        return x.__tf_tensor__()
    dtype = None
    for other in others:
        if other.__class__ is Tensor or hasattr(other, "__tf_tensor__"):
            dtype = other.value.dtype if other.__class__ is Tensor else dtypes.to_numpy(other.dtype)
            break
    return number(x, dtype) if (x.__class__ is float or x.__class__ is int) and x and dtype else tensor_of(x, dtype)


def tensor_of(x, dtype=None):
    """What is no Tensor yet, as one: of this dtype, or of its natural one."""
    like = first_tensor(x) if isinstance(x, (list, tuple)) else None
    return constant_of(x, dtype) if like is None else packed(x, None if dtype is None or like.dtype == dtype else dtypes.to_numpy(dtype))


def constant_of(x, dtype):
    """A value of Python or NumPy as a Tensor."""
    return coming(x, Tensor.of(as_value(x, dtype)))


@functools.lru_cache(maxsize=1000, typed=True)
def number(x, dtype):
    """A Python number as a Tensor. (Not for zeros: 0.0 and -0.0 are one key, but two numbers.)"""
    tensor = new(Tensor)
    tensor.value, tensor.id = as_value(x, dtype), 0
    return tensor


def first_tensor(x):
    """The first Tensor or Variable in a list, or in the lists that it holds; None if there is none."""
    if KINDS.keys() >= {*map(type, x)}:  # numbers and strings alone
        return None
    found = (first_tensor(y) if isinstance(y, (list, tuple)) else y if hasattr(y, "__tf_tensor__") else None for y in x)
    return next((one for one in found if one is not None), None)


def packed(x, dtype):
    """A list that holds Tensors, as one Tensor: each stays connected, and is cast if a dtype is given."""

    def part(y):
        if isinstance(y, (list, tuple)) and first_tensor(y) is not None:
            return packed(y, dtype)
        if dtype is None:
            return y
        return cast(y.__tf_tensor__(), dtype) if hasattr(y, "__tf_tensor__") else constant_of(y, dtype)

    return OPS["stack"]([part(y) for y in x])


def cast(x, dtype):
    """A Tensor in another dtype."""
    smoothly = x.value.dtype.kind in "fc" and dtype.kind in "fc"
    return x if x.value.dtype == dtype else OPS["cast_smoothly" if smoothly else "cast_coarsely"](x, dtype)


def convert_all(values, op):
    """A list of Tensors of one dtype, for an op that takes a list."""
    if not isinstance(values, (list, tuple)):
        values = list(values) if hasattr(values, "__iter__") else [values]
    values = list(values)
    for k, x in enumerate(values):
        if x.__class__ is not Tensor:
            values[k] = convert(x, *values)
    for x in values[1:]:
        if x.value.dtype is not values[0].value.dtype:
            agree(op, tuple(values), values[0], x)
    return values


def agree(op, inputs, x, y):
    """Refuse two dtypes in one op: nothing is promoted."""
    wanted, given = x.value.dtype, y.value.dtype
    if wanted != given:
        if op.kernel in ("RealDiv", "DivNoNan"):  # here TensorFlow's Python looks, before any kernel
            names = [f"tf.{dtypes.BY_NUMPY[one].name}" for one in (wanted, given)]
            raise TypeError(f"`x` and `y` must have the same dtype, got {names[0]} != {names[1]}.")
        if op.kinds and wanted.kind not in [*op.kinds, *op.others, "O" * bool(op.for_strings)]:
            refuse(op, x)
        place = next(k for k, one in enumerate(inputs) if one is y)
        wanted, given = dtypes.BY_NUMPY[wanted].kernel_name, dtypes.BY_NUMPY[given].kernel_name
        raise errors.InvalidArgumentError(
            None, op,
            f"cannot compute {op.kernel} as input #{place}(zero-based) was expected to be a {wanted} tensor "
            f"but is a {given} tensor [Op:{op.kernel}] name: ",
        )  # fmt: skip


def refuse(op, *inputs):
    """The op does not take this dtype. (Strings are joined by `+`, as in TensorFlow.)"""
    dtype = dtypes.BY_NUMPY[inputs[0].value.dtype]
    if op.for_strings and dtype is dtypes.string:
        return op.for_strings(inputs)
    if dtype.dtype.kind in op.others:
        return op.others[dtype.dtype.kind](*inputs)
    if op.kinds in ("b", "O"):
        agree(op, inputs, Tensor.of(np.empty((), np.bool_ if op.kinds == "b" else object)), inputs[0])
    allowed = ", ".join(d.kernel_name for d in dtypes.ALL if d.dtype.kind in (*op.kinds, *op.others))
    raise errors.InvalidArgumentError(
        None, op,
        f"Value for attr 'T' of {dtype.kernel_name} is not in the list of allowed values: {allowed} [Op:{op.kernel}] name: ",
    )  # fmt: skip


def again(op, problem, forward, *arguments):
    """A forward function failed. If only since the user made NumPy strict, it is done again; else the error is told in our words."""
    if isinstance(problem, (FloatingPointError, RuntimeWarning)):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return forward(*arguments)
    ours = hasattr(problem, "from_python") or not isinstance(problem, (ValueError, IndexError, errors.OpError))
    if ours or isinstance(problem, UnicodeError):
        raise problem
    error = type(problem) if isinstance(problem, errors.OpError) else errors.InvalidArgumentError
    kernel = getattr(problem, "op", None) or op.kernel  # an op that is several kernels in TensorFlow may name one
    raise error(None, op, f"{in_our_words(problem, arguments)} [Op:{kernel}] name: ") from None


def in_our_words(problem, arguments):
    """What NumPy says of arrays that do not fit, as TensorFlow says it."""
    text = str(problem)
    if isinstance(problem, errors.OpError):
        return text
    if "broadcast" in text:
        shapes = [f"[{','.join(map(str, x.shape))}]" for x in arguments if hasattr(x, "shape")]
        return f"Incompatible shapes: {' vs. '.join(shapes[-2:])}"
    if isinstance(problem, np.exceptions.AxisError) and "out of bounds" in text:
        return f"Invalid reduction dimension ({problem.axis} for input with {problem.ndim} dimension(s)"
    if text == "duplicate value in 'axis'":
        x, axes = arguments[:2]
        axes = [axis % x.ndim for axis in axes]
        return f"Invalid reduction arguments: Axes contains duplicate dimension: {max(axes, key=axes.count)}"
    return text


def bundle(outputs, live):
    """The outputs of one op as the key of a step: id, shape and dtype of each. Those that can have a gradient become live."""
    live.update([z.id for z in outputs if z.value.dtype.kind in "fc"])
    return tuple([(z.id, z.value.shape, z.value.dtype) for z in outputs])


TOOLS = dict(
    Again=Again, Tensor=Tensor, again=again, agree=agree, bundle=bundle, convert=convert, convert_all=convert_all,
    float32=np.dtype(np.float32), listening=listening, new=new, next_id=next_id, refuse=refuse,
)  # fmt: skip
__all__ = ["KERNELS", "OPS", "Source", "convert", "listening", "of_complex", "op"]
