"""The house: who imports whom, what loads with the package, what a first gradient passes through, and what everything says of itself."""

import ast
import doctest
import functools
import graphlib
import importlib
import inspect
import json
import linecache
import pathlib
import pkgutil
import re
import subprocess
import sys
import types
import typing

import pytest

import minigrad as mg
from minigrad import later
from minigrad.engine.operands import OPS
from tests import mutation

PACKAGE = pathlib.Path(mg.__file__).parent
ROOT = PACKAGE.parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# A folder or file may import those that stand before it, and its own parts: the layers of the house, from the bottom up.
LAYERS = """
errors later nest | engine | ops | math dtypes bitwise random strings config linalg convolution pooling nn image debugging | program types
test autodiff queue data train keras | tracing graph explain inspector tensorflow report | __init__ classroom __main__
""".replace("|", "").split()
DOOR = ("engine", "explain")  # tape.explain loads the explanations when somebody first asks for one


def module_of(path):
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


NAMES = {module_of(path): path for path in MODULES}


def imported(path):
    """The modules of the package that a file imports, at its top or inside functions, but not for editors alone."""
    parts, found, tree = path.relative_to(PACKAGE).parts, set(), ast.parse(path.read_text("utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    idle = {node for block in blocks for node in ast.walk(block)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level and node not in idle:
            base = [*parts[: len(parts) - node.level], *(node.module.split(".") if node.module else [])]
            for alias in node.names:
                inner = ".".join([*base, alias.name])
                found.add(inner if inner in NAMES else ".".join(base) or "__init__")
    return found - {module_of(path)}


def layer_of(module):
    return LAYERS.index(module.partition(".")[0])


def test_every_part_of_the_house_has_its_layer():
    assert sorted(LAYERS) == sorted({name.partition(".")[0] for name in NAMES})


@pytest.mark.parametrize("module", sorted(NAMES))
def test_imports_run_one_way(module):
    above = {other for other in imported(NAMES[module]) if layer_of(other) > layer_of(module)}
    assert {(module.partition(".")[0], other) for other in above} <= {DOOR}, f"{module} imports {above}, which stand above it"


def test_readmes_table_has_a_row_for_each_layer_and_a_row_imports_none_below_it():
    table = (ROOT / "README.md").read_text("utf-8").partition("| where | what it holds |")[2].partition("\n\n")[0]
    where = [re.findall(r"`minigrad/(\w+)", line.split("|")[1]) for line in table.splitlines() if line.startswith("| `")]
    row_of = {layer: number for number, layers in enumerate(where) for layer in layers}
    assert sorted(row_of) == sorted(set(LAYERS) - {"__init__"})
    for module, path in NAMES.items():
        if (layer := module.partition(".")[0]) in row_of:
            below = {one for one in imported(path) if row_of.get(one.partition(".")[0], -1) > row_of[layer]}
            assert {(layer, one) for one in below} <= {DOOR}, f"{module} imports {below}"


def test_no_modules_import_each_other_in_a_circle():
    graph = {module: {other for other in imported(path) if not module.startswith(f"{other}.")} for module, path in NAMES.items()}
    try:
        tuple(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as error:
        pytest.fail(f"a circle of imports: {' -> '.join(reversed(error.args[1]))}")


def test_classes_share_a_name_only_where_tensorflow_gives_it():
    given, homes = {"trace", *dir(mg.train), *[name for names in TENSORFLOW.values() for name in names]}, {}
    for path in MODULES:
        for one in ast.parse(path.read_text("utf-8")).body:
            if isinstance(one, ast.ClassDef) and one.name not in given:
                homes.setdefault(one.name, []).append(module_of(path))
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_nothing_sets_numpys_warnings_where_an_interrupt_could_leave_them(path):
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Attribute)]
    found = [node.lineno for node in calls if node.attr in ("errstate", "seterr")]
    assert len(found) == (path.name == "errors.py"), f"use errors.unwarned: lines {found}"


@pytest.mark.parametrize(
    "path", [p for p in MODULES if p.parent.name not in ("explain", "inspector")], ids=lambda p: str(p.relative_to(PACKAGE))
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
    light = loaded_by("import atexit, bisect, copy, dataclasses, gc, logging, pprint, random, string, threading, traceback")
    assert {name for name in foreign if name[0] != "_"} <= light
    assert len(ours) <= 1.5 * len(numpy), f"{len(ours)} modules; NumPy alone: {len(numpy)}"
    later = {
        f"{space}.{module or name}"
        for space in SPACES[:3]
        for module, names in importlib.import_module(space).LATER.items()
        for name in names
    }
    assert later & ours == {"minigrad.bitwise", "minigrad.linalg"}  # Python's operators need these


SPACES = ["minigrad", "minigrad.linalg", "minigrad.math", "minigrad.nn", "minigrad.random"]


@pytest.mark.parametrize("space", SPACES)
def test_what_loads_later_is_what_its_module_has_and_what_editors_are_told(space):
    namespace = importlib.import_module(space)
    for module, names in namespace.LATER.items():
        for name in names:
            place = f"{namespace.__package__}.{module or name}"
            assert getattr(namespace, name) is (getattr(importlib.import_module(place), name) if module else sys.modules[place])
    blocks = [one for one in ast.parse(pathlib.Path(namespace.__file__).read_text("utf-8")).body if isinstance(one, ast.If)]
    told = {alias.name for block in blocks for node in ast.walk(block) if isinstance(node, ast.ImportFrom) for alias in node.names}
    later = {name for names in namespace.LATER.values() for name in names}
    assert "*" in told or told in (later, set()), f"TYPE_CHECKING and LATER differ in {told ^ later}"
    with pytest.raises(AttributeError, match=r"Did you mean mg\."):
        getattr(namespace, f"{min(later)}s")


@pytest.mark.parametrize(("names", "instead"), [
    ("RaggedTensor", "no ragged Tensors. Pad the rows"), ("ragged", "no ragged Tensors. Pad the rows"),
    ("sparse", r"no sparse Tensors. Make a dense one: mg\.scatter_nd"), ("compat", "no TensorFlow 1"),
    ("data.TFRecordDataset", "Read with Python"), ("keras.layers.LSTM", "whose `call` loops over the steps"),
    ("keras.models.load_model", r"load its weights: model\.load_weights"), ("keras.datasets", "Load your own with NumPy"),
    ("keras.optimizers.Nadam", r"Did you mean mg\.keras\.optimizers\.Adam\?"), ("strings.strips", r"Did you mean mg\.strings\.strip\?"),
])  # fmt: skip
def test_a_name_that_stays_away_says_what_to_write_instead(names, instead):
    *path, last = names.split(".")
    space = functools.reduce(getattr, path, mg)
    with pytest.raises(AttributeError, match=f"module '{space.__name__}' has no attribute '{last}'.*{instead}"):
        getattr(space, last)


def test_nothing_is_said_to_stay_away_that_is_there():
    later.load_all()
    there = {
        name for module in [*sys.modules.values()] if module.__name__.startswith("minigrad") for name in getattr(module, "__all__", ())
    }
    assert "LayerNormalization" in there and not there & {name for names in later.ABSENT for name in names.split()}


def test_the_help_of_every_op_has_its_mathematics_once():
    assert mg.image.adjust_hue, "of what is loaded late, too"
    for op in [one for one in mg.engine.MADE if one.__doc__ and one.__module__.startswith("minigrad") and one.adapt is None]:
        assert op.__doc__.count("Gradients (upstream is") == bool(op.math.lines), op


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


def calls_of(action):
    """The functions of minigrad that run, in their order: (file, name), as the guide has them."""
    passed = []

    def heard(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith((str(PACKAGE), "<op ")):
            file = pathlib.Path(code.co_filename)
            where = file.relative_to(PACKAGE).as_posix() if file.is_absolute() else code.co_filename
            passed.append((where, code.co_name))

    sys.setprofile(heard)
    try:
        action()
    finally:
        sys.setprofile(None)
    return passed


def test_a_first_gradient_makes_the_calls_that_the_guide_lists():
    x = mg.Variable(3.0)
    x * x  # an op is written out at its first call

    def action():
        with mg.GradientTape() as tape:
            y = x * x
        tape.gradient(y, x)

    calls = calls_of(action)
    assert calls == [(file, name.rpartition(".")[2]) for file, name, _ in mg.engine.CALLS]
    assert len(calls) <= 16 and len({file for file, _ in calls}) <= 6


def test_the_product_of_python_runs_the_text_that_is_shown():
    mg.constant(1.0) * mg.multiply(2.0, 3.0)  # both are written out
    assert mg.Tensor.__mul__.source is mg.multiply.source and mg.Variable.__mul__ is mg.Tensor.__mul__
    assert mg.Tensor.__mul__.__code__ is mg.multiply.__code__
    assert str(mg.multiply.source) == linecache_of(mg.multiply)


def linecache_of(op):
    return "".join(linecache.getlines(op.__code__.co_filename))


def test_the_source_of_an_op_is_the_whole_of_what_it_does():
    assert str(mg.multiply.source) == inspect.cleandoc("""
        def multiply(x, y, name=None):
            if x.__class__ is not Tensor: x = convert(x, y)
            if y.__class__ is not Tensor: y = convert(y, x)
            x_ = x.value
            y_ = y.value
            dtype = x_.dtype
            if y_.dtype is not dtype and y_.dtype != dtype: return refuse_mixed(this, (x, y), x, y)
            if dtype is not float32 and dtype.kind not in 'iuf': return refuse_dtype(this, (x, y))
            try: z_ = forward(x_, y_)
            except Exception as problem: z_ = retry_unchecked(this, problem, forward, x_, y_)
            z = Tensor(); z.value = z_; z.id = next_id()
            for listener in listening.now:
                tracked = listener.tracked_ids
                if tracked is None: listener.hear(this, (x, y), z, ()); continue
                write = listener.steps.append
                if x.id in tracked: tracked.add(z.id); write((z.id, x.id, dx, (y_,), (y,), x_.shape))
                if y.id in tracked: tracked.add(z.id); write((z.id, y.id, dy, (x_,), (x,), y_.shape))
            return z
    """) + "\n"  # fmt: skip


# ---- what everything says of itself --------------------------------------------------------------------------------


TENSORFLOW = json.loads((ROOT / "tests" / "namespaces.json").read_text("utf-8"))  # dir() of each namespace of TensorFlow 2.21


def public():
    """The functions and classes that Tab offers at the top level and in each namespace, by name."""
    found = {}
    for space in TENSORFLOW:
        module = importlib.import_module(f"minigrad.{space}".rstrip("."))
        names = {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
        found |= {f"{space}.{name}".lstrip("."): one for name, one in names.items() if isinstance(one, (type, types.FunctionType))}
    return found


@pytest.mark.parametrize("name", sorted({**OPS, **public()}))
def test_every_public_name_has_a_docstring_with_an_example(name):
    text = {**OPS, **public()}[name].__doc__
    assert text and text.strip(), f"{name} has no docstring"
    assert doctest.DocTestParser().get_examples(text), f"{name} has no example"


OURS = {"": {"explain", "inspect", "trace", "written"}, "test": {"check_gradients"}}


@pytest.mark.parametrize("space", sorted(TENSORFLOW))
def test_tab_offers_what_tensorflow_has_and_nothing_else(space):
    module = importlib.import_module(f"minigrad.{space}".rstrip("."))
    offered = {name for name in dir(module) if not name.startswith("__")}
    assert offered <= {*TENSORFLOW[space], *OURS.get(space, ())}
    assert all(hasattr(module, name) for name in offered)
    assert space == "" or sorted(offered) == sorted(module.__all__)


@pytest.mark.parametrize("name", sorted(OPS))
def test_the_signature_of_an_op_shows_names_defaults_and_types(name):
    signature = inspect.signature(OPS[name])
    assert list(signature.parameters)[-1] == "name" or "name" in signature.parameters
    assert "<function" not in str(signature) and "object at" not in str(signature)
    bare = [one.name for one in signature.parameters.values() if one.annotation is one.empty]
    assert not bare, f"{name}: of what type is {', '.join(bare)}?"
    for one in signature.parameters.values():
        assert one.default is not None or type(None) in typing.get_args(one.annotation), f"{name}: {one} may be None"


LATER = ("keras", "graph", "inspector")  # whose functions do not all say it yet


def test_a_public_function_says_what_it_returns():
    functions = {name: one for name, one in public().items() if isinstance(one, types.FunctionType)}
    ours = {name: one for name, one in functions.items() if one.__module__.split(".")[1] not in LATER}
    silent = [name for name, one in ours.items() if inspect.signature(one).return_annotation is inspect.Signature.empty]
    assert not silent


def modules():
    names = [info.name for info in pkgutil.walk_packages(mg.__path__, "minigrad.") if not info.name.endswith("__main__")]
    return ["minigrad", *names]


@pytest.mark.parametrize("name", modules())
def test_every_example_of_the_package_runs(name):
    if name.endswith("inspector.widget"):
        pytest.importorskip("anywidget")
    if name.startswith("minigrad.tensorflow"):
        pytest.importorskip("tensorflow")
    module = importlib.import_module(name)
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    report = []
    globs = {} if name == "minigrad" else None  # where `print` is TensorFlow's
    for example in [one for one in finder.find(module, name, globs=globs) if one.examples]:
        runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)


CLASSES = [
    mg.Tensor, mg.Variable, mg.GradientTape, mg.TensorShape, mg.DType, mg.Module, mg.IndexedSlices, mg.TensorSpec, mg.name_scope,
    mg.RegisterGradient, mg.data.Dataset, mg.queue.FIFOQueue, mg.random.Generator,
]  # fmt: skip
INNER = {"follow", "read"}  # of the tape: what listeners are told, and parts of its answers


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
        "report.py": {"IPython", "tensorflow"},
        "tensorflow": {"tensorflow"},
        "tracing": {"executing"},
        "inspector": {"anywidget", "traitlets", "IPython", "matplotlib"},
        "classroom": {"IPython", "jupyterlab", "jupyter_client", "jupyter_core", "jupyter_server", "nbconvert", "packaging", "matplotlib"},
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
            foreign = {name.partition(".")[0] for name in names} - allowed - optional.get(path.relative_to(PACKAGE).parts[0], set())
            assert not foreign, f"{path.name}: {foreign}"


def test_the_places_that_no_test_can_tell_apart_are_there():
    assert not mutation.outdated()
