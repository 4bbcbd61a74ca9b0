"""Break the engine in one place at a time and see whether a test fails.

    python -m tests.mutation --files op tape variable rules --seconds 600

Every change is made in a copy of the package. `rules` are the VJPs of all ops, with the functions that they call,
wherever they stand; every other name is a file of the package, with or without its folder (`tape`, `engine/rules`).
The places are tried in an order that the seed decides, until the time is over. What survives is a gap in the tests.
Lines in which no test can see a change are not tried: they stand in SURVIVES with the reason.
"""

import argparse
import ast
import itertools
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[1]
PACKAGE = ROOT / "minigrad"
PATHS = {path.relative_to(PACKAGE).with_suffix("").as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}
LINES = {file: path.read_text("utf-8").splitlines() for file, path in PATHS.items()}
TREES = {file: ast.parse("\n".join(lines)) for file, lines in LINES.items()}
FUNCTIONS = {(file, f.name): f for file, tree in TREES.items() for f in tree.body if isinstance(f, ast.FunctionDef)}
ENGINE = [f"engine/{file}" for file in ("op", "writing", "operands", "tape", "backward", "questions", "variable")]
TESTS = {  # besides those that have the name of a file or of its folder; they run one after the other until one fails
    "op": ["ops", "math", "house"],
    "writing": ["op", "ops", "math", "house"],
    "operands": ["op", "conversion", "shape", "tensor", "math", "ops"],
    "tape": ["custom", "interrupts", "linalg", "numerics"],
    "listening": ["interrupts", "tape", "trace"],
    "backward": ["tape", "custom", "linalg", "numerics"],
    "questions": ["tape", "hostile"],
    "variable": ["module", "keras"],
    "ops": ["arrays", "tensor"],
    "rules": ["ops", "numerics", "recorded", "scenarios", "properties"],
}
OTHERS = ["scenarios", "counts", "threads", "properties", "trace", "memory", "explain"]  # for all but the VJPs
OPPOSITE = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.MatMult: ast.Mult, ast.Pow: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
CONVERSIONS = {"tuple", "list", "int", "np.asarray"}  # which change no number, and which NumPy does by itself where it wants to
SURVIVES = {  # (file, what stands in the line): why no answer changes
    ("engine/backward", "source_ids, current = set(source_ids), None"): "what is asked for is only found more slowly",
    ("engine/backward", "@functools.lru_cache(maxsize=4)"): "how many rows of ones are kept ready changes no answer",
    ("engine/op", "linecache.cache[file] ="): "a traceback strips the line that it shows, and asks for no size",
    ("engine/operands", "@functools.lru_cache(maxsize=1000"): "how many numbers are kept ready changes no answer",
    ("engine/tape", "experimental_use_pfor: bool = True"): "accepted as in TensorFlow, without effect",
    ("engine/tape", "refused = False"): "it says more of a tape that was entered; others are refused before",
    ("engine/tape", "ended = 0  #"): "no Tensor that is asked about here has an id as small as 1",
    ("engine/tape", "self.entered, self.ended = True, 0"): "no Tensor that is asked about here has an id as small as 1",
    ("engine/tape", "self.roots.add("): "steps are left out that lead to no source: the backward pass is shorter",
    ("engine/variable", "__array_priority__ = 100"): "any number above 0, NumPy's own, will do",
    ("engine/variable", "validate_shape: bool = True"): "accepted as in TensorFlow, without effect",
    ("engine/variable", "use_locking: bool = False"): "accepted as in TensorFlow, without effect",
    ("engine/variable", "experimental_enable_variable_lifting"): "accepted as in TensorFlow, without effect",
    ("engine/writing", 'x_shape=self.offers[f"{x}_shape"][0]'): "both are the same text",
    ("engine/writing", "float32=np.dtype(np.float32)"): "it only makes the check of float32 shorter",
    ("linalg/decompositions", "lower = band_part.np("): "any negative number stands for all",
    ("linalg/products", "strict=True):"): "the lengths were compared when the op ran",
    ("linalg/solving", "return band_part.np(whole, -1, 0) if lower"): "any negative number stands for all",
    ("linalg/solving", "return band_part.np(x, -1, 0) * (1 -"): "any negative number stands for all",
    ("linalg/solving", "n = x.shape[-1]"): "the matrix is square",
    ("math/arithmetic", "return np.log(np.where(x != 0"): "log(1) is 0, too",
    ("math/complex_numbers", "input_dtype.type(1j)"): "Python's 1j takes the dtype of the other factor",
    ("math/complex_numbers", "input.dtype.type(1j)"): "Python's 1j takes the dtype of the other factor",
    ("math/reductions", "places, (int(np.prod(shape)),)"): "NumPy takes its own ints too",
    ("math/reductions", "np.finfo(dy.dtype).min)"): "its exponential is 0 for all that lies near",
    ("math/reductions", "dy / (input_tensor_size // (dy.size or 1))"): "without an element there is nothing to divide",
    ("math/reductions", "concerned = cumsum.np(one, -1"): "a square has two axes: the last is the second",
    ("math/segments", "if not ids.size or ids.min() >= 0:"): "it spares the work where no part is left out",
    ("math/segments", "if ids.size and ids.min() < 0:"): "it spares the work where no part is left out",
    ("math/segments", "counts.astype(like.dtype).reshape((-1,)"): "NumPy takes any negative length for what is left",
    ("math/segments", "return np.where(np.asarray(won) > 0"): "who has not won gets nothing, whatever is divided",
    ("math/segments", "filled = np.where(zero, 1, data)"): "what stands there is divided out again",
    ("math/special", "long = x > 5000"): "beside the border both series are exact",
    ("math/special", "terms = int(60 + 2 *"): "there are more terms than the sum needs",
    ("math/special", "a, x = (a + np.zeros_like(x))"): "a zero that is taken away is a zero",
    ("math/special", "slope = np.where(x[..., 0] == 0"): "what stands along that axis of x is the same number",
    ("math/special", "x = np.where(long, 1, x)"): "what is computed there is not used",
    ("math/special", "dy * np.where(x == 0, 0.5, bessel_i0"): "what a 0 is divided by there is not used",
    ("nn", "return np.where(np.asarray(x) > 0, x.dtype.type(1)"): "Python's 1 takes the dtype of the other number",
    ("ops/gathering", "picked = tuple(builtins.range("): "a range is unpacked like a tuple",
    ("ops/gathering", 'raise invalid(f"Shape must be at least rank'): "the first axis is always there",
    ("ops/gathering", "return np.logical_or.reduce((indices < 0)"): "NumPy compares with tuples too",
    ("ops/shaping", "return int(np.prod(lengths"): "NumPy takes its own ints too",
    ("ops/shaping", "return tuple([-n for n in shift])"): "np.roll takes lists too",
    ("ops/shaping", "axis %= len(shapes[0])"): "all parts have as many axes",
}


def broken(node):
    """What to put in the place of a node; None if there is nothing to break."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OPPOSITE:
        return ast.Compare(node.left, [OPPOSITE[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in OPPOSITE:
        return type(node)(**{**dict(ast.iter_fields(node)), "op": OPPOSITE[type(node.op)]()})
    if isinstance(node, ast.Constant) and type(node.value) in (bool, int, float):
        return ast.Constant(not node.value if type(node.value) is bool else node.value + 1)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        return node.operand
    if isinstance(node, (ast.If, ast.IfExp)) and isinstance(node.test, (ast.Name, ast.Attribute, ast.Call)):
        return type(node)(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    if isinstance(node, (ast.Raise, ast.Continue)) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return ast.Pass()
    if isinstance(node, ast.Return) and node.value and ast.unparse(node.value) != "None":
        return ast.Return(ast.Constant(None))
    if isinstance(node, ast.Call) and node.args and not isinstance(node.args[0], (ast.Starred, ast.GeneratorExp)):
        return None if ast.unparse(node.func) in CONVERSIONS else node.args[0]
    return None


def places(node):
    """(holder, key) of every node below this one that can be broken, but for annotations."""
    for name, value in ast.iter_fields(node):
        holder, keys = (value, range(len(value))) if isinstance(value, list) else (vars(node), [name])
        for key in keys:
            if isinstance(holder[key], ast.AST) and name not in ("annotation", "returns"):
                if broken(holder[key]):
                    yield holder, key
                yield from places(holder[key])


def declaration(function):
    """The keywords of the `@op(...)` above a function; None if it is no op."""
    calls = [one for one in function.decorator_list if isinstance(one, ast.Call) and ast.unparse(one.func) == "op"]
    return calls[0].keywords if calls else None


def imported(file):
    """What a file imports from others of the package: its name there -> (file, name)."""
    froms = [node for node in TREES[file].body if isinstance(node, ast.ImportFrom) and node.level]
    folders = {node: [*file.split("/")[: -node.level], *(node.module or "").split(".")] for node in froms}
    return {one.asname or one.name: ("/".join(folders[node]), one.name) for node in froms for one in node.names}


def called(file, part):
    """(file, node) of the functions of the package that a part of a file calls; ops are not among them."""
    nodes, imports = list(ast.walk(part)), imported(file)
    own = {one.arg for one in nodes if isinstance(one, ast.arg)}
    own |= {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    for name in sorted({one.id for one in nodes if isinstance(one, ast.Name)} - own):
        where = imports.get(name, (file, name))
        if where in FUNCTIONS and declaration(FUNCTIONS[where]) is None:
            yield where[0], FUNCTIONS[where]


def vjps():
    """(file, node) of each VJP and of how ops compute a by-product, and of the functions that these call."""
    options = {one.arg for one in FUNCTIONS["engine/op", "op"].args.kwonlyargs} | {None}  # None: of `**`
    parts = []
    for (file, _), function in FUNCTIONS.items():
        others = options | {one.arg for one in function.args.args}
        parts += [(file, keyword) for keyword in declaration(function) or () if keyword.arg not in others]
    for file, part in parts:  # which grows
        parts += [found for found in called(file, part) if found not in parts]
    return parts


def reason(file, node):
    """Why no test can see a change in the line of this node; None if one can."""
    line = LINES[file][node.lineno - 1]
    return next((why for (where, words), why in SURVIVES.items() if where == file and words in line), None)


def mutants(wanted):
    """(file, tree, holder, key) of all that can be broken in the wanted part of the package."""
    files = [file for file in TREES if f"/{file}".endswith(f"/{wanted}")]
    for file, part in vjps() if wanted == "rules" else [(file, TREES[file]) for file in files]:
        yield from ((file, TREES[file], holder, key) for holder, key in places(part) if not reason(file, holder[key]))


def tests_of(file, wanted):
    """The names of the tests of a file, first those that have its own name or that of its folder."""
    parts = file.split("/")[::-1]
    named = [one for one in parts if tests_at(ROOT, one)]
    more = TESTS["rules"] if wanted == "rules" else OTHERS
    return list(dict.fromkeys([*named, *(test for one in parts for test in TESTS.get(one, ())), *more]))


def tests_at(root, name):
    """The files of tests that have this name, and the folder."""
    return [*root.glob(f"tests/test_{name}.py"), *root.glob(f"tests/test_{name}_*.py"), *root.glob(f"tests/{name}/")]


def text_of(tree, holder, key):
    """The source with this one place broken."""
    whole = holder[key]
    holder[key] = ast.copy_location(broken(whole), whole)
    text = ast.unparse(ast.fix_missing_locations(tree))
    holder[key] = whole
    return text


class Copy:
    """A copy of the package, in which one file at a time is broken and the tests are run."""

    def __init__(self, folder):
        self.folder, self.seconds, self.writings = pathlib.Path(folder), {}, 0
        for part in ("minigrad", "tests"):
            shutil.copytree(ROOT / part, self.folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        for one in ("pyproject.toml", "README.md"):
            shutil.copy(ROOT / one, self.folder)
        for file, tree in TREES.items():  # as what is broken will be written: without comments and with other lines
            self.write(file, ast.unparse(tree))

    def write(self, file, text):
        """Write a file of the package, with a new modification time each time: no cached bytecode is taken for it."""
        path = self.folder / "minigrad" / f"{file}.py"
        path.write_text(text, "utf-8")
        self.writings += 1
        os.utime(path, (self.writings, self.writings))

    def sees(self, file, text, names):
        """Does one of these tests fail with this text in the place of the file?"""
        for name in names:
            if name not in self.seconds:
                start = time.monotonic()
                if not self.passes(name, 300):
                    log = (self.folder / "pytest.log").read_text("utf-8")
                    sys.exit(f"{log}\nthe tests of {name} fail without any change")
                self.seconds[name] = time.monotonic() - start
            self.write(file, text)
            failed = not self.passes(name, 10 + 5 * self.seconds[name])
            self.write(file, ast.unparse(TREES[file]))
            if failed:
                return True
        return False

    def passes(self, name, seconds):
        """Run tests in a process of its own, which has NumPy and pytest already. What takes too long has failed."""
        child = os.fork()
        if not child:
            failed = True
            try:
                signal.alarm(int(seconds))
                os.chdir(self.folder)
                os.dup2(os.open("pytest.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
                os.dup2(1, 2)
                sys.path[:] = [str(self.folder), str(self.folder / "tests"), *(one for one in sys.path if one != str(ROOT))]
                options = ["-x", "-q", "-p", "no:cacheprovider", "-o", "addopts="]
                failed = pytest.main([*options, *map(str, tests_at(self.folder, name))])
            finally:
                os._exit(bool(failed))
        return os.waitpid(child, 0)[1] == 0


def tried(part, copy, wanted):
    """Try the places of one part while there is time, and say how it went. Returns how many changes survive."""
    every, end, gaps = list(mutants(part)), time.monotonic() + wanted.seconds, 0
    random.Random(wanted.seed).shuffle(every)
    for done, (file, tree, holder, key) in enumerate(itertools.takewhile(lambda _: time.monotonic() < end, every), 1):
        if not copy.sees(file, text_of(tree, holder, key), tests_of(file, part)):
            gaps, whole = gaps + 1, holder[key]
            change = f"{ast.unparse(whole):.60} -> {ast.unparse(broken(whole)):.60}".replace("\n", " ")
            print(f"\r{file}.py:{whole.lineno}: {LINES[file][whole.lineno - 1].strip()}\n    {change}", flush=True)
        print(f"\r{part}: {done} of {len(every)} places tried, {gaps} survive", end="", flush=True)
    print()
    return gaps


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("--files", nargs="+", default=[*ENGINE, "rules"], help=f"default: {' '.join(ENGINE)} rules")
    parser.add_argument("--seconds", type=float, default=600, help="how long it may take for each of them (default: 600)")
    parser.add_argument("--seed", type=int, default=0, help="the order in which the places are tried (default: 0)")
    wanted = parser.parse_args()
    if gone := [(file, words) for file, words in SURVIVES if not any(words in line for line in LINES.get(file, ()))]:
        sys.exit(f"SURVIVES names lines that are not there: {gone}")
    if unknown := [part for part in wanted.files if not any(mutants(part))]:
        sys.exit(f"the package has no file {' and no file '.join(unknown)}")
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(folder)
        return min(1, sum(tried(part, copy, wanted) for part in wanted.files))


if __name__ == "__main__":
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    import numpy  # noqa: F401 - loaded here, once
    import pytest

    sys.exit(main())
