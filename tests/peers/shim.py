"""What a test file of Keras gets when it imports: minigrad's names where minigrad has them, and Keras's own tools to test with."""

import builtins
import importlib
import types
import unittest

import numpy as np
from keras.src import backend, testing, tree

import minigrad as mg
from minigrad.keras.activations import MASKS
from minigrad.keras.training import Trainer


class NotApplicable(unittest.SkipTest):
    """The method needs what minigrad leaves away."""


class TestCase(testing.TestCase):
    """Keras's test case; layers are tested as they are called, without configurations and symbolic inputs."""

    def setUp(self):
        mg.keras.utils.clear_session()

    def convert_to_numpy(self, x):
        return np.asarray(x)

    def run_class_serialization_test(self, *args, **kwargs):
        raise NotApplicable("get_config and saved models")

    def run_layer_test(self, layer_cls, init_kwargs, input_shape=None, input_data=None, call_kwargs=None, **expected):
        """Build the layer, call it, and compare what is expected of it."""
        call_kwargs = call_kwargs or {}
        if expected.get("input_sparse") or expected.get("input_ragged"):
            raise NotApplicable("sparse and ragged tensors")
        if input_data is None:
            dtype = expected.get("input_dtype") or "float32"
            input_data = tree.map_shape_structure(
                lambda shape: mg.cast(mg.ones([2 if n is None else n for n in shape]), dtype), input_shape
            )
        layer = layer_cls(**init_kwargs)
        layer.build(tree.map_structure(lambda x: tuple(x.shape), input_data) if input_shape is None else input_shape)
        assert layer.built
        self.compare_numbers(layer, expected)
        layer = layer_cls(**init_kwargs)
        output = layer(input_data, **call_kwargs)
        self.compare_numbers(layer, expected)
        if expected.get("expected_num_losses") is not None:
            self.assertLen(layer.losses, expected["expected_num_losses"])
        if expected.get("expected_output_shape") is not None:
            for shape, y in zip(flat_shapes(expected["expected_output_shape"]), tree.flatten(output)):
                assert len(shape) == len(y.shape)
                assert all(n in (None, m) for n, m in zip(shape, y.shape))
        if expected.get("expected_output_dtype") is not None:
            assert mg.as_dtype(tree.flatten(output)[0].dtype).name == expected["expected_output_dtype"]
        if expected.get("expected_output") is not None:
            self.assertAllClose(expected["expected_output"], output)
        if input_shape is not None:
            assert flat_shapes(layer.compute_output_shape(input_shape)) == [tuple(y.shape) for y in tree.flatten(output)]
        if expected.get("assert_built_after_instantiation"):
            assert layer_cls(**init_kwargs).built
        if expected.get("run_training_check", True):
            self.train(layer, input_data, output)

    def compare_numbers(self, layer, expected):
        for what in ("trainable_weights", "non_trainable_weights", "non_trainable_variables"):
            number = expected.get(f"expected_num_{what}")
            if number is not None:
                self.assertLen(getattr(layer, what), number, msg=what)

    def train(self, layer, x, y):
        """One step of a model that consists of the layer."""

        class Whole(mg.keras.Model):
            def __init__(self):
                super().__init__()
                self.layer = layer

            def call(self, x, training=False):
                return self.layer(x, training=training)

        model = Whole()
        model.compile("sgd", lambda y_true, y_pred: mg.reduce_sum(y_pred))
        model.fit(((x, y) for _ in range(1)), steps_per_epoch=1, verbose=0)


def flat_shapes(shapes):
    """The shapes in a nest of shapes."""
    if isinstance(shapes, dict):
        shapes = list(shapes.values())
    if all(n is None or isinstance(n, int) for n in shapes):
        return [tuple(shapes)]
    return [one for shape in shapes for one in flat_shapes(shape)]


class Absent:
    """A name that Keras has and minigrad has not: whatever uses it fails."""

    def __init__(self, path, *_):
        self.path = path

    def __getattr__(self, name):
        raise AttributeError(f"minigrad has no {self.path}")

    def __call__(self, *args, **kwargs):
        raise AttributeError(f"minigrad has no {self.path}")


class Foreign:
    """Something that minigrad leaves away, such as another library: a test that uses it does not apply."""

    def __init__(self, why="another library"):
        self.why = why

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        raise NotApplicable(self.why)


class Space:
    """A module of Keras, in which each name is minigrad's if it has it."""

    def __init__(self, path):
        self.path = path

    def __getattr__(self, name):
        return resolved(self.path, name)


def resolved(path, name):
    """What `from path import name` gives."""
    parts = path.split(".")[2:] if path.startswith("keras.src") else path.split(".")[1:]
    if name in OURS:
        return OURS[name]
    if path.endswith("_test"):  # what one test borrows from another
        return theirs_at(f"{path}.{name}")
    own = next((TOOLS[part] for part in reversed(parts) if part in TOOLS), None)
    family = parts[0] if parts else ""
    if own is not None:
        if name in own:
            return own[name]
        theirs = theirs_at(f"{path}.{name}")
        if family in ("testing", "tree"):
            return theirs
        if isinstance(theirs, types.ModuleType):
            return Wrapped(theirs)
        return on_arrays(theirs) if callable(theirs) and not isinstance(theirs, type) else theirs
    if name in TOOLS:
        return Space(f"{path}.{name}")
    ours = mg.keras
    for part in parts:
        ours = getattr(ours, part, ours)
    for one in (ours, getattr(mg.keras, family, None), mg.keras, mg.keras.optimizers.schedules):
        if hasattr(one, name) and one is not None:
            return getattr(one, name)
    theirs = f"{path}.{name}"
    try:
        importlib.import_module(theirs)
    except ImportError:
        return Absent(theirs)
    return Space(theirs)


def theirs_at(path):
    """What Keras itself has at a path."""
    outer, _, name = path.rpartition(".")
    if outer == "keras.src" or not outer:
        return importlib.import_module(path)
    place = theirs_at(outer)
    return getattr(place, name) if hasattr(place, name) else importlib.import_module(path)


def on_arrays(function):
    """A function of Keras that takes minigrad's Tensors and gives NumPy's arrays."""

    def plain(x):
        return np.asarray(x) if hasattr(x, "__array__") else x

    def ours(x):
        return mg.convert_to_tensor(np.asarray(x)) if hasattr(x, "__array__") else x

    def call(*args, **kwargs):
        args, kwargs = tree.map_structure(plain, (args, kwargs))
        return tree.map_structure(ours, function(*args, **kwargs))

    return call


def cast(x, dtype):
    return mg.cast(x, backend.standardize_dtype(dtype))


OPS = {
    **{name: getattr(mg, name) for name in ("abs", "add", "divide", "exp", "matmul", "maximum", "minimum", "multiply", "reshape",
                                            "square", "sqrt", "subtract", "ones", "zeros", "ones_like", "zeros_like", "concat")},
    **{name: getattr(mg, f"reduce_{name}") for name in ("sum", "mean", "max", "min")},
    "cast": cast,
    "convert_to_tensor": lambda x, dtype=None, **_: mg.convert_to_tensor(x) if dtype is None else cast(x, dtype),
    "convert_to_numpy": np.asarray,
    "shape": lambda x: tuple(x.shape),
    "relu": mg.nn.relu,
    "log": mg.math.log,
}  # fmt: skip


class Wrapped(Space):
    """A module of Keras, whose functions take minigrad's Tensors and give arrays."""

    def __getattr__(self, name):
        theirs = getattr(self.path, name)
        return on_arrays(theirs) if callable(theirs) and not isinstance(theirs, type) else theirs


OURS = {"validate_float_arg": mg.keras.regularizers.checked_factor, "TensorFlowTrainer": Trainer, "Trainer": Trainer}
TOOLS = {
    "random": {"SeedGenerator": Foreign("Keras's generators of seeds: a layer takes a number")},
    "module_utils": {"tensorflow": mg},
    "summary_utils": {"print_summary": lambda model, **settings: model.summary(**settings)},
    "io_utils": {name: lambda: None for name in ("disable_interactive_logging", "enable_interactive_logging")},
    "testing": {"TestCase": TestCase, "test_case": types.SimpleNamespace(TestCase=TestCase)},
    "ops": OPS,
    "backend": {
        "backend": lambda: "tensorflow",
        "Variable": mg.keras.Variable,
        "is_tensor": lambda x: isinstance(x, mg.Tensor),
        "set_keras_mask": lambda x, mask: MASKS.add(x, None if mask is None else mg.convert_to_tensor(mask)),
        "get_keras_mask": MASKS.of,
        "KerasTensor": Foreign("functional models and symbolic inputs"),
        **{name: OPS[name] for name in ("cast", "convert_to_tensor", "convert_to_numpy", "shape")},
    },
    "tree": {},
}


def imported(name, space=None, local=None, fromlist=(), level=0):
    """`import`, as a test file of Keras has it."""
    if name == "tensorflow":
        return mg
    if name.partition(".")[0] in ("grain", "jax", "scipy", "torch"):
        return Foreign()
    if name == "conftest":
        return types.SimpleNamespace(skip_if_backend=lambda backend, reason: lambda test: test)
    if name.partition(".")[0] != "keras":
        return builtins.__import__(name, space, local, fromlist, level)
    return Space(name) if fromlist else Space("keras")


shimmed = {**vars(builtins), "__import__": imported}
