"""What the lessons say of PyTorch and of JAX, as programs.

`python -m tests.claims` runs them where both are installed (`pip install torch jax numpy`), and stores in `claims.json` what came
out, with the versions. A test compares: each claim still stands in its lesson, and what came out is what it says.
"""

import inspect
import json
import platform
import sys
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

STORED = Path(__file__).with_suffix(".json")
CLAIMS = []


@dataclass(frozen=True)
class Claim:
    """A program, and what the words of a lesson say that it gives."""

    lesson: str
    library: str
    words: str
    gives: object
    program: object

    @property
    def name(self):
        return f"{self.lesson} {self.library}: {self.words}"

    @property
    def mark(self):
        """Another one for another program."""
        return zlib.crc32(inspect.getsource(self.program).encode())


def claims(lesson, library, words, gives):
    def add(program):
        CLAIMS.append(Claim(lesson, library, words, gives, program))
        return program

    return add


def in_pytorch(lesson, words, gives=True):
    return claims(lesson, "PyTorch", words, gives)


def in_jax(lesson, words, gives=True):
    return claims(lesson, "JAX", words, gives)


def error(call, *arguments, **named):
    """What a call raises, by its name; None if nothing."""
    try:
        call(*arguments, **named)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}".partition("\n")[0]
    return None


def raises(kind, call, *arguments, words="", **named):
    said = error(call, *arguments, **named) or ""
    return said.partition(":")[0] == kind and words in said


def wanted(*numbers):
    """Tensors of PyTorch that are followed."""
    made = [torch.tensor(number, requires_grad=True) for number in numbers]
    return made if len(made) > 1 else made[0]


# ---- 00 --------------------------------------------------------------------------------------------------------------


@in_pytorch("00", "`prices * amounts` works entry by entry", [2.0, 6.0, 0.5])
def _():
    return torch.tensor([1.0, 2.0, 0.5]) * torch.tensor([2.0, 3.0, 1.0])


@in_jax("00", "and so it does **in JAX**", [2.0, 6.0, 0.5])
def _():
    return jnp.array([1.0, 2.0, 0.5]) * jnp.array([2.0, 3.0, 1.0])


# ---- 01 --------------------------------------------------------------------------------------------------------------


@in_pytorch("01", "find the 6 in `x.grad`", 6.0)
def _():
    x = torch.tensor(3.0, requires_grad=True)
    (x * x).backward()
    return x.grad


@in_pytorch("01", "It is a number for one point there too", 6.0)
def _():
    x = wanted(3.0)
    (x * x).backward()
    x.data.fill_(5.0)
    return x.grad


@in_jax("01", "the slope for any point you call it with", [6.0, 10.0])
def _():
    slope = jax.grad(lambda x: x * x)
    return [slope(3.0), slope(5.0)]


@in_jax("01", "each call runs `f` again", 2)
def _():
    runs = []
    slope = jax.grad(lambda x: (runs.append(x), x * x)[1])
    slope(3.0), slope(5.0)
    return len(runs)


# ---- 02 --------------------------------------------------------------------------------------------------------------


@in_pytorch("02", "recording goes on wherever a tensor with `requires_grad=True` flows")
def _():
    made = wanted(3.0) * 2.0 + 1.0
    return made.requires_grad and made.grad_fn is not None


@in_pytorch("02", "a second call without clearing doubles it", [6.0, 12.0])
def _():
    x, seen = wanted(3.0), []
    for _ in range(2):
        (x * x).backward()
        seen.append(float(x.grad))
    return seen


@in_pytorch("02", "A target with several entries is refused, not added up")
def _():
    return raises("RuntimeError", (wanted([1.0, 2.0]) * 2.0).backward)


@in_pytorch("02", "keeps its weights as (outputs, inputs)", [2, 3])
def _():
    return list(torch.nn.Linear(3, 2).weight.shape)


@in_jax("02", "turns a function into the function of its slopes", 6.0)
def _():
    return jax.grad(lambda x: x * x)(3.0)


@in_jax("02", "A dict given to `f` comes back as a dict", {"a": 5.0, "b": 3.0})
def _():
    return jax.grad(lambda d: d["a"] * d["b"])({"a": 3.0, "b": 5.0})


@in_jax("02", "A target with several entries is refused")
def _():
    return raises("TypeError", jax.grad(lambda x: x * 2.0), jnp.array([1.0, 2.0]))


# ---- 03 --------------------------------------------------------------------------------------------------------------


@in_pytorch("03", "is followed without any block", 6.0)
def _():
    x = torch.tensor(3.0, requires_grad=True)
    return torch.autograd.grad(x * x, x)[0]


@in_pytorch("03", "Integers are refused with an error")
def _():
    return raises("RuntimeError", torch.tensor, 3, requires_grad=True)


@in_pytorch("03", "gives the same 1, without a message", 1.0)
def _():
    c = torch.tensor(3.0)
    square = c * c
    c.requires_grad_()
    (square + c).backward()
    return c.grad


@in_jax("03", "`jax.grad(f, argnums=...)` says which arguments count", [5.0, 3.0])
def _():
    return [jax.grad(lambda x, y: x * y, argnums=k)(3.0, 5.0) for k in (0, 1)]


@in_jax("03", "An argument that is not used gets 0, not None", 0.0)
def _():
    return jax.grad(lambda x, y: x * x, argnums=1)(3.0, 5.0)


@in_jax("03", "Integers are refused")
def _():
    return raises("TypeError", jax.grad(lambda x: x * x), 3)


# ---- 04 --------------------------------------------------------------------------------------------------------------


@in_pytorch("04", "`backward()` frees the numbers that the graph has kept as well")
def _():
    x = wanted(3.0)
    y = x * x
    y.backward()
    return raises("RuntimeError", y.backward)


@in_pytorch("04", "A second call through the same ops raises a RuntimeError if it needs them", [True, None])
def _():
    refused = []
    for f in (lambda x: x * x, lambda x: x + x):
        y = f(wanted(3.0))
        y.backward()
        refused.append(raises("RuntimeError", y.backward) or error(y.backward))
    return refused


@in_pytorch("04", "`retain_graph=True` keeps them", None)
def _():
    x = wanted(3.0)
    y = x * x
    y.backward(retain_graph=True)
    return error(y.backward)


@in_pytorch("04", "There [6, 114] would be the answer in section 3", [6.0, 114.0])
def _():
    x = wanted([1.0, 3.0])
    y = x * x
    (y * y).sum().backward(retain_graph=True)
    y.sum().backward()
    return x.grad


@in_pytorch("04", "A middle result shows its slope after `y.retain_grad()`", 18.0)
def _():
    x = wanted(3.0)
    y = x * x
    y.retain_grad()
    (y * y).backward()
    return y.grad


@in_pytorch("04", "or through `torch.autograd.grad(z, y)`", 18.0)
def _():
    y = wanted(3.0) ** 2
    return torch.autograd.grad(y * y, y)[0]


@in_jax("04", "`z, pull = jax.vjp(f, x)` gives a function `pull` that may be called as often as you like", [108.0, 216.0])
def _():
    _, pull = jax.vjp(lambda x: (x * x) ** 2, 3.0)
    return [pull(1.0)[0], pull(2.0)[0]]


@in_jax("04", "keeps its numbers as long as it lives")
def _():
    x = jnp.arange(1000.0)
    _, pull = jax.vjp(lambda x: jnp.sum(x * x), x)
    return any(leaf.shape == (1000,) for leaf in jax.tree.leaves(pull))


@in_jax("04", "For the middle, split `f` in two", 18.0)
def _():
    first, second = (lambda x: x * x), (lambda y: y * y)
    return jax.grad(second)(first(3.0))


# ---- 05 --------------------------------------------------------------------------------------------------------------

WIRES = [[2.0, 0.0, 1.0], [0.0, 3.0, 1.0]]


@in_pytorch("05", "grad can be implicitly created only for scalar outputs")
def _():
    y = wanted(2.0) * torch.tensor([3.0, 4.0])
    return raises("RuntimeError", y.backward, words="grad can be implicitly created only for scalar outputs")


@in_pytorch("05", "`y.backward(gradient=...)`", [0.0, 3.0, 1.0])
def _():
    x = wanted([1.0, 2.0, 3.0])
    (torch.tensor(WIRES) @ x).backward(gradient=torch.tensor([0.0, 1.0]))
    return x.grad


@in_pytorch("05", "The table is `torch.autograd.functional.jacobian(f, x)`", WIRES)
def _():
    return torch.autograd.functional.jacobian(lambda x: torch.tensor(WIRES) @ x, torch.ones(3))


@in_jax("05", "`jax.grad` refuses it as well")
def _():
    return raises("TypeError", jax.grad(lambda x: x * jnp.array([3.0, 4.0])), 2.0)


@in_jax("05", "`jax.vjp` takes the weights", [0.0, 3.0, 1.0])
def _():
    return jax.vjp(lambda x: jnp.array(WIRES) @ x, jnp.ones(3))[1](jnp.array([0.0, 1.0]))[0]


@in_jax("05", "`jax.jacrev` gives the table", WIRES)
def _():
    return jax.jacrev(lambda x: jnp.array(WIRES) @ x)(jnp.ones(3))


# ---- 06 --------------------------------------------------------------------------------------------------------------


def last_height(keep, low):
    height = 10.0
    while height > low:
        height = keep * height
    return height


def gated(x, gate):
    return x * x if x > gate else x


@in_pytorch("06", "`if` and `while` work in the same way on float tensors", 20.48)
def _():
    keep, low = wanted(0.8, 5.0)
    last_height(keep, low).backward()
    return keep.grad


@in_pytorch("06", "An integer cannot have `requires_grad`, and an empty tensor in an `if` raises")
def _():
    empty = torch.tensor([])
    return raises("RuntimeError", torch.tensor, 3, requires_grad=True) and raises("RuntimeError", lambda: 1 if empty else 0)


@in_pytorch("06", "refuses a source that only decides, unless `allow_unused=True` lets it answer None", [True, None])
def _():
    keep, low = wanted(0.8, 5.0)
    height = last_height(keep, low)
    refused = raises("RuntimeError", torch.autograd.grad, height, low, retain_graph=True)
    return [refused, torch.autograd.grad(height, low, allow_unused=True)[0]]


@in_jax("06", "takes the same Python `if` and `while`", [20.48, 6.0])
def _():
    return [jax.grad(last_height)(0.8, 5.0), jax.grad(gated)(3.0, 1.0)]


@in_jax("06", "a number that only decides gets 0, not None", 0.0)
def _():
    return jax.grad(last_height, argnums=1)(0.8, 5.0)


@in_jax("06", "Under `jit` both raise an error")
def _():
    return all(raises("TracerBoolConversionError", jax.jit(f), 0.8, 5.0) for f in (last_height, gated))


def bounced(keep):
    return jax.lax.while_loop(lambda height: height > 5.0, lambda height: keep * height, 10.0)


@in_jax("06", "`lax.cond` and `lax.while_loop` are used there", [6.0, 4.096])
def _():
    gate = lambda x: jax.lax.cond(x > 1.0, lambda x: x * x, lambda x: x, x)
    return [jax.jit(jax.grad(gate))(3.0), jax.jit(bounced)(0.8)]


@in_jax("06", "the second has no gradient backward")
def _():
    return raises("ValueError", jax.grad(bounced), 0.8)


# ---- 07 --------------------------------------------------------------------------------------------------------------


@in_pytorch("07", "a tensor that never took part has `.grad` None", None)
def _():
    x, idle = wanted(3.0, 5.0)
    (x * x).backward()
    return idle.grad


@in_pytorch("07", "`torch.autograd.grad` raises unless `allow_unused=True`", [True, None])
def _():
    x, idle = wanted(3.0, 5.0)
    y = x * x
    refused = raises("RuntimeError", torch.autograd.grad, y, idle, retain_graph=True)
    return [refused, torch.autograd.grad(y, idle, allow_unused=True)[0]]


@in_pytorch("07", "`.numpy()` on a tensor that wants a gradient raises")
def _():
    return raises("RuntimeError", wanted(3.0).numpy)


@in_pytorch(
    "07",
    "`float(loss)` warns",
    [9.0, "and warns: Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior."],
)
def _():
    return float(wanted(3.0) ** 2)


@in_pytorch("07", "`.item()` says nothing", 9.0)
def _():
    return (wanted(3.0) ** 2).item()


@in_pytorch("07", "Integers cannot ask for a gradient")
def _():
    return raises("RuntimeError", torch.tensor([2, 2]).requires_grad_)


@in_jax("07", "an argument that plays no part gets 0, never None", 0.0)
def _():
    return jax.grad(lambda x, y: x * x, argnums=1)(3.0, 5.0)


@in_jax("07", "NumPy functions raise on a value under `grad`")
def _():
    return raises("TracerArrayConversionError", jax.grad(lambda x: np.sin(x) * x), 3.0)


@in_jax("07", "`floor` has slope 0, without complaint", 0.0)
def _():
    return jax.grad(jnp.floor)(2.6)


# ---- 08 --------------------------------------------------------------------------------------------------------------


@in_pytorch("08", "`.item()` and `.detach()` lose a path without a message too", [3.0, 3.0])
def _():
    x = wanted(3.0)
    return [torch.autograd.grad(x * half, x)[0] for half in (x.item(), x.detach())]


@in_pytorch("08", "`.numpy()` refuses while a gradient is wanted")
def _():
    x = wanted(3.0)
    return raises("RuntimeError", lambda: x * x.numpy())


@in_pytorch("08", '`backward` raises "modified by an inplace operation" once an optimizer has moved a weight')
def _():
    w = wanted(3.0)
    y = w * w
    y.backward(retain_graph=True)
    torch.optim.SGD([w], lr=0.1).step()
    return raises("RuntimeError", y.backward, words="modified by an inplace operation")


@in_jax("08", "`float(x)` or `np.exp(x)` under `grad` raises")
def _():
    return all(error(jax.grad(lambda x, f=f: x * f(x)), 3.0) for f in (float, np.exp))


@in_jax("08", "The fault with `where` is the same, for `sqrt` as well", [True, True])
def _():
    guarded = lambda f: jax.grad(lambda z: jnp.where(z > 0.0, f(z), 0.0))(0.0)
    return [bool(jnp.isnan(guarded(f))) for f in (jnp.log, jnp.sqrt)]


@in_jax("08", "`maximum(x, 0)` has slope 0.5 at 0", 0.5)
def _():
    return jax.grad(lambda x: jnp.maximum(x, 0.0))(0.0)


# ---- 09 --------------------------------------------------------------------------------------------------------------


@in_pytorch("09", "`detach()` is `stop_gradient`", 3.0)
def _():
    x = wanted(3.0)
    return torch.autograd.grad(x * x.detach(), x)[0]


@in_pytorch("09", "a weight that needs a gradient may be changed in place under `torch.no_grad()` alone")
def _():
    v = wanted(2.0)
    refused = raises("RuntimeError", v.fill_, 10.0)
    with torch.no_grad():
        return refused and error(v.fill_, 10.0) is None


@in_pytorch("09", 'and then `backward` stops with "modified by an inplace operation"')
def _():
    v = wanted(2.0)
    before = v * v
    with torch.no_grad():
        v.fill_(10.0)
    return raises("RuntimeError", before.backward, words="modified by an inplace operation")


@in_pytorch("09", "`total += amount` on a plain tensor keeps the path, and the slope is 8", 8.0)
def _():
    amount, total = wanted(3.0), torch.tensor(1.0)
    total += amount
    (total * total).backward()
    return amount.grad


@in_jax("09", "there are no Variables: state is a value that you pass in and get back")
def _():
    array = jnp.zeros(2)
    return raises("TypeError", array.__setitem__, 0, 1.0) and not hasattr(array, "assign")


@in_jax("09", "`jax.lax.stop_gradient` is the cut", 3.0)
def _():
    return jax.grad(lambda x: x * jax.lax.stop_gradient(x))(3.0)


# ---- 10 --------------------------------------------------------------------------------------------------------------


@in_pytorch(
    "10", "you write a class with `forward` and `backward` under `torch.autograd.Function`, and `torch.autograd.gradcheck` measures"
)
def _():
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, dy):
            (x,) = ctx.saved_tensors
            return dy * 3.0 * x**2

    return torch.autograd.gradcheck(Cube.apply, torch.tensor(2.0, dtype=torch.float64, requires_grad=True))


@in_pytorch("10", "The gradient of `torch.round` is 0, not None", 0.0)
def _():
    x = wanted(1.4)
    torch.round(x).backward()
    return x.grad


@in_jax(
    "10",
    "it is `jax.custom_vjp`, and `check_grads` measures, after `from jax.test_util import check_grads`",
    [12.0, None, "AssertionError"],
)
def _():
    from jax.test_util import check_grads

    def cube(factor):
        f = jax.custom_vjp(lambda x: x**3)
        f.defvjp(lambda x: (x**3, x), lambda x, dy: (dy * factor * x**2,))
        return f

    x = jnp.array(2.0)
    checked = lambda factor: error(check_grads, cube(factor), (x,), 1, ["rev"])
    return [jax.grad(cube(3.0))(x), checked(3.0), (checked(2.0) or "").partition(":")[0]]


@in_jax("10", "The gradient of `jnp.round` is 0", 0.0)
def _():
    return jax.grad(jnp.round)(1.4)


# ---- 11 --------------------------------------------------------------------------------------------------------------


@in_pytorch("11", "gradients are added into `weight.grad` until you clear them", [6.0, 12.0])
def _():
    weight, seen = wanted(3.0), []
    for _ in range(2):
        (weight * weight).backward()
        seen.append(float(weight.grad))
    return seen


@in_pytorch("11", "so a sixth line is needed: `optimizer.zero_grad()`", [6.0, 6.0])
def _():
    weight, seen = wanted(3.0), []
    optimizer = torch.optim.SGD([weight], lr=0.0)
    for _ in range(2):
        optimizer.zero_grad()
        (weight * weight).backward()
        seen.append(float(weight.grad))
    return seen


@in_pytorch("11", "A weight without a path has `grad` None, and the optimizers skip it without a message", [None, 5.0, 2.4])
def _():
    cut, weight = wanted(5.0, 3.0)
    (weight * weight + cut.detach()).backward()
    torch.optim.SGD([cut, weight], lr=0.1).step()
    return [cut.grad, cut, weight]


@in_jax("11", "`jax.grad` gives exact zeros for a layer that was cut, not None", [0.0, 0.0])
def _():
    def network(weights, x):
        return jnp.sum(jax.lax.stop_gradient(weights["first"] * x) * weights["second"])

    return jax.grad(network)({"first": jnp.ones(2), "second": jnp.ones(2)}, jnp.array([1.0, 2.0]))["first"]


# ---- 12 --------------------------------------------------------------------------------------------------------------


@in_pytorch(
    "12", "the first gradient has to be asked for with `create_graph=True`, or there is nothing recorded for the second", [True, 6.0]
)
def _():
    x, seen = wanted(1.0), []
    for keep in (False, True):
        (d,) = torch.autograd.grad(x**3, x, create_graph=keep)
        seen.append(torch.autograd.grad(d, x)[0] if keep else raises("RuntimeError", torch.autograd.grad, d, x))
    return seen


@in_pytorch("12", "`torch.func.hessian` and `torch.autograd.functional.hvp` do both for you", [[[6.0, 0.0], [0.0, 12.0]], [6.0, 0.0]])
def _():
    f, x = lambda x: (x**3).sum(), torch.tensor([1.0, 2.0])
    return [torch.func.hessian(f)(x).tolist(), torch.autograd.functional.hvp(f, x, torch.tensor([1.0, 0.0]))[1].tolist()]


@in_jax("12", "`jax.grad(jax.grad(f))` and `jax.hessian(f)`", [6.0, [[6.0, 0.0], [0.0, 12.0]]])
def _():
    return [jax.grad(jax.grad(lambda x: x**3))(1.0), jax.hessian(lambda x: jnp.sum(x**3))(jnp.array([1.0, 2.0])).tolist()]


@in_jax("12", "`jax.jvp` of `jax.grad(f)`, gives Hessian times vector", [6.0, 0.0])
def _():
    x, v = jnp.array([1.0, 2.0]), jnp.array([1.0, 0.0])
    return jax.jvp(jax.grad(lambda x: jnp.sum(x**3)), (x,), (v,))[1]


# ---- 13 --------------------------------------------------------------------------------------------------------------


@in_pytorch("13", "each result points to the step that made it", ["AddBackward0", "MulBackward0", "AccumulateGrad"])
def _():
    x = wanted(3.0)
    step = (x * x + 1.0).grad_fn
    names = []
    while step is not None:
        names.append(step.name().rpartition("::")[2])
        step = step.next_functions[0][0] if step.next_functions else None
    return names


@in_jax("13", "most ops have a derivative written forward, a JVP, which is transposed into the VJP")
def _():
    """One rule forward, and what it gives, transposed, is what `vjp` gives."""
    x, dy = jnp.array([1.0, 2.0]), jnp.array([10.0, 20.0])
    _, forward = jax.linearize(jnp.sin, x)
    (transposed,) = jax.linear_transpose(forward, x)(dy)
    return bool(jnp.allclose(transposed, jax.vjp(jnp.sin, x)[1](dy)[0]))


@in_jax("13", "the record is a small program that can be compiled", [True, 27.0])
def _():
    slope = jax.grad(lambda x: x**3)
    return [bool(jax.make_jaxpr(slope)(3.0).eqns), jax.jit(slope)(3.0)]


# ---- 14 --------------------------------------------------------------------------------------------------------------


@in_pytorch("14", "there are cases like 3 and 5", [True, True])
def _():
    alpha, x, zero = wanted(0.5), torch.tensor([-1.0, 1.0, 4.0]), torch.zeros(())
    torch.where(x > 0.0, alpha * torch.log(x), 0.0).sum().backward()
    return [bool(torch.isnan(alpha.grad)), raises("RuntimeError", (2.0 * zero + 3.0).backward)]


@in_pytorch("14", "`requires_grad` is what *watched* is here", 2.0)
def _():
    x = torch.zeros((), requires_grad=True)
    (2.0 * x + 3.0).backward()
    return x.grad


@in_pytorch("14", "Case 1 cannot happen, since recording is not confined to a block", [2.0 / 3.0, 1.0, -4.0 / 3.0])
def _():
    x = wanted([1.0, 3.0, -2.0])
    torch.where(x > 2.0, 3.0 * x, x**2).mean().backward()
    return x.grad


@in_pytorch("14", "Case 2 is a missing `create_graph=True`", [True, 4.0])
def _():
    y, v, seen = *wanted(2.0, 3.0), []
    for keep in (False, True):
        (slope,) = torch.autograd.grad(y * y * v, y, create_graph=keep)
        seen.append(torch.autograd.grad(slope, v)[0] if keep else raises("RuntimeError", torch.autograd.grad, slope, v))
    return seen


@in_jax("14", "so only case 3 is left")
def _():
    x = jnp.array([-1.0, 1.0, 4.0])
    return bool(jnp.isnan(jax.grad(lambda alpha: jnp.sum(jnp.where(x > 0.0, alpha * jnp.log(x), 0.0)))(0.5)))


# ---- 15 --------------------------------------------------------------------------------------------------------------


@in_jax("15", "prints the backward pass as a small program")
def _():
    return " cos " in str(jax.make_jaxpr(jax.grad(jnp.sin))(2.0))


@in_jax("15", "Under `jit`, Python's `print` happens once for each kind of arguments too", [1, 2])
def _():
    printed = []

    @jax.jit
    def area(r):
        printed.append(r)
        return 3.0 * r * r

    for r in (1.0, 2.0, 3.0):
        area(jnp.array(r))
    once = len(printed)
    area(jnp.array([1.0, 2.0]))
    return [once, len(printed)]


# ---- 16 --------------------------------------------------------------------------------------------------------------


@in_pytorch("16", "There is no block, so OUTSIDE_TAPE cannot happen", 2.0)
def _():
    x = wanted(1.0)
    answer = x * x
    return torch.autograd.grad(answer.mean(), x)[0]


@in_pytorch("16", "`np.exp` of a tensor that needs a gradient raises")
def _():
    return raises("RuntimeError", np.exp, wanted(1.0))


@in_pytorch("16", "A second `backward` through one graph raises too, unless it was told to keep the graph", [True, None])
def _():
    seen = []
    for keep in (False, True):
        y = wanted(3.0) ** 2
        y.backward(retain_graph=keep)
        seen.append(error(y.backward) if keep else raises("RuntimeError", y.backward))
    return seen


@in_pytorch("16", "The broadcast of `(120, 1)` and `(120,)` gives a square there too", [120, 120])
def _():
    return list((torch.zeros(120, 1) - torch.zeros(120)).shape)


@in_pytorch("16", "with a warning if `mse_loss` is used")
def _():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        torch.nn.functional.mse_loss(torch.zeros(120, 1), torch.zeros(120))
    return any("broadcasting" in str(one.message) for one in told)


@in_jax("16", "nan behind `where`, the square, and `np.exp`, which raises there", [True, [120, 120], True])
def _():
    behind = jax.grad(lambda x: jnp.where(jnp.isnan(jnp.sqrt(x)), 0.0, jnp.sqrt(x)))(-1.0)
    refused = raises("TracerArrayConversionError", jax.grad(lambda x: np.exp(x) * x), 1.0)
    return [bool(jnp.isnan(behind)), list((jnp.zeros((120, 1)) - jnp.zeros(120)).shape), refused]


# ---- running ---------------------------------------------------------------------------------------------------------


def plain(seen):
    """What came out, as JSON can hold it: numbers to six digits."""
    if isinstance(seen, dict):
        return {name: plain(one) for name, one in seen.items()}
    if seen is None or isinstance(seen, (str, bool)):
        return seen
    if hasattr(seen, "tolist"):
        return plain(seen.tolist())
    return [plain(one) for one in seen] if isinstance(seen, (list, tuple)) else float(f"{seen:.6g}")


def agrees(claim, seen):
    return plain(claim.gives) == seen


def run(claim):
    """What came out, or what it was stopped by. A warning comes out too: a lesson that does not tell of it says too little."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", UserWarning)
        try:
            seen = plain(claim.program())
        except Exception as problem:
            seen = f"{type(problem).__name__}: {problem}"
    told = [str(one.message).partition("\n")[0] for one in warned if issubclass(one.category, UserWarning)]
    return [seen, "and warns: " + told[0]] if told else seen


def main():
    versions = {"Python": platform.python_version()} | {one.__name__: one.__version__ for one in (torch, jax, np)}
    stored = {claim.name: {"seen": run(claim), "program": claim.mark} for claim in CLAIMS}
    STORED.write_text(json.dumps({"versions": versions, "claims": stored}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    wrong = [claim for claim in CLAIMS if not agrees(claim, stored[claim.name]["seen"])]
    for claim in wrong:
        print(f"{claim.name}\n    gave {stored[claim.name]['seen']}, not {plain(claim.gives)}")
    print(f"{len(CLAIMS) - len(wrong)} of {len(CLAIMS)} claims hold in PyTorch {torch.__version__} and JAX {jax.__version__}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    import jax
    import jax.numpy as jnp
    import torch

    main()
