"""Break one place of the package or of the course at a time and see whether a test fails.

    python -m tests.mutation minigrad.keras.losses minigrad/data course/helpers --places 100 --seed 7

A part is a file or a folder, written as a module or as a path, with or without what stands before it (`tape`). Besides,
`vjps` are the VJPs of all ops, with the functions that they call, wherever they stand, and `outside` is all but the
engine (and, where TensorFlow is not installed, but what listens to it). The places of all parts are tried in an order
that the seed decides, in a copy, with the tests that run the line (tests/covering.py records which, ten minutes long,
whenever the code has changed). What survives is a gap in the tests.
Lines in which no test can see a change are not tried: they stand in SURVIVES with the reason.
"""

import argparse
import ast
import functools
import random
import sys
import tempfile
import time
from importlib.util import find_spec

from .covering import ROOT, Copy, Covering

PATHS = [path for folder in ("minigrad", "course") for path in sorted((ROOT / folder).rglob("*.py")) if "book" not in path.parts]
TEXTS = {path.relative_to(ROOT).with_suffix("").as_posix(): path.read_text("utf-8") for path in PATHS}
ENGINE = [f"engine/{file}" for file in ("op", "writing", "operands", "tape", "backward", "questions", "variable")]
OPPOSITE = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.MatMult: ast.Mult, ast.Pow: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
CONVERSIONS = {"tuple", "list", "int", "np.asarray"}  # which change no number, and which NumPy does by itself where it wants to
ANY = {"maxsize", "slots", "frozen", "eq", "strict", "points"}  # keywords that change no answer; with `points` a card tries answers
SURVIVES = {  # (file or folder, what stands in the line): why no answer changes
    ("course/helpers/cards/lesson_03", "_ = spare * 2.0"): "any op will do",
    ("course/helpers/cards/lesson_15", 'lambda: {"3": contains("guard")}'): "the reply is the word alone",
    ("course/helpers/cards/lesson_05", "lambda a, b, c: [["): "only the place of the largest is asked for",
    ("course/helpers/cards/lesson_05", '"x @ w": (lambda x: x @ mg.constant('): "`@` takes lists too, and any numbers will do",
    ("course/helpers/cards/lesson_05", "lambda x: x + mg.constant([[1.0], [0.0], [-1.0]])"): "any way to mix two examples will do",
    ("course/helpers/cards/lesson_05", "lambda x: x + mg.constant([[1.0], [0.0], [0.0]])"): "`*` takes lists too",
    ("course/helpers/cards/lesson_07", 'target = mg.reduce_sum(source["live"] ** 2'): "of what left, only that it left is asked for",
    ("course/helpers/cards/lesson_10", "SWITCHED = ("): "any numbers will do",
    ("course/helpers/cards/lesson_11", "[mg.constant([[1.0, -2.0, 2.0]])"): "any numbers will do",
    (
        "course/helpers/cards/lesson_11",
        "(mg.constant([[1.0], [-2.0]]), mg.constant([[0.0, 2.0]])",
    ): "the other rows tell the replies apart too",
    ("course/helpers/cards/lesson_12", "x, w = np.array(x), np.array(w)"): "NumPy's own numbers multiply lists too",
    ("course/helpers/cards/lesson_15", "TRIALS = tuple("): "any number of rows will do",
    ("data/dataset", "length = len(range(first, self._length, count)) if self._length >= 0"): "a share of nothing is nothing",
    ("data/dataset", "length = self._length * times if self._length >= 0"): "nothing is nothing, however often",
    ("engine/backward", "source_ids, current = set(source_ids), None"): "what is asked for is only found more slowly",
    ("engine/op", "linecache.cache[file] ="): "a traceback strips the line that it shows, and asks for no size",
    ("engine/tape", "refused = False"): "it says more of a tape that was entered; others are refused before",
    ("engine/tape", "ended = 0  #"): "no Tensor that is asked about here has an id as small as 1",
    ("engine/tape", "self.entered, self.ended, self.here = True, 0"): "no Tensor that is asked about here has an id as small as 1",
    ("engine/tape", "self.roots.add("): "steps are left out that lead to no source: the backward pass is shorter",
    ("engine/variable", "__array_priority__ = 100"): "any number above 0, NumPy's own, will do",
    ("engine/writing", 'x_shape=self.offers[f"{x}_shape"][0]'): "both are the same text",
    ("engine/writing", "float32=np.dtype(np.float32)"): "it only makes the check of float32 shorter",
    ("explain/answer", "guesses.setdefault(statement_at(edge.place)[:2]"): "it only spares a second trial of the same lines",
    ("explain/answer", "if others and not q.lines:"): "it only spares a second trial of the same lines",
    ("explain/names", "DEEP, ALL = 6"): "any large number will do",
    ("explain/replay", "size = 0.5 + 0.5 * (place *"): "it is the same modulo 1",
    ("graph/compiled", "linecache.cache[file] ="): "a traceback strips the line that it shows, and asks for no size",
    ("graph/loops", "may_be = self.last.get(k, k)"): "what follows is compared again, turn by turn",
    ("graph/loops", "runs.append(runs[-1] + 1 if may_be"): "what follows is compared again, turn by turn",
    ("graph/retold", "check([value_of(one.value)"): "the same is computed of a Tracer, call by call",
    ("graph/tracer", "__array_priority__ = 1000"): "any number above 0, NumPy's own, will do",
    ("inspector/lost", "MOST = 2000"): "only a limit of the time that it may take",
    ("inspector/model", "MOST_BYTES = 1_700_000"): "only a limit of the size of a page",
    ("inspector/model", "film, widest = self.film, max("): "the longest is compared with more than 1",
    ("inspector/still", "unit = h / ((high - low) or 1)"): "bars of nothing but zeros have no height",
    ("inspector/still", "/ max(len(ids), 1))"): "up to four columns have their full width",
    ("inspector/verdict", "return sorted(found.values(), key=lambda cut: [int(node[1:])"): "any number below 0 stands first",
    ("classroom/checkup", 'file.write(b"x" * 4096)'): "any number of bytes will do",
    ("classroom/course", "sys.path.insert(0, place)"): "nothing before it has these names",
    ("classroom/install", "sys.path[:] = [place for place"): "what runs without it runs in a copy of its own, unheard",
    ("keras/initializers", "q = q * np.sign(np.diag(r))"): "a sign divides as it multiplies",
    ("keras/optimizers", "progress = progress - period"): "the cosine is the same a whole number of periods on",
    ("keras/optimizers", "dtype.dtype, copy=False)"): "it only spares a copy",
    ("keras/callbacks", "sys.stdout.flush()"): "what is printed is the same, and only seen later",
    ("keras/layers/weighted", "if axes == [x.ndim - 1]:"): "reshaped, the weight broadcasts along the same axis",
    ("linalg/decompositions", "lower = band_part.np("): "any negative number stands for all",
    ("linalg/norms", "degree, limit = (13,"): "with another limit the series is only a little less exact",
    ("linalg/products", "strict=True):"): "the lengths were compared when the op ran",
    ("linalg/solving", "return band_part.np(whole, -1, 0) if lower"): "any negative number stands for all",
    ("linalg/solving", "return band_part.np(x, -1, 0) * (1 -"): "any negative number stands for all",
    ("linalg/products", "return np.einsum(equation, *inputs, optimize="): "the order of the products, for speed",
    ("linalg/solving", "rest = rhs[..., i, :] - (matrix[..., i : i + 1, known]"): "of more rows the first is taken",
    ("linalg/solving", "n = x.shape[-1]"): "the matrix is square",
    ("math/arithmetic", "return np.log(np.where(x != 0"): "log(1) is 0, too",
    ("math/complex_numbers", "input_dtype.type(1j)"): "Python's 1j takes the dtype of the other factor",
    ("math/complex_numbers", "input.dtype.type(1j)"): "Python's 1j takes the dtype of the other factor",
    ("math/reductions", "places, (int(np.prod(shape)),)"): "NumPy takes its own ints too",
    ("math/reductions", "np.finfo(dy.dtype).min)"): "its exponential is 0 for all that lies near",
    ("math/reductions", "dy / (input_tensor_size // (dy.size or 1))"): "without an element there is nothing to divide",
    ("math/reductions", "concerned = cumsum.np(one, -1"): "a square has two axes: the last is the second",
    ("math/reductions", "top = where(is_finite(top), top, top.dtype"): "Python's 0 takes the dtype of the other number",
    ("math/segments", "if not ids.size or ids.min() >= 0:"): "it spares the work where no part is left out",
    ("math/segments", "if ids.size and ids.min() < 0:"): "it spares the work where no part is left out",
    ("math/segments", "counts.astype(like.dtype).reshape((-1,)"): "NumPy takes any negative length for what is left",
    ("math/segments", "return np.where(np.asarray(won) > 0"): "who has not won gets nothing, whatever is divided",
    ("math/segments", "factors = np.where(zero, 1, data)"): "what stands there is divided out again",
    ("keras/losses", "float(losses.shape.num_elements())"): "a product takes whole numbers too",
    ("math/special", "lowest = np.min(np.where("): "one term more or less, and the rest is as exact",
    ("math/special", "for _ in range(10):"): "nothing is added once z is 10",
    ("math/special", "first = 10 + int("): "one term more or less, and the rest is as exact",
    ("math/special", "while np.any(small & (term"): "what is added after that is too small to be seen",
    ("math/special", "far = np.maximum(x, a)"): "what is computed of the other series is not used",
    ("math/special", "for k in range(1, 25):"): "what is added after that is too small to be seen",
    ("math/special", "for k in range(1, 100):"): "what is added after that is too small to be seen",
    ("math/special", "turned = x > (a + 1)"): "beside the border both fractions are exact",
    ("math/special", "near, far = np.minimum(size, 40)"): "what is computed of the other series is not used",
    ("math/special", "long = x > 5000"): "beside the border both series are exact",
    ("math/special", "terms = int(60 + 2 *"): "there are more terms than the sum needs",
    ("math/special", "a, x = (a + np.zeros_like(x))"): "a zero that is taken away is a zero",
    ("math/special", "slope = np.where(x[..., 0] == 0"): "what stands along that axis of x is the same number",
    ("math/special", "x = np.where(long, 1, x)"): "what is computed there is not used",
    ("math/special", "dy * np.where(x == 0, 0.5, bessel_i0"): "what a 0 is divided by there is not used",
    ("tracing/log", "shared = self.questions[-1][2] if self.questions"): "only of TensorFlow is a backward pass heard without a question",
    ("random/streams", "return self.blocks(groups(count, 4)).ravel()"): "of more blocks the first words are taken",
    ("random/numbers", "starts = np.arange(groups(count, group)) * group * 64"): "of more groups the first numbers are taken",
    ("math/special", "1e-300"): "a denominator of exactly 0 is replaced by nearly 0: no number that was tried has one",
    ("minigrad/random", "words = stream.blocks(8, starts)"): "eight times as many as are needed, or nine",
    ("minigrad/convolution", "if not any(map(any, self.around)):"): "nothing is padded with nothing, only more slowly",
    ("minigrad/train", "file.flush()"): "what is closed is written, too; the sum of both lasts when the power fails",
    ("minigrad/train", "os.fsync(file.fileno())"): "it only matters when the power fails",
    ("random/rejection", "np.where(possible, p, 0.5)"): "what is drawn there is not used",
    ("minigrad/test", "return direction / np.linalg.norm(direction)"): "a direction of any length will do",
    ("ops/gathering", "picked = tuple(builtins.range("): "a range is unpacked like a tuple",
    ("ops/gathering", 'raise invalid(f"Shape must be at least rank'): "the first axis is always there",
    ("ops/gathering", "return np.logical_or.reduce((indices < 0)"): "NumPy compares with tuples too",
    ("ops/shaping", "return int(np.prod(lengths"): "NumPy takes its own ints too",
    ("minigrad/later", "get_close_matches("): "the nearest stands first",
    ("ops/shaping", 'return tidy.axes(tidy.integers(shift, "Tshift"))'): "np.roll takes arrays too",
    ("ops/shaping", 'return tidy.axes(tidy.integers(axis, "Taxis"))'): "np.roll takes arrays too",
    ("ops/shaping", "return tuple([-n for n in shift])"): "np.roll takes lists too",
    ("tracing/log", 'getattr(dx, "id", 0) for dx'): "no Tensor has an id as small as 1",
    ("tracing/log", "self.count = count = self.count + 1"): "the numbers of events say their order",
    ("tracing/values", "self.turned, self.opened = 0"): "only what was counted since is compared",
    ("ops/shaping", "axis %= len(shapes[0])"): "all parts have as many axes",
    ("tracing/places", "STANDARD = {Path(os.path.realpath(one))"): "sysconfig names the same folder, but for a Python in an archive",
}


@functools.cache
def lines_of(file):
    return TEXTS[file].splitlines()


@functools.cache
def tree_of(file):
    """The syntax tree of a file: all together have 100 MB, which only those need who break places."""
    return ast.parse(TEXTS[file])


@functools.cache
def functions() -> dict:
    """(file, name) -> the syntax tree of a function at the top of that file."""
    return {(file, one.name): one for file in TEXTS for one in tree_of(file).body if isinstance(one, ast.FunctionDef)}


def broken(node):
    """What to put in the place of a node; None if there is nothing to break."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OPPOSITE:
        return ast.Compare(node.left, [OPPOSITE[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in OPPOSITE:
        return type(node)(**{**dict(ast.iter_fields(node)), "op": OPPOSITE[type(node.op)]()})
    if isinstance(node, ast.Constant) and type(node.value) in (bool, int, float):
        return ast.Constant(not node.value if type(node.value) is bool else node.value + max(1, abs(node.value) // 2))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        return node.operand
    if isinstance(node, (ast.Raise, ast.Continue)) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return ast.Pass()
    if isinstance(node, ast.Return) and node.value and ast.unparse(node.value) != "None":
        return ast.Return(ast.Constant(None))
    if isinstance(node, ast.Call) and node.args and not isinstance(node.args[0], (ast.Starred, ast.GeneratorExp)):
        return None if ast.unparse(node.func) in CONVERSIONS else node.args[0]
    return None


def places(node):
    """(holder, key, what to put there) for all that can be broken below a node, but for annotations."""
    for name, value in ast.iter_fields(node):
        holder, keys = (value, range(len(value))) if isinstance(value, list) else (vars(node), [name])
        for key in keys if name not in ("annotation", "returns") else ():
            if isinstance(holder[key], ast.AST) and getattr(holder[key], "arg", "") not in ANY:
                if other := broken(holder[key]):
                    yield holder, key, other
                yield from places(holder[key])
    if isinstance(node, (ast.If, ast.IfExp)) and isinstance(node.test, (ast.Name, ast.Attribute, ast.Call)):
        yield vars(node), "test", ast.UnaryOp(ast.Not(), node.test)


def declaration(function):
    """The keywords of the `@op(...)` above a function; None if it is no op."""
    calls = [one for one in function.decorator_list if isinstance(one, ast.Call) and ast.unparse(one.func) == "op"]
    return calls[0].keywords if calls else None


def imported(file):
    """What a file imports from others of the package: its name there -> (file, name)."""
    froms = [node for node in tree_of(file).body if isinstance(node, ast.ImportFrom) and node.level]
    folders = {node: [*file.split("/")[: -node.level], *(node.module or "").split(".")] for node in froms}
    return {one.asname or one.name: ("/".join(folders[node]), one.name) for node in froms for one in node.names}


def called(file, part):
    """(file, node) of the functions of the package that a part of a file calls; ops are not among them."""
    nodes, imports = list(ast.walk(part)), imported(file)
    own = {one.arg for one in nodes if isinstance(one, ast.arg)}
    own |= {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    for name in sorted({one.id for one in nodes if isinstance(one, ast.Name)} - own):
        where = imports.get(name, (file, name))
        if where in functions() and declaration(functions()[where]) is None:
            yield where[0], functions()[where]


def vjps():
    """(file, node) of each VJP and of how ops compute a by-product, and of the functions that these call."""
    options = {one.arg for one in functions()["minigrad/engine/op", "op"].args.kwonlyargs} | {None}  # None: of `**`
    parts = []
    for (file, _), function in functions().items():
        others = options | {one.arg for one in function.args.args}
        parts += [(file, keyword) for keyword in declaration(function) or () if keyword.arg not in others]
    for file, part in parts:  # which grows
        parts += [found for found in called(file, part) if found not in parts]
    return parts


def lies_in(file, part):
    """Is the file this part, or in this folder?"""
    return f"/{part}/" in f"/{file}/"


@functools.cache
def idle(file) -> set:
    """The nodes in defaults of parameters that a function does not use: accepted as in TensorFlow, without effect."""
    found: set = set()
    for function in [one for one in ast.walk(tree_of(file)) if isinstance(one, ast.FunctionDef)]:
        used, of = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}, function.args
        parameters = zip([*of.posonlyargs, *of.args, *of.kwonlyargs][::-1], [*of.defaults, *of.kw_defaults][::-1])
        for default in [default for parameter, default in parameters if default and parameter.arg not in used]:
            found |= {*ast.walk(default)}
    return found


@functools.cache
def tables(file) -> set:
    """The nodes in tables that are the `points` of a card by their names."""
    words = [one for one in ast.walk(tree_of(file)) if isinstance(one, ast.keyword) and one.arg == "points"]
    names = {word.value.id for word in words if isinstance(word.value, ast.Name)}
    made = [one for one in tree_of(file).body if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) in names]
    return {part for one in made for part in ast.walk(one)}


def reason(file, node):
    """Why no test can see a change in the line of this node; None if one can."""
    if node in idle(file):
        return "accepted as in TensorFlow, without effect"
    if node in tables(file):
        return "a card tries answers with any points"
    line = lines_of(file)[node.lineno - 1]
    return next((why for (where, words), why in SURVIVES.items() if lies_in(file, where) and words in line), None)


def is_outside(file):
    """Is it neither the engine nor what this environment cannot test?"""
    return not lies_in(file, "engine") and (not lies_in(file, "minigrad/tensorflow") or bool(find_spec("tensorflow")))


def mutants(part):
    """(file, holder, key, what to put there) for all that can be broken in a part of the package or of the course."""
    part = part.removesuffix(".py").replace(".", "/").strip("/")
    files = [file for file in TEXTS if (is_outside(file) if part == "outside" else lies_in(file, part))]
    for file, whole in vjps() if part == "vjps" else [(file, tree_of(file)) for file in files]:
        yield from ((file, *place) for place in places(whole) if not reason(file, place[0][place[1]]))


def text_of(file, holder, key, other):
    """The source with this one place broken, and all else as it stands."""
    whole = holder[key]
    strings = [one for one in ast.walk(tree_of(file)) if isinstance(one, ast.JoinedStr) and whole in ast.walk(one)]
    place = strings[0] if strings else whole  # the parts of an f-string do not say where they stand
    holder[key] = other
    text = ast.unparse(place if strings else other)
    holder[key] = whole
    lines = TEXTS[file].encode().splitlines(keepends=True)
    before = b"".join([*lines[: place.lineno - 1], lines[place.lineno - 1][: place.col_offset]])
    after = b"".join([lines[place.end_lineno - 1][place.end_col_offset :], *lines[place.end_lineno :]])
    return (before + (f"({text})" if isinstance(whole, ast.expr) else text).encode() + after).decode()


def sampled(wanted):
    """The places to try, in the order that the seed decides."""
    every = [place for part in wanted.parts for place in mutants(part)]
    random.Random(wanted.seed).shuffle(every)
    return every[: wanted.places]


def tried(every, copy, covering, seconds):
    """Try these places while there is time, and say how it went. Returns how many changes survive."""
    end, gaps = time.monotonic() + seconds, 0
    for done, (file, holder, key, other) in enumerate(every, 1):
        whole = holder[key]
        tests = covering.tests_of(file, tree_of(file), whole)
        if not tests or copy.passes(file, text_of(file, holder, key, other), tests):
            gaps += 1
            change = f"{ast.unparse(whole):.60} -> {ast.unparse(other):.60}".replace("\n", " ")
            print(f"\r{file}.py:{whole.lineno}: {lines_of(file)[whole.lineno - 1].strip()}")
            print(f"    {change}    (tests: {sum(map(len, tests.values()))})", flush=True)
        print(f"\r{done} of {len(every)} places tried, {gaps} survive", end="", flush=True)
        if time.monotonic() > end:
            break
    print()
    return gaps


def outdated() -> list:
    """The places in SURVIVES whose line is not there any more."""
    files = {where: [file for file in TEXTS if lies_in(file, where)] for where, _ in SURVIVES}
    return [(where, words) for where, words in SURVIVES if not any(words in TEXTS[file] for file in files[where])]


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", default=[*ENGINE, "vjps"], help=f"default: {' '.join(ENGINE)} vjps")
    parser.add_argument("--places", type=int, help="how many places to try (default: all)")
    parser.add_argument("--seconds", type=float, default=3600, help="how long it may take (default: 3600)")
    parser.add_argument("--seed", type=int, default=0, help="the order in which the places are tried (default: 0)")
    wanted = parser.parse_args()
    if gone := outdated():
        sys.exit(f"SURVIVES names lines that are not there: {gone}")
    if unknown := [part for part in wanted.parts if not any(mutants(part))]:
        sys.exit(f"there is no {' and no '.join(unknown)} here")
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(folder)
        return min(1, tried(sampled(wanted), copy, Covering(copy), wanted.seconds))


if __name__ == "__main__":
    sys.exit(main())
