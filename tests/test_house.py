"""The house: who imports whom, what loads with the package, what a first gradient passes through, and what everything says of itself."""

import ast
import doctest
import importlib
import inspect
import pathlib
import pkgutil
import subprocess
import sys
import types

import pytest

import minigrad as mg
from minigrad.engine.op import OPS

PACKAGE = pathlib.Path(mg.__file__).parent
ROOT = PACKAGE.parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# A file may import those that stand before it: the order in which the house is explained.
ORDER = """
dtypes shape errors nest listening config conversion tensor arguments operands writing op attributes variable slices custom tape
recompute function arrays tensor_array bitwise special math random strings linalg nn image indexing scattering debugging flow operators
test module autodiff queue data keras events explain inspector __init__ classroom __main__
""".split()  # noqa: SIM905 - as a table it reads better


LATER = {("tape", "explain"), ("events", "explain")}  # what is loaded when somebody first asks for an explanation


def imported(path):
    """The parts of the package that a file imports at its top, and those that it imports inside functions."""
    tree, depth = ast.parse(path.read_text("utf-8")), len(path.relative_to(PACKAGE).parts)
    top, later = set(), set()
    inside = {id(node) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for node in ast.walk(f)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            names = [node.module.partition(".")[0]] if node.module else [alias.name for alias in node.names]
            (later if id(node) in inside else top).update(names)
    return top, later


def part_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_every_part_of_the_house_has_its_place():
    assert sorted(ORDER) == sorted({part_of(path) for path in MODULES})


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_one_way(path):
    here = part_of(path)
    top, later = imported(path)
    wrong = [name for name in top - {here} if ORDER.index(name) >= ORDER.index(here)]
    assert not wrong, f"{here} imports {wrong}, which come after it"
    back = {name for name in later - {here} if ORDER.index(name) >= ORDER.index(here)}
    assert {(here, name) for name in back} <= LATER, f"{here} imports {back} later, which come after it"


@pytest.mark.parametrize(
    "path", [p for p in MODULES if part_of(p) not in ("explain", "inspector")], ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_pythons_math_and_random_go_by_other_names_beside_ours(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            assert not {(one.asname or one.name) for one in node.names} & {"math", "random"}, f"line {node.lineno}"


def test_the_top_level_holds_what_was_agreed():
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout")
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("no git here")
    visible = {line.partition("/")[0] for line in listed.stdout.splitlines()} - {""}
    assert {name for name in visible if not name.startswith(".")} <= {
        "LICENSE",
        "README.md",
        "binder",
        "course",
        "minigrad",
        "pyproject.toml",
        "tests",
    }


# ---- what loads ----------------------------------------------------------------------------------------------------


def loaded_by(code):
    """The modules that a fresh Python has loaded after running this."""
    told = f"{code}\nimport sys; print(' '.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True, cwd=ROOT).stdout.split())


def test_importing_minigrad_loads_numpy_and_little_else():
    numpy, ours = loaded_by("import numpy"), loaded_by("import minigrad")
    foreign = {name for name in ours - numpy if name.partition(".")[0] != "minigrad"}
    light = loaded_by("import atexit, bisect, copy, dataclasses, logging, pprint, random, string, threading, traceback")
    assert {name for name in foreign if name[0] != "_"} <= light
    assert len(ours) <= 1.5 * len(numpy), f"{len(ours)} modules; NumPy alone: {len(numpy)}"
    assert not {f"minigrad.{name}" for name in ("data", "keras", "explain", "inspector", "events", "queue")} & ours


FIRST_STEPS = """
import minigrad as mg
x = mg.Variable(1.0)
with mg.GradientTape() as tape:
    y = mg.keras.layers.Dense(1)(mg.reshape(x, [1, 1]))
tape.gradient(y, x)
tape.explain(y, x)
mg.data.Dataset.range(3), mg.trace, mg.queue
"""


def test_what_is_used_loads_nothing_heavy():
    assert not {"IPython", "matplotlib", "anywidget", "ipywidgets", "jupyterlab"} & loaded_by(FIRST_STEPS)


# ---- one sitting ---------------------------------------------------------------------------------------------------


def functions_passed(action):
    """The functions of ours that run, by name, in their order; comprehensions are not counted."""
    passed = []

    def heard(frame, event, argument):
        code = frame.f_code
        ours = code.co_filename.startswith((str(PACKAGE), "<op "))
        if event == "call" and ours and code.co_name not in ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"):
            passed.append(code.co_name)

    sys.setprofile(heard)
    try:
        action()
    finally:
        sys.setprofile(None)
    return passed


def test_a_first_gradient_passes_through_at_most_eight_functions():
    x = mg.constant(3.0)
    x * x  # an op is written out at its first call
    with mg.GradientTape() as tape:
        tape.watch(x)
        forward = functions_passed(lambda: x * x)
        y = x * x
    backward = functions_passed(lambda: tape.gradient(y, x))
    assert forward == ["multiply", "multiply"]  # what was written out, and the function that it is made of
    assert backward.count("<lambda>") == 2  # the two rules
    assert len(forward) + len(backward) <= 8, (forward, backward)


def test_the_source_of_an_op_is_the_whole_of_what_it_does():
    assert str(mg.multiply.source) == inspect.cleandoc("""
        def multiply(x, y, name=None):
            if x.__class__ is not Tensor: x = convert(x, y)
            if y.__class__ is not Tensor: y = convert(y, x)
            x_ = x.value
            y_ = y.value
            dtype_ = x_.dtype
            if y_.dtype is not dtype_: agree(this, (x, y), x, y)
            if dtype_ is not float32 and dtype_.kind not in 'iuf': return refuse(this, x, y)
            try: z_ = forward(x_, y_)
            except Exception as problem: z_ = again(this, problem, forward, x_, y_)
            z = Tensor(); z.value = z_; z.id = next_id()
            for listener in listening.now:
                live = listener.tracked_ids
                if live is None: listener.hear(this, (x, y), z, ()); continue
                write = listener.steps.append
                if x.id in live: live.add(z.id); write((z.id, x.id, dx, (y_,), (y,), x_.shape))
                if y.id in live: live.add(z.id); write((z.id, y.id, dy, (x_,), (x,), y_.shape))
            return z
    """) + "\n"  # fmt: skip


# ---- what everything says of itself --------------------------------------------------------------------------------


def public():
    """The functions and classes at the top level, by name."""
    names = [name for name in dir(mg) if not name.startswith("_")]
    return {name: one for name in names if isinstance(one := getattr(mg, name), (type, types.FunctionType))}


@pytest.mark.parametrize("name", sorted({**OPS, **public()}))
def test_every_public_name_has_a_docstring_with_an_example(name):
    text = {**OPS, **public()}[name].__doc__
    assert text and text.strip(), f"{name} has no docstring"
    assert doctest.DocTestParser().get_examples(text), f"{name} has no example"


def modules():
    names = [info.name for info in pkgutil.walk_packages(mg.__path__, "minigrad.") if not info.name.endswith("__main__")]
    return ["minigrad", *names]


@pytest.mark.parametrize("name", modules())
def test_every_example_of_the_package_runs(name):
    if name.endswith("inspector.widget"):
        pytest.importorskip("anywidget")
    module = importlib.import_module(name)
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    report = []
    for example in [one for one in finder.find(module, name) if one.examples]:
        runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)


CLASSES = [
    mg.Tensor, mg.Variable, mg.GradientTape, mg.TensorShape, mg.DType, mg.Module, mg.IndexedSlices, mg.TensorSpec, mg.name_scope,
    mg.RegisterGradient, mg.data.Dataset, mg.queue.FIFOQueue, mg.random.Generator,
]  # fmt: skip
INNER = {"forget", "follow", "read", "refusal", "play"}  # of the tape: what listeners are told, and parts of its answers


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_public_signatures_are_annotated(kind):
    for name, value in vars(kind).items():
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if (
            not isinstance(function, types.FunctionType)
            or function.__name__ == "<lambda>"
            or name in INNER
            or kind.__module__ not in function.__module__
        ):
            continue
        if name.startswith("_") and name != "__init__":
            continue
        parts = inspect.signature(function).parameters.values()
        bare = [part.name for part in parts if part.annotation is part.empty and part.name not in ("self", "cls")]
        assert not bare, f"{kind.__name__}.{name}: {bare}"
        assert name == "__init__" or inspect.signature(function).return_annotation is not inspect.Signature.empty, f"{kind.__name__}.{name}"


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_public_methods_have_docstrings(kind):
    for name, value in vars(kind).items():
        if not name.startswith("_") and isinstance(value, (types.FunctionType, property, staticmethod, classmethod)):
            assert value.__doc__ or name in INNER, f"{kind.__name__}.{name}"


def test_numpy_is_the_only_requirement():
    allowed = {"numpy", "minigrad", *sys.stdlib_module_names}
    optional = {
        "explain": {"executing"},
        "inspector": {"anywidget", "traitlets", "IPython", "matplotlib"},
        "classroom": {"jupyterlab", "jupyter_client", "jupyter_core", "nbconvert", "packaging"},
    }
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = (
                [one.name for one in node.names]
                if isinstance(node, ast.Import)
                else [node.module]
                if isinstance(node, ast.ImportFrom) and not node.level
                else []
            )
            foreign = {name.partition(".")[0] for name in names} - allowed - optional.get(part_of(path), set())
            assert not foreign, f"{path.name}: {foreign}"
