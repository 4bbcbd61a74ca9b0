"""Break one place of a file at a time and see whether a test fails: `python -m tests.mutation tape.py --sample 40`.

Each change is made in a copy of the package, and tried with the tests that mirror the file. What survives is printed, with its line:
either a test is missing, or the place makes no difference to any answer (speed, and words that are not promised).
"""

import argparse
import ast
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[1]
TESTS = ["test_{stem}.py", "test_scenarios.py", "test_memory.py"]  # the first that fails ends the trial
OPPOSITE = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def broken(node):
    """Break a node in place; False if there is nothing to break."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OPPOSITE:
        node.ops[0] = OPPOSITE[type(node.ops[0])]()
    elif isinstance(node, (ast.BinOp, ast.BoolOp)) and type(node.op) in OPPOSITE:
        node.op = OPPOSITE[type(node.op)]()
    elif isinstance(node, ast.Constant) and type(node.value) in (bool, int):
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node.op, node.operand = ast.Not(), ast.UnaryOp(ast.Not(), node.operand)
    elif isinstance(node, ast.Continue):
        node.__class__ = ast.Pass
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        node.value = ast.Constant(None)
    else:
        return False
    return True


def mutants(source):
    """(line, source) of every way to break one place."""
    for k, original in enumerate(ast.walk(ast.parse(source))):
        tree = ast.parse(source)
        node = next(one for i, one in enumerate(ast.walk(tree)) if i == k)
        if broken(node):
            yield getattr(original, "lineno", 0), ast.unparse(ast.fix_missing_locations(tree))


def survives(file, source, folder):
    """Does every test pass with this source in the place of the file?"""
    (folder / "minigrad" / file).write_text(source, "utf-8")
    names = [name.format(stem=pathlib.Path(file).stem) for name in TESTS]
    paths = [str(folder / "tests" / name) for name in names if (folder / "tests" / name).exists()]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-o", "addopts=-p no:cacheprovider", *paths]
    try:
        return (
            subprocess.run(command, cwd=folder, capture_output=True, env={**os.environ, "PYTHONPATH": str(folder)}, timeout=120).returncode
            == 0
        )
    except subprocess.TimeoutExpired:
        return False


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("file", help="a file of the package, such as tape.py")
    parser.add_argument("--sample", type=int, help="try so many places, chosen by chance; all by default")
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    source = (ROOT / "minigrad" / wanted.file).read_text("utf-8")
    chosen = list(mutants(source))
    if wanted.sample:
        chosen = random.Random(wanted.seed).sample(chosen, min(wanted.sample, len(chosen)))
    left = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part in ("minigrad", "tests"):
            shutil.copytree(ROOT / part, folder / part)
        shutil.copy(ROOT / "pyproject.toml", folder)
        if not survives(wanted.file, source, folder):
            sys.exit("the tests fail without any change")
        for line, changed in sorted(chosen):
            if survives(wanted.file, changed, folder):
                left += 1
                print(f"line {line}: {source.splitlines()[line - 1].strip()}", flush=True)
    print(f"{len(chosen)} changes, {left} survive")


if __name__ == "__main__":
    main()
