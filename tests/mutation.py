"""Break the engine in one place at a time and see whether a test fails.

    python -m tests.mutation --files op tape variable rules --seconds 600

Every change is made in a copy of the package. `rules` are the gradient rules of all ops, with the functions that they call;
the other names are files. The places are tried in an order that the seed decides, and what is left when the time is over is
left out. What survives is listed: with the reason why no test can see it, or as a gap in the tests.
"""

import argparse
import ast
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[1]
MODULES = {"math": "math", "arrays": "arrays", "linalg": "linalg", "nn": "nn", "special": "math", "indexing": "tensor", "image": "custom"}
OTHERS = ["scenarios", "properties", "counts", "threads", "trace", "memory", "explain"]
TESTS = {  # the tests that are run one after the other, each a file or a folder, until one fails
    "rules": ["ops", "numerics", "recorded", "scenarios", "properties"],  # after the one of the module
    "op": ["op", "tape", "math", "ops", "house", *OTHERS],
    "tape": ["tape", "custom", "linalg", "numerics", *OTHERS],
    "variable": ["variable", "module", "keras", *OTHERS],
}
OPPOSITE = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.MatMult: ast.Mult, ast.Pow: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
CONVERSIONS = {"tuple", "list", "int", "np.asarray"}  # which change no number, and which NumPy does by itself where it wants to
SURVIVES = {  # (file, what stands in the line): why no answer changes
    ("variable", "validate_shape: bool = True"): "accepted as in TensorFlow, without effect",
    ("variable", "use_locking: bool = False"): "accepted as in TensorFlow, without effect",
    ("variable", "experimental_enable_variable_lifting"): "accepted as in TensorFlow, without effect",
    ("op", "float32=np.dtype(np.float32)"): "it only makes the check of float32 shorter",
    ("op", "linecache.cache[file] ="): "a traceback strips the line that it shows, and asks for no size",
    ("tape", "steps = prune(self.play(), "): "the steps that are left out lead to no source: the walk is only shorter",
    ("tape", "steps = prune(steps, wanted)"): "the steps that are left out lead to no source: the walk is only shorter",
    ("tape", "wanted, now = set(wanted), None"): "what is wanted is only found more slowly",
    ("tape", "experimental_use_pfor: bool = True"): "accepted as in TensorFlow, without effect",
    ("tape", 'return [OPS["stack"].np('): "the reshape that follows makes one array of a list",
    ("tape", "if self.versions.get(number) != variable.version"): "to hear of a reading again changes nothing",
    ("tape", "refused = False"): "it says more of a tape that was entered; of others something else is said first",
    ("tape", "ended = 0  #"): "no Tensor has a number as small as 1 that is asked about here",
    ("tape", "self.entered, self.ended = True, 0"): "no Tensor has a number as small as 1 that is asked about here",
    ("tape", "self.roots.add("): "it decides whether steps are left out that lead to no source: the walk is only shorter",
    ("tape", "if not self.roots.issubset(wanted):"): "the steps that are left out lead to no source: the walk is only shorter",
    ("tape", "@functools.lru_cache(maxsize=4)"): "how many rows of ones are kept ready changes no answer",
    ("tape", "answer = Tensor.of(np.zeros((batch"): "NumPy takes the dtypes of ours too",
    ("special", "long = x > 5000"): "beside the border both series are exact",
    ("special", "terms = int(60 + 2 *"): "there are more terms than the sum needs",
    ("special", "a, x = (a + np.zeros_like(x))"): "a zero that is taken away is a zero",
    ("special", "slope = np.where(x[..., 0] == 0"): "what stands along that axis of x is the same number",
    ("arrays", "return int(np.prod(lengths"): "NumPy takes its own ints too",
    ("arrays", "picked = tuple(builtins.range("): "a range is unpacked like a tuple",
    ("arrays", "return tuple([-n for n in shift])"): "np.roll takes lists too",
    ("math", "return scatter_rows.np(values.reshape((-1,)), places, (int(np.prod("): "NumPy takes its own ints too",
    ("math", "np.finfo(dy.dtype).min)"): "its exponential is 0 for all that lies near",
    ("math", "if not ids.size or ids.min() >= 0:"): "it spares the work where no part is left out",
    ("math", "if ids.size and ids.min() < 0:"): "it spares the work where no part is left out",
    ("math", "spread(dy / (input_tensor_size // (dy.size or 1))"): "if there is no element, there is nothing to be divided",
    ("math", "return counts.astype(like.dtype).reshape((-1,)"): "NumPy takes any negative length for the one that is left",
    ("math", "return np.where(np.asarray(won) > 0"): "who has not won gets nothing, whatever is divided",
    ("math", "return np.log(np.where(x != 0"): "log(1) is 0, too",
    ("math", "input_dtype.type(1j)"): "Python's 1j takes the dtype of the other factor",
    ("math", "input.dtype.type(1j)"): "Python's 1j takes the dtype of the other factor",
    ("arrays", 'raise invalid(f"Shape must be at least rank'): "the first axis is always there",
    ("arrays", "return np.logical_or.reduce((indices < 0)"): "NumPy compares with tuples too",
    ("math", "concerned = cumsum.np(one, -1"): "a square has two axes: the last is the second",
    ("linalg", "return band_part.np(whole, -1, 0) if lower"): "any negative number stands for all",
    ("linalg", "return band_part.np(x, -1, 0) * (1 -"): "any negative number stands for all",
    ("linalg", "lower = band_part.np("): "any negative number stands for all",
    ("linalg", "n = x.shape[-1]"): "the matrix is square",
    ("special", "x = np.where(long, 1, x)"): "what is computed there is not used",
    ("nn", "return np.where(np.asarray(x) > 0, x.dtype.type(1)"): "Python's 1 takes the dtype of the other number",
    ("special", "dy * np.where(x == 0, 0.5, bessel_i0"): "what a 0 is divided by there is not used",
    ("math", "filled = np.where(zero, 1, data)"): "what stands there is divided out again",
    ("arrays", "axis %= len(shapes[0])"): "all parts have as many axes",
    ("linalg", "strict=True):"): "the lengths were compared when the op ran",
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


def rules_of(tree):
    """The gradient rules that stand above the ops of a module, and the functions of the module that they use."""
    functions = {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}
    above = {f.name: [k for one in f.decorator_list if isinstance(one, ast.Call) for k in one.keywords] for f in functions.values()}
    parts = [keyword for keywords in above.values() for keyword in keywords if keyword.arg and keyword.arg != "lenient"]
    for part in parts:  # which grows
        names = {one.id for one in ast.walk(part) if isinstance(one, ast.Name)}
        parts += [functions[name] for name in names & functions.keys() if not above[name] and functions[name] not in parts]
    return parts


def mutants(wanted):
    """(file, tree, holder, key) of all that can be broken in the wanted part of the engine."""
    for file in MODULES if wanted == "rules" else [wanted]:
        tree = ast.parse((ROOT / "minigrad" / f"{file}.py").read_text("utf-8"))
        for part in rules_of(tree) if wanted == "rules" else [tree]:
            yield from ((file, tree, holder, key) for holder, key in places(part))


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
        self.folder, self.sound = pathlib.Path(folder), set()
        for part in ("minigrad", "tests"):
            shutil.copytree(ROOT / part, self.folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        for one in ("pyproject.toml", "README.md"):
            shutil.copy(ROOT / one, self.folder)

    def sees(self, file, text, names):
        """Does one of these tests fail with this text in the place of the file?"""
        path = self.folder / "minigrad" / f"{file}.py"
        whole = path.read_text("utf-8")
        for name in names:
            if name not in self.sound and not self.passes(name):
                sys.exit(f"{(self.folder / 'pytest.log').read_text('utf-8')}\nthe tests of {name} fail without any change")
            self.sound.add(name)
            path.write_text(text, "utf-8")
            failed = not self.passes(name)
            path.write_text(whole, "utf-8")
            if failed:
                return True
        return False

    def passes(self, name):
        """Run a file or a folder of tests in a process of its own, which has NumPy and pytest already."""
        child = os.fork()
        if not child:
            failed = True
            try:
                signal.alarm(300)  # what takes for ever has failed
                os.chdir(self.folder)
                os.dup2(os.open("pytest.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
                os.dup2(1, 2)
                sys.path[:] = [str(self.folder), str(self.folder / "tests"), *(one for one in sys.path if one != str(ROOT))]
                tests = f"tests/test_{name}.py" if os.path.exists(f"tests/test_{name}.py") else f"tests/{name}"
                failed = pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-o", "addopts=", tests])
            finally:
                os._exit(bool(failed))
        return os.waitpid(child, 0)[1] == 0


def tried(part, copy, wanted):
    """Try the places of one part while there is time, and say how it went. Returns how many survive without a reason."""
    every, start, gaps, known, done = list(mutants(part)), time.monotonic(), 0, 0, 0
    random.Random(wanted.seed).shuffle(every)
    for done, (file, tree, holder, key) in enumerate(every):
        if time.monotonic() > start + wanted.seconds:
            break
        names = [MODULES[file], *TESTS["rules"]] if part == "rules" else TESTS.get(file, [file, *OTHERS])
        if not copy.sees(file, text_of(tree, holder, key), names):
            whole = holder[key]
            line = (copy.folder / "minigrad" / f"{file}.py").read_text("utf-8").splitlines()[whole.lineno - 1].strip()
            reason = next((why for (where, words), why in SURVIVES.items() if where == file and words in line), None)
            known, gaps = known + bool(reason), gaps + (not reason)
            change = f"{ast.unparse(whole):.60} -> {ast.unparse(broken(whole)):.60}".replace("\n", " ")
            print(f"\r{file}.py:{whole.lineno}: {line}\n    {change}\n    {reason or 'NO TEST SEES THIS'}", flush=True)
        print(f"\r{part}: {done + 1} of {len(every)} places, {gaps} gaps", end="", flush=True)
    else:
        done += 1
    print(f"\r{part}: {done} of {len(every)} places tried, {known} survive with a reason, {gaps} without")
    return gaps


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("--files", nargs="+", default=["op", "tape", "variable", "rules"], help="default: op tape variable rules")
    parser.add_argument("--seconds", type=float, default=600, help="how long it may take for each of them (default: 600)")
    parser.add_argument("--seed", type=int, default=0, help="the order in which the places are tried (default: 0)")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(folder)
        return min(1, sum(tried(part, copy, wanted) for part in wanted.files))


if __name__ == "__main__":
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    import numpy  # noqa: F401 - loaded here, once
    import pytest

    sys.exit(main())
