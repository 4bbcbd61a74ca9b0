"""Generates the function that runs an op: one template, filled with the names of a declaration.

In the generated code `x` is a Tensor and `x_` is its array. There is a line for each input, each check and each edge of
the graph, so that nothing is looked up at run time. `print(mg.multiply.source)` shows it.
"""

import functools
import itertools
import re

import numpy as np

from .listening import listening
from .operands import convert, convert_all, convert_or_keep, refuse_dtype, refuse_mixed, retry_unchecked
from .rules import Recompute
from .tensor import Tensor, next_id

# A line is repeated for each item that its comment names, and left out if there is none.
TEMPLATE = """
def {op}({parameters}):
    if {x}.__class__ is not Tensor: {x} = {convert}({x}{like})                                         # each single input
    {x} = convert_all({x}, this)                                                                       # each list of one dtype
    {x} = [convert(one) for one in {x}]                                                                # each list of any dtypes
    {x_} = {x}.value                                                                                   # each single input
    {x_} = [one.value for one in {x}]                                                                  # each list
    {x_shape} = [array.shape for array in {x_}]                                                        # each list of shapes
    if {a} is not None: {a} = {tidy}({a})                                                              # each tidied attribute
    dtype = {x_}.dtype                                                                                 # the first of one dtype
    if {x_}.dtype is not dtype and {x_}.dtype != dtype: return refuse_mixed(this, {inputs}, {first}, {x})  # each other of it
    if {not_float32}dtype.kind not in {kinds!r}: return refuse_dtype(this, {same})                     # kinds of dtype
    try: {results} = forward({given})
    except Exception as problem: {results} = retry_unchecked(this, problem, forward, {given})
    {z} = Tensor(); {z}.value = {z_}; {z}.id = next_id()                                               # one output
    {z} = [Tensor.of(array) for array in {z_}]                                                         # many outputs
    for listener in listening.now:
        tracked = listener.tracked_ids
        if tracked is None: listener.hear(this, {inputs}, {z}, {attributes}); continue
        write = listener.steps.append
        if {x}.id in tracked: {track}write(({out}, {x}.id, {vjp}, {arrays}, {tensors}, {x_}.shape))    # each edge
        for {k}, one in enumerate({x}):                                                                # each list of edges
            if one.id in tracked: {track}write(({out}, one.id, {vjp}, {arrays}, {tensors}, one.value.shape))  # each list of edges
        if {x}.id in tracked: track_outputs({zs}, tracked)                                             # each input without a VJP
        if any([one.id in tracked for one in {x}]): track_outputs({zs}, tracked)                       # each list without a VJP
    return {z}                                                                                         # one output or a list
    return whole({z})                                                                                  # a tuple of outputs
"""
LINES = [(code.rstrip(), when) for code, _, when in (line.partition("  # ") for line in TEMPLATE.strip().splitlines())]


def track_outputs(outputs, tracked):
    """Track the outputs that can have a gradient, and return what a step keeps of each output: id, shape and dtype."""
    tracked.update([z.id for z in outputs if z.value.dtype.kind in "fc"])
    return tuple([(z.id, z.value.shape, z.value.dtype) for z in outputs])


PROPERTIES = ("shape", "dtype", "size")  # properties of an input that a VJP can ask for
TOOLS = dict(Recompute=Recompute, Tensor=Tensor, convert=convert, convert_all=convert_all,
             convert_or_keep=convert_or_keep, float32=np.dtype(np.float32), listening=listening, next_id=next_id,
             refuse_dtype=refuse_dtype, refuse_mixed=refuse_mixed, retry_unchecked=retry_unchecked,
             text=Tensor.of(np.array(b"", object)), track_outputs=track_outputs, truth=Tensor.of(np.True_))  # fmt: skip
WORD = r"(?<![.{\w])[A-Za-z]\w*(?!\w*})"  # a name, but neither an attribute nor a hole


@functools.cache
def own_names():
    """The names that the engine uses in the code of every op."""
    return sorted({word for line, _ in LINES for word in re.findall(WORD, line)} | {*TOOLS})


def parameters(function):
    """The names of a function's parameters."""
    return list(function.__code__.co_varnames[: function.__code__.co_argcount])


def lists_of(function):
    """The parameters of a function that are lists of Tensors."""
    return [x for x, note in function.__annotations__.items() if note in (list, tuple) and x != "return"]


def many_of(function):
    """The type that holds several outputs: list, tuple, or a named tuple; None for a single output."""
    returned = function.__annotations__.get("return")
    return returned if isinstance(returned, type) and issubclass(returned, (list, tuple)) else None


def with_name(names, defaults):
    """The parameters and their defaults, with TensorFlow's `name`, which has no effect, added last unless declared."""
    return (names, defaults) if "name" in names else ([*names, "name"], (*(defaults or ()), None))


def with_defaults(names, defaults):
    """The source of a parameter list."""
    required, plain = len(names) - len(defaults or ()), (bool, int, float, str, type(None))
    shown = [repr(value) if isinstance(value, plain) else "..." for value in defaults or ()]
    return ", ".join(names[:required] + [f"{name}={value}" for name, value in zip(names[required:], shown)])


def tuple_of(names):
    """The source of a tuple."""
    return f"({', '.join(names)}{',' * (len(names) == 1)})"


class Declaration:
    """The meaning of a declaration: which parameters are inputs, what each VJP needs, and where to find it.

    Raises:
        TypeError: a name has two meanings, or a VJP asks for an unknown name.
    """

    def __init__(self, run):
        self.name, self.parameters, self.run = run.__name__, parameters(run.__wrapped__), run
        self.inputs = [x for x in self.parameters if f"d{x}" in run.vjps]
        self.attributes = [a for a in self.parameters if a not in self.inputs]
        self.needs = {x: parameters(run.vjps[f"d{x}"]) for x in self.inputs if run.vjps[f"d{x}"]}
        self.output = next(iter(self.needs.values()))[0][1:] if self.needs else "output"
        self.lists, self.many = run.lists, run.many
        self.singles = [x for x in self.inputs if x not in self.lists]
        self.same_dtype = [x for x in self.needs or self.inputs if x not in self.lists]  # these give a number its dtype
        self.check()
        self.taken = {*self.parameters, self.output, "name"}
        self.words = {word: self.free(word) for word in own_names()}
        self.arrays = {x: self.free(f"{x}_") for x in [*self.inputs, self.output, *run.by_products]}
        self.functions = {one: self.free(one) for one in [*run.vjps, *run.by_products]}
        self.tidy = {a: self.free(f"tidy_{a}") for a in run.tidiers}
        self.k = self.free("k")
        self.offers = self.offered(run.by_products)

    def free(self, name):
        """A name that is not taken: the engine's names give way to those of the declaration."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def offered(self, by_products):
        """What a VJP can ask for, by name: the expression for it in arrays, and the one in Tensors."""
        offers = {f"{x}_{of}": (f"{self.arrays[x]}.{of}",) * 2 for x in self.singles for of in PROPERTIES}
        offers |= {f"{x}_shape": (self.free(f"{x}_shape"),) * 2 for x in self.lists}
        offers |= {"k": (self.k, self.k)} if self.lists else {}
        offers |= {x: (self.arrays[x], x) for x in [*self.inputs, self.output]} | {a: (a, a) for a in self.attributes}
        recompute = self.words["Recompute"]
        for p, make in by_products.items():
            offers[p] = self.arrays[p], f"{recompute}({self.functions[p]}, {tuple_of(parameters(make))})"
        return offers

    def check(self):
        """Check that each name has one meaning, and that VJPs ask only for known names."""
        by_products = list(self.run.by_products)
        names = [*self.parameters, self.output, *by_products, *(["k"] if self.lists else [])]
        asked = {wish for _, *wishes in self.needs.values() for wish in wishes}
        there = {*names, *(f"{x}_{of}" for x in self.inputs for of in PROPERTIES)}
        twice, upstream = len({*names}) < len(names), f"d{self.output}"
        first = next((first for first, *_ in self.needs.values() if first != upstream), "")
        unused = ", ".join(f"{name}=" for name in sorted({*by_products} - asked))
        said = self.run.math.said
        unknown = ", ".join(sorted({*said} - {*self.needs})) if isinstance(said, dict) else ""
        begin = f"each VJP must begin with {upstream}, the upstream gradient, not with {first}: dz, if the output is z"
        needless = f"{unused} is no VJP (d and an input's name), no attribute, and no by-product that a VJP asks for"
        for refused, problem in [
            (self.inputs + self.attributes != self.parameters, "inputs, which have VJPs, must come before attributes"),
            (twice or {*self.attributes} & {*self.run.vjps}, f"a name has two meanings: {', '.join(names)}"),
            (first, begin),
            (asked - there, f"a VJP asks for {', '.join(sorted(asked - there))}; there is {', '.join(sorted(there))}"),
            (unknown, f"math= has a line for {unknown}; there are VJPs for {', '.join(self.needs)}"),
            (unused, needless),
        ]:
            if refused:
                raise TypeError(f"@op above {self.name}({', '.join(self.parameters)}): {problem}")

    def common(self):
        """The code that fills the holes of every line."""
        z, run = self.output, self.run
        results = [self.arrays[p] for p in (z, *run.by_products)]
        given = [*(self.arrays[x] for x in self.inputs), *self.attributes]
        return dict(op=self.name, parameters=with_defaults(*with_name(self.parameters, run.__wrapped__.__defaults__)),
                    z=z, z_=self.arrays[z], k=self.k, inputs=tuple_of(self.inputs), same=tuple_of(self.same_dtype),
                    attributes=tuple_of(self.attributes), first="".join(self.same_dtype[:1]), kinds=run.kinds,
                    not_float32="{dtype} is not {float32} and ".format(**self.words) * ("f" in run.kinds),
                    results=", ".join(results), given=", ".join(given), zs=z if self.many else f"[{z}]",
                    out=f"{self.words['track_outputs']}({z}, {self.words['tracked']})" if self.many else f"{z}.id",
                    track="" if self.many else f"{self.words['tracked']}.add({z}.id); ")  # fmt: skip

    def holes(self, x):
        """The code that fills the holes of a line written for this input."""
        arrays, tensors = [tuple_of([self.offers[wish][i] for wish in self.needs.get(x, [""])[1:]]) for i in (0, 1)]
        return dict(x=x, x_=self.arrays[x], x_shape=self.offers[f"{x}_shape"][0], vjp=self.functions[f"d{x}"],
                    arrays=arrays, tensors=tensors, like=self.like(x),
                    convert=self.words["convert_or_keep" if self.run.keep_misfit else "convert"])  # fmt: skip

    def like(self, x):
        """The further arguments that an input takes its dtype from: the other inputs, or a constant (truth, text)."""
        if self.run.kinds in ("b", "O"):
            return f", {self.words['truth' if self.run.kinds == 'b' else 'text']}"
        alone = self.run.first_alone and x == self.inputs[0]
        same = list(self.needs) or self.inputs
        return "".join(f", {y}" for y in same if x in same and y != x and not alone)

    def lines(self):
        """For each comment in the template, the holes of the lines to write."""
        lists, same = [x for x in self.inputs if x in self.lists], self.same_dtype
        mixed = [x for x in lists if self.run.__wrapped__.__annotations__[x] is tuple]
        with_shapes = [x for x in lists if any(f"{x}_shape" in wishes for wishes in self.needs.values())]
        per_input = {
            "each single input": self.singles, "each list": lists, "each list of any dtypes": mixed,
            "each list of one dtype": [x for x in lists if x not in mixed], "each list of shapes": with_shapes,
            "the first of one dtype": same[: 1 if len(same) > 1 or self.run.kinds else 0], "each other of it": same[1:],
            "each edge": [x for x in self.singles if x in self.needs],
            "each list of edges": [x for x in lists if x in self.needs],
            "each input without a VJP": [x for x in self.singles if x not in self.needs],
            "each list without a VJP": [x for x in lists if x not in self.needs],
        }  # fmt: skip
        return {when: [self.holes(x) for x in inputs] for when, inputs in per_input.items()} | {
            "": [{}], "one output": [{}] * (not self.many), "many outputs": [{}] * bool(self.many),
            "one output or a list": [{}] * (self.many in (None, list)),
            "a tuple of outputs": [{}] * (self.many not in (None, list)),
            "kinds of dtype": [{}] * bool(self.run.kinds and same),
            "each tidied attribute": [dict(a=a, tidy=self.tidy[a]) for a in self.run.tidiers],
        }  # fmt: skip

    def names(self):
        """The globals of the op, under the names that its code uses."""
        run = self.run
        tools = {**TOOLS, "this": run, "forward": run.__wrapped__, "whole": getattr(run.many, "_make", run.many)}
        vjps = {d: run.adapt(vjp) if run.adapt and vjp else vjp for d, vjp in run.vjps.items()}
        functions = {self.functions[one]: function for one, function in {**vjps, **run.by_products}.items()}
        tidiers = {self.tidy[a]: tidier for a, tidier in run.tidiers.items()}
        return {self.words[word]: tool for word, tool in tools.items()} | functions | tidiers


def source_of(run):
    """The source of an op, and the globals that it needs."""
    s = Declaration(run)
    common, lines, text = s.common(), s.lines(), []
    clashes = {word: new for word, new in s.words.items() if word != new}
    for when, block in itertools.groupby(LINES, key=lambda line: line[1]):
        code = [in_other_words(line, clashes) for line, _ in block]
        text += [line.format(**common, **holes) for holes in lines[when] for line in code]
    return "\n".join(text) + "\n", s.names()


def in_other_words(line, clashes):
    """A line of the template, with the engine's names renamed where they clash with those of a declaration."""
    return re.sub(WORD, lambda word: clashes.get(word[0], word[0]), line) if clashes else line
