"""Writes out what an op does when it runs, from the signatures of its NumPy function and of its gradient rules.

Nothing is looked up later: the text has a line for each input, each check and each edge. `print(mg.multiply.source)` shows it.
"""


def parameters(function):
    """The names of a function's parameters."""
    return list(function.__code__.co_varnames[: function.__code__.co_argcount])


def lists_of(function):
    """Those of its parameters that are lists of Tensors."""
    return [x for x, note in function.__annotations__.items() if note in (list, tuple) and x != "return"]


def with_defaults(names, defaults):
    """The source of a list of parameters."""
    required = len(names) - len(defaults or ())
    return names[:required] + [f"{name}={value!r}" for name, value in zip(names[required:], defaults or ())]


def with_name(names, defaults):
    """The parameters and their defaults with TensorFlow's `name`, which has no effect: the last, unless it was declared elsewhere."""
    return (names, defaults) if "name" in names else ([*names, "name"], (*(defaults or ()), None))


def row(names):
    """The source of a tuple."""
    return f"({', '.join(names)}{',' * (len(names) == 1)})"


class Signature:
    """What the naming law reads out of a declaration: who is an input, what each rule needs, where to find it."""

    def __init__(self, name, forward, rules, tools):
        self.name, self.parameters, self.rules = name, parameters(forward), rules
        self.inputs = [p for p in self.parameters if f"d{p}" in rules]
        self.attributes = [p for p in self.parameters if p not in self.inputs]
        self.needs = {x: parameters(rules[f"d{x}"]) for x in self.inputs if rules[f"d{x}"]}
        self.output = next(iter(self.needs.values()))[0][1:] if self.needs else "output"
        self.extras = [n for n in rules if n not in [f"d{x}" for x in self.inputs]]
        notes = forward.__annotations__
        self.lists = lists_of(forward)
        self.mixed = [x for x in self.lists if notes[x] is tuple]
        self.tidy = [a for a in self.attributes if a in notes]
        self.many = notes.get("return") is list
        self.alike = list(self.needs) or self.inputs  # these must agree in dtype; a Python number takes it from them
        self.offers = self.offered()
        self.check({*tools, "forward", "this", "live", "listener", "write"})

    def offered(self):
        """What a rule can ask for: where it is among the arrays, and where among the Tensors."""
        offers = {f"{x}_{p}": (f"{x}_.{p}",) * 2 for x in self.inputs for p in ("shape", "dtype", "size")}
        offers |= {f"{x}_shape": (f"{x}_shape",) * 2 for x in self.lists} | ({"k": ("k", "k")} if self.lists else {})
        offers |= {x: (f"{x}_", x) for x in [*self.inputs, self.output]} | {a: (a, a) for a in self.attributes}
        return offers | {p: (f"{p}_", f"Again({p}, {row(parameters(self.rules[p]))})") for p in self.extras}

    def check(self, taken):
        """Each name has one meaning, and each rule asks for what there is."""
        names = [*self.parameters, self.output, *self.extras]
        asked = {wish for _, *wishes in self.needs.values() for wish in wishes}
        if self.inputs + self.attributes != self.parameters:
            problem = "the inputs, which have rules, must come before the attributes"
        elif len(set(names)) < len(names) or set(names) & taken:
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


def written(run, tools):
    """The source of an op. In it `x` is a Tensor, and `x_` is its array."""
    s = Signature(run.__name__, run.__wrapped__, run.rules, tools)
    results = ", ".join(f"{p}_" for p in [s.output, *s.extras])
    given = ", ".join([*(f"{x}_" for x in s.inputs), *s.attributes])
    lines = [f"def {s.name}({', '.join(with_defaults(*with_name(s.parameters, run.__wrapped__.__defaults__)))}):"]
    lines += written_inputs(s, run.lenient, {"b": ", truth", "O": ", text"}.get(run.kinds, ""))
    lines += [f"    if {a} is not None: {a} = tidy_{a}({a})" for a in s.tidy]
    lines += written_dtype_checks(s, run)
    lines += [f"    try: {results} = forward({given})",
              f"    except Exception as problem: {results} = again(this, problem, forward, {given})"]  # fmt: skip
    if s.many:
        lines += [f"    {s.output} = [Tensor.of(array) for array in {s.output}_]"]
    else:
        lines += [f"    {s.output} = Tensor(); {s.output}.value = {s.output}_; {s.output}.id = next_id()"]
    lines += ["    for listener in listening.now:",
              "        live = listener.live",
              f"        if live is None: listener.hear(this, {row(s.inputs)}, {s.output}, {row(s.attributes)}); continue",
              "        write = listener.steps.append"]  # fmt: skip
    lines += [written_step(x, s) if x in s.needs else written_dead_end(x, s) for x in s.inputs]
    return "\n".join([*lines, f"    return {s.output}"]) + "\n"


def written_inputs(s, lenient, alone):
    """Lines that make Tensors of whatever the user gave; an op of truth values, or of strings, takes nothing else for them."""
    lines = []
    for x in s.inputs:
        others = "".join(f", {y}" for y in s.alike if x in s.alike and y != x and not (lenient == "alone" and x == s.inputs[0]))
        shapes = f"; {x}_shape = [x.shape for x in {x}_]" if any(f"{x}_shape" in wish for wish in s.needs.values()) else ""
        if x in s.lists:
            made = f"[convert(one) for one in {x}]" if x in s.mixed else f"convert_all({x}, this)"
            lines += [f"    {x} = {made}; {x}_ = [x.value for x in {x}]{shapes}"]
        else:
            lines += [f"    if {x}.__class__ is not Tensor: {x} = convert({x}{alone or others})"]
    if lenient:
        singly = "; ".join(f"{x} = convert({x})" for x in s.inputs)
        otherwise = f"return this.lenient({', '.join(s.inputs)})" if callable(lenient) else singly
        return ["    try:", *("    " + line for line in lines), f"    except (TypeError, ValueError): {otherwise}"]
    return lines


def written_dtype_checks(s, run):
    """Lines that refuse dtypes which differ, or which the op does not take."""
    singles = [x for x in s.inputs if x not in s.lists]
    alike = [x for x in s.alike if x not in s.lists]
    lines = [f"    {x}_ = {x}.value" for x in singles]
    if alike and (alike[1:] or run.kinds):
        lines += [f"    dtype_ = {alike[0]}_.dtype"]
    for x in alike[1:]:
        differ = f"return this.lenient({', '.join(alike)})" if callable(run.lenient) else f"agree(this, {row(s.inputs)}, {alike[0]}, {x})"
        lines += [f"    if {x}_.dtype is not dtype_: {differ}"]
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
