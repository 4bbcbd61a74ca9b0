"""Layers, losses, optimizers and initializers give the numbers of Keras 3 from the same seeds."""

import gc
import inspect
import signal
from contextlib import nullcontext

import numpy as np
import pytest

import minigrad as mg
from minigrad.engine.listening import listening
from minigrad.keras.variable import calls, inside

keras = mg.keras
X = mg.constant([[1.0, 2.0], [3.0, 5.0], [-1.0, 7.0]])


def close(found, expected, rtol=2e-5, atol=2e-6):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=atol)


# ---- activations ---------------------------------------------------------------------------------------------------

OF_X_ALONE = ["linear", "sigmoid", "selu", "silu", "swish", "tanh", "softplus", "softsign", "exponential", "relu6"]
PARAMETERS = {name: ["x"] for name in OF_X_ALONE} | {
    "elu": ["x", "alpha"],
    "gelu": ["x", "approximate"],
    "leaky_relu": ["x", "negative_slope"],
    "log_softmax": ["x", "axis"],
    "relu": ["x", "negative_slope", "max_value", "threshold"],
    "softmax": ["x", "axis"],
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_activations_have_the_names_and_parameters_of_keras(name):
    function = keras.activations.get(name)
    assert function is getattr(keras.activations, name)
    assert function.__name__ == {"swish": "silu"}.get(name, name)
    assert list(inspect.signature(function).parameters) == PARAMETERS[name]
    assert function(x=mg.constant([0.5, -1.0])).shape == (2,)


def test_elu_follows_alpha():
    x = mg.constant([-1.0, 0.0, 2.0])
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = keras.activations.elu(x, 2.0)
    close(y, [-1.2642411, 0.0, 2.0])
    close(tape.gradient(y, x), [0.7357589, 2.0, 1.0])
    close(keras.activations.elu(x=x, alpha=0.5), [-0.3160603, 0.0, 2.0])


def test_relu_keeps_what_is_infinite():
    x = mg.constant([-3.0, 0.5, 2.0, np.inf])
    close(keras.activations.relu(x, threshold=1.0), [0.0, 0.0, 2.0, np.inf])
    close(keras.activations.relu(x, 0.1, 1.5, 0.2), [-0.32, 0.5, 1.5, 1.5])
    close(keras.activations.relu(x, 0.1, 6), [-0.3, 0.5, 2.0, 6.0])


def test_relu_with_all_its_settings_has_the_values_and_slopes_of_keras():
    x = mg.constant([-3.0, 0.0, 0.5, 0.6, 2.0, 3.0])
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        capped, lifted = keras.activations.relu(x, 0.1, 2.0), keras.activations.relu(x, 0.1, 2.0, 0.5)
    close(capped, [-0.3, 0.0, 0.5, 0.6, 2.0, 2.0])
    close(tape.gradient(capped, x), [0.1, 0.0, 1.0, 1.0, 1.0, 0.0])
    close(lifted, [-0.35, -0.05, 0.0, 0.6, 2.0, 2.0])
    close(tape.gradient(lifted, x), [0.1, 0.1, 0.0, 1.0, 1.0, 0.0])


def test_relu_takes_whole_numbers():
    x = mg.constant([-3, 0, 1, 5, 9])
    for settings, expected in [
        ({"max_value": 4.5}, [0, 0, 1, 4, 4]),
        ({"threshold": 2.5}, [0, 0, 0, 5, 9]),
        ({"negative_slope": 2, "max_value": 6}, [-6, 0, 1, 5, 6]),
    ]:
        y = keras.activations.relu(x, **settings)
        assert (y.numpy().tolist(), y.dtype) == (expected, mg.int32)


@pytest.mark.parametrize("setting", [{"max_value": -1.0}, {"negative_slope": None}, {"threshold": -1.0}])
def test_a_relu_layer_takes_no_setting_below_0(setting):
    with pytest.raises(ValueError, match=f"{next(iter(setting))} of a ReLU layer cannot be .*negative value"):
        keras.layers.ReLU(**setting)


def test_sparsemax_goes_over_the_last_axis():
    assert keras.activations.sparsemax([[3.0, 1.0], [0.5, 0.5]]).numpy().tolist() == [[1.0, 0.0], [0.5, 0.5]]


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_sparsemax_is_the_nearest_distribution(axis):
    x = np.random.default_rng(1).normal(size=(2, 3, 4))
    low, high = x.min(axis, keepdims=True) - 1.0, x.max(axis, keepdims=True)
    for _ in range(60):  # the threshold above which there is 1 in all
        middle = (low + high) / 2.0
        above = np.maximum(x - middle, 0.0).sum(axis, keepdims=True) > 1.0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    close(keras.activations.sparsemax(x, axis), np.maximum(x - low, 0.0))


def test_softmax_goes_over_many_axes():
    x = mg.constant([[1.0, 2.0], [3.0, 5.0]])
    together = [[0.015219, 0.0413707], [0.1124572, 0.8309531]]
    close(keras.activations.softmax(x, None), together)
    close(keras.activations.log_softmax(x, None), np.log(together), rtol=1e-4)
    close(keras.layers.Softmax((0,))(x), keras.layers.Softmax(0)(x))
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = keras.layers.Softmax([0, 1])(x)
        squares = y**2
    close(y, together)
    close(tape.gradient(squares, x), [[-0.0209983, -0.0549156], [-0.1332876, 0.2092016]], rtol=1e-4)


def test_tanh_and_exponential_take_whole_numbers():
    close(keras.activations.tanh([1, -2]), np.tanh([1.0, -2.0]))
    close(keras.activations.exponential(mg.constant([1, -2])), np.exp([1.0, -2.0]))


# ---- layers --------------------------------------------------------------------------------------------------------


def test_dense_layers_have_the_weights_and_gradients_of_keras():
    keras.utils.set_random_seed(1)
    first, second = keras.layers.Dense(2, activation="tanh"), keras.layers.Dense(2)
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(second(first(X)) ** 2)
    d_kernel, d_bias = tape.gradient(y, first.trainable_variables)
    close(first.kernel, [[-0.5903275, 0.8878101], [1.0738579, -0.383986]])
    close(second.kernel, [[0.2235427, -0.2392498], [0.7618786, 0.1553721]])
    close(y, 1.0871274)
    close(d_kernel, [[0.0405376, 2.2425237], [0.0799316, 3.8394599]])
    close(d_bias, [0.0382505, 0.9984776])


def test_names_and_paths():
    model = keras.Sequential([keras.layers.Dense(2), keras.layers.BatchNormalization(), keras.layers.Dense(1, name="last")])
    alone = keras.layers.Dense(3)
    with mg.GradientTape() as tape:
        model(X)
        alone(X)
    assert [v.path for v in model.trainable_variables] == [
        "sequential/dense/kernel", "sequential/dense/bias", "sequential/batch_normalization/gamma",
        "sequential/batch_normalization/beta", "sequential/last/kernel", "sequential/last/bias",
    ]  # fmt: skip
    assert [v.name for v in alone.variables] == ["kernel", "bias"]
    assert [v.name for v in tape.watched_variables()][-2:] == ["dense_1/kernel:0", "dense_1/bias:0"]
    assert (model.name, repr(alone)) == ("sequential", "<Dense name=dense_1, built=True>")


def test_a_layer_tells_its_name_and_whether_it_is_built():
    assert repr(keras.layers.Identity(name="\x1b[31m")) == r"<Identity name=\x1b[31m, built=True>"
    assert repr(keras.layers.Dense(1, name="a")) == "<Dense name=a, built=False>"


def test_a_layer_makes_its_weights_at_the_first_call():
    layer = keras.layers.Dense(2)
    assert layer.variables == []
    with pytest.raises(AttributeError, match="You must build the layer before accessing `kernel`"):
        _ = layer.kernel
    layer(X)
    assert layer.built
    assert [v.shape for v in layer.variables] == [(2, 2), (2,)]
    assert layer.count_params() == 6


def paths(layer):
    return [v.path for v in layer.variables]


class Scale(keras.layers.Layer):
    def build(self, input_shape):
        self.scale = self.add_weight(shape=(input_shape[-1],), name="scale")

    def call(self, x):
        return x * self.scale


class ScaleAndShift(Scale):
    def build(self, input_shape):
        super().build(input_shape)
        self.shift = self.add_weight(shape=(), name="shift")


class Pair(keras.layers.Layer):
    def build(self, input_shape):
        self.inner = keras.layers.Dense(1)
        self.inner.build(input_shape)

    def call(self, x):
        return self.inner(x)


class Mixin:
    def build(self, input_shape):
        self.w = self.add_weight(shape=(), name="w")


class Mixed(Mixin, keras.layers.Layer):
    def call(self, x):
        return x * self.w


class DenseAndMore(keras.layers.Dense):
    def build(self, input_shape):
        super().build(input_shape)
        self.more = self.add_weight(shape=self.kernel.shape, name="more")


class Heir(ScaleAndShift):
    """Has no `build` of its own."""


BUILT = [
    (lambda: keras.layers.Dense(1), ["dense/kernel", "dense/bias"]),
    (lambda: keras.layers.Embedding(3, 2), ["embedding/embeddings"]),
    (lambda: keras.layers.LayerNormalization(), ["layer_normalization/gamma", "layer_normalization/beta"]),
    (
        lambda: keras.layers.BatchNormalization(),
        [f"batch_normalization/{name}" for name in ("gamma", "beta", "moving_mean", "moving_variance")],
    ),
    (lambda: keras.layers.Dropout(0.5), ["seed_generator/seed_generator_state"]),
    (lambda: keras.layers.Flatten(), []),
    (Scale, ["scale/scale"]),
    (ScaleAndShift, ["scale_and_shift/scale", "scale_and_shift/shift"]),
    (Heir, ["heir/scale", "heir/shift"]),
    (Pair, ["pair/dense/kernel", "pair/dense/bias"]),
    (Mixed, ["mixed/w"]),
    (lambda: DenseAndMore(1), ["dense_and_more/kernel", "dense_and_more/bias", "dense_and_more/more"]),
]


@pytest.mark.parametrize(("made", "expected"), BUILT)
def test_a_layer_that_was_built_makes_no_second_set_of_weights(made, expected):
    layer = made()
    layer.build((None, 2))
    assert layer.built
    assert paths(layer) == expected
    layer(mg.ones([1, 2]))
    assert paths(layer) == expected
    called = made()
    called(mg.ones([1, 2]))
    assert len(called.variables) == len(expected)


def test_a_built_dense_has_a_kernel_and_knows_its_width():
    layer = keras.layers.Dense(1)
    layer.build(mg.TensorShape([None, 2]))
    assert layer.kernel.shape == (2, 1)
    with pytest.raises(ValueError, match="expected axis -1 of input shape to have value 2"):
        layer(mg.ones([1, 3]))
    with pytest.raises(ValueError, match=r"no `None` dimensions\)\. Received: shape=\(None, 1\) for variable path='dense_1/kernel'"):
        keras.layers.Dense(1).build((None, None))


def test_a_built_layer_takes_no_more_weights():
    layer = Scale()
    layer.build((None, 2))
    for again in (lambda: layer.build((None, 2)), lambda: layer.add_weight(shape=())):
        with pytest.raises(ValueError, match="You cannot add new elements of state"):
            again()
    assert len(layer.variables) == 1


def test_a_subclass_of_a_layer_hands_its_keywords_on():
    class Counted:
        def __init_subclass__(cls, count=0, **kwargs):
            super().__init_subclass__(**kwargs)
            cls.count = count

    class Own(keras.layers.Conv2D, Counted, count=3):
        pass

    assert (Own.rank, Own.count) == (2, 3)


@pytest.mark.parametrize("base", [keras.layers.Layer, keras.Model])
def test_a_layer_that_is_built_takes_no_more_state_through_its_lists_and_dicts(base):
    class Lists(base):
        def __init__(self, act):
            super().__init__()
            self.some, self.named, self.act, self.seen = [keras.layers.Dense(2)], {"inner": ([],)}, act, []

        def call(self, x):
            self.act(self)
            return self.some[0](x)

    Dense, x = keras.layers.Dense, mg.ones([1, 2])
    for act in (
        lambda layer: layer.some.append(Dense(2)),
        lambda layer: layer.seen.insert(0, keras.Variable([1.0])),
        lambda layer: layer.named.update(more=keras.metrics.Mean()),
        lambda layer: layer.named["inner"][0].append({"more": Dense(1)}),
    ):
        layer = Lists(lambda layer: None)
        layer(x)
        layer.act = act
        for _ in range(2):
            with pytest.raises(ValueError, match=r"You cannot add new elements of state .* to a layer that is already built"):
                layer(x)
    layer = Lists(lambda layer: layer.seen.extend([layer.some[0], {}, [1.0]]))  # known, or no state
    assert [layer(x).shape for _ in range(3)] == [(1, 2)] * 3 and len(layer.seen) == 9
    assert layer.compute_output_shape((None, 2)) == (None, 2) and len(layer.seen) == 9
    layer.seen[-2]["more"] = Dense(3)
    with pytest.raises(ValueError, match="You cannot add new elements of state"):
        layer(x)


def layer_with(build, call, base=keras.layers.Layer):
    return type("Both", (base,), {"build": build, "call": call})()


@pytest.mark.parametrize("base", [keras.layers.Layer, keras.Model])
def test_a_build_with_several_parameters_gets_the_shape_of_each_input_by_its_name(base):
    told, (x, y) = [], (mg.ones([2, 3]), mg.ones([2, 5]))
    q_v = lambda self, q_shape, v_shape=None: told.append((q_shape, v_shape))
    v_q = lambda own, v_shape, q_shape: told.append((q_shape, v_shape))
    first = lambda self, shape: told.append(shape)
    call = lambda own, q, v=None, mask=None: q
    layer_with(q_v, call, base)(x, y)
    layer_with(q_v, call, base)(v=y, q=x)
    layer_with(v_q, call, base)(x, y)
    assert told == [((2, 3), (2, 5))] * 3
    layer_with(q_v, call, base)([x, y], v=y)
    layer_with(q_v, call, base)(x, None)
    assert told[3:] == [([(2, 3), (2, 5)], (2, 5)), ((2, 3), None)]
    layer_with(first, call, base)(v=y, q=x)
    layer_with(lambda self: told.append("none"), call, base)(x)
    assert told[5:] == [(2, 3), "none"]


def test_a_build_with_several_parameters_names_inputs():
    call, x = lambda self, q, v: q, mg.ones([2, 3])
    with pytest.raises(ValueError, match=r"For layer 'Both', received `build\(\)` argument `a`, which does not end in `_shape`"):
        layer_with(lambda self, a, b: None, call)(x, x)
    with pytest.raises(ValueError, match=r"argument `a_shape`, but `call\(\)` does not have argument `a`"):
        layer_with(lambda self, q_shape, a_shape: None, call)(x, x)
    with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'mask_shape'"):
        layer_with(lambda self, q_shape, mask_shape: None, lambda self, q, mask: q)(x, mask=x)


def test_a_build_that_fails_leaves_the_layer_unbuilt():
    class Failing(Scale):
        def build(self, input_shape):
            super().build(input_shape)
            raise RuntimeError("stop")

    layer = Failing()
    with pytest.raises(RuntimeError, match="stop"):
        layer.build((None, 2))
    assert not layer.built


@pytest.mark.parametrize("base", [keras.layers.Layer, keras.Model, keras.Sequential, keras.layers.Dense])
def test_a_layer_says_that_its_init_is_missing(base):
    class Own(base):
        def __init__(self):
            self.inner = keras.layers.Dense(1)

    for use in (lambda layer: layer(X), lambda layer: layer.add_weight(shape=())):
        with pytest.raises(RuntimeError, match=r"In layer 'Own', you forgot to call `super\(\).__init__\(\)`.* Go add it!"):
            use(Own())


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, r"You must pass a `shape` argument\. Write Input\(\(3,\)\)"),
        ({"shape": (3,), "batch_shape": (None, 3)}, "no `batch_shape` beside it"),
        ({"shape": 3}, r"Cannot convert '3' to a shape\. Write shape=\(3,\)\."),
        ({"batch_shape": 3}, r"Cannot convert '3' to a shape\. Write shape=\(3,\)\."),
        ({"shape": (-1,)}, r"Cannot convert '\(-1,\)' to a shape\. .* and not -1\."),
        ({"shape": (2.0,)}, "ints of at least 0"),
        ({"shape": (2,), "batch_size": "a"}, "ints of at least 0"),
    ],
)
def test_an_input_has_a_shape(given, text):
    with pytest.raises(ValueError, match=text):
        keras.Input(**given)


def test_the_shape_of_an_input_is_a_tuple_of_ints():
    for shape in ([2, None], mg.TensorShape([2, None]), np.array([2, None]), (np.int64(2), None)):
        assert repr(keras.Input(shape).shape) == "(None, 2, None)"
    assert keras.Input((), 4).shape == keras.Input(batch_shape=[4]).shape == (4,)


class Late(keras.layers.Layer):
    """Runs `make` in each call, before the layer that it has, if it has one."""

    def __init__(self, make=None, inner=None):
        super().__init__()
        self.make, self.inner = make or (lambda layer: None), inner

    def call(self, x):
        self.make(self)
        return x if self.inner is None else self.inner(x)


class LateModel(Late, keras.Model):
    """The same of a model."""


def made_once(layer):
    if not hasattr(layer, "once"):
        layer.once = keras.layers.Dense(2)


REFUSED = pytest.raises(ValueError, match=r"You cannot add new elements of state .* to a layer that is already built")


@pytest.mark.parametrize("kind", [Late, LateModel])
def test_no_state_is_made_in_a_call_that_no_layer_is_built_in(kind):
    makes = [lambda layer: setattr(layer, "dense", keras.layers.Dense(2)), lambda layer: layer.add_weight(shape=()), made_once]
    for make in makes:
        late, first = kind(make), kind(make, keras.layers.Dense(2))
        for _ in range(2):
            with REFUSED:
                late(X)
        assert (late.built, late.variables) == (True, [])
        first(X)  # which builds a layer: until then it is not built itself
        with nullcontext() if make is made_once else REFUSED:
            first(X)


@pytest.mark.parametrize("kind", [Late, LateModel])
@pytest.mark.parametrize(
    "state",
    [lambda: keras.layers.Dense(1), lambda: [3, {"a": keras.Sequential()}], keras.metrics.Mean, lambda: keras.Variable(1.0)],
)
def test_a_built_layer_takes_no_state_that_it_did_not_have(kind, state):
    layer = kind(inner=keras.layers.Dense(2))
    layer.before = state()
    layer(X)
    with REFUSED:
        layer.after = state()
    with REFUSED:
        layer.inner = state()
    layer.again, layer.inner = [layer.before], layer.inner
    layer.other = {"optimizer": keras.optimizers.SGD(), "variable": mg.Variable(1.0), "x": X}
    assert not hasattr(layer, "after")
    assert layer(X).shape == (3, 2)


def test_a_layer_without_weights_is_built_once_it_is_made_and_a_sequential_never_closes():
    class Own(keras.layers.Dropout):
        def __init__(self):
            super().__init__(0.5)
            self.late = keras.layers.Dense(1)

    for make in (Own, lambda: keras.layers.ReLU().add_weight(shape=())):
        with REFUSED:
            make()
    model = keras.Sequential([keras.Input([2]), keras.layers.Dense(1)])
    model.inner, model.metric = keras.layers.Dense(1), keras.metrics.Mean()
    model.add(keras.layers.Dense(3))
    model.add_weight(shape=())
    assert model(X).shape == (3, 3)


def test_a_built_model_is_compiled_again():
    model = LateModel(inner=keras.layers.Dense(1))
    model(X)
    for metric in ("mae", "mse"):
        model.compile("sgd", "mse", metrics=[metric])
        assert [*model.fit(X, X[:, :1], verbose=0).history] == ["loss", metric]


def test_building_a_layer_that_cannot_build_the_layers_in_it_warns():
    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.inner = keras.layers.Dense(1)

        def call(self, x):
            return self.inner(x)

    model = Model()
    with pytest.warns(UserWarning, match=r"however the layer does not have a `build\(\)` method implemented") as caught:
        model.build((None, 2))
    assert caught[0].filename == __file__
    assert (model.built, model.variables) == (True, [])
    model(X)
    assert len(model.variables) == 2


def test_layers_without_weights_are_built_from_the_beginning():
    layers = [
        keras.layers.Activation("relu"),
        keras.layers.ReLU(),
        keras.layers.Softmax(),
        keras.layers.Reshape((1,)),
        keras.layers.Dropout(0.5),
    ]
    assert all(layer.built for layer in layers)

    class Scaled(keras.layers.Dropout):
        build = Scale.build

    layer = Scaled(0.0)
    layer(X)
    assert paths(layer) == ["scaled/scale"]


def test_without_autocast_inputs_keep_their_dtype():
    def dtype(layer, of, **settings):
        return layer(**settings)(mg.ones([1, 2], of)).dtype.name

    class Second(keras.layers.Layer):
        def call(self, x, y):
            return y

    wide, narrow = mg.float64, mg.float16
    assert keras.layers.ReLU().autocast and dtype(keras.layers.ReLU, wide) == dtype(keras.layers.ReLU, narrow) == "float32"
    assert dtype(keras.layers.ReLU, wide, autocast=False) == "float64"
    assert Second(autocast=False)(mg.ones([1]), y=np.ones([1])).dtype == mg.float64
    dense = lambda of, kept=None: dtype(keras.layers.Dense, of, units=1, autocast=False, dtype=kept)
    assert [dense(wide), dense(wide, "float16"), dense(narrow), dense(narrow, "float16")] == ["float64"] * 2 + ["float32", "float16"]
    assert dense(mg.int32) == "float32"


def test_an_input_comes_before_the_first_layer_of_a_sequential():
    Dense, Input = keras.layers.Dense, keras.Input
    for items in ([Dense(2), Input([3])], [Dense(2), keras.layers.InputLayer([3]), Dense(2)]):
        with pytest.raises(ValueError, match=r"single positional argument.* An Input has none: it comes before the first layer\."):
            keras.Sequential(items)
    with pytest.raises(ValueError, match=r"already been configured to use input shape \(None, 3\)"):
        keras.Sequential([Input([3]), Dense(2), Input([2])])
    assert keras.Sequential([Input([3]), Dense(2)]).built


def test_building_a_sequential_makes_the_weights_of_its_layers():
    inner = keras.Sequential([keras.layers.Dense(2), keras.layers.BatchNormalization()], name="inner")
    model = keras.Sequential([inner, keras.layers.Dropout(0.5), Scale()], name="model")
    with mg.GradientTape() as tape:
        model.build((None, 3))
    assert tape.watched_variables() == ()
    expected = [f"model/inner/dense/{name}" for name in ("kernel", "bias")]
    expected += [f"model/inner/batch_normalization/{name}" for name in ("gamma", "beta", "moving_mean", "moving_variance")]
    expected += ["seed_generator/seed_generator_state", "model/scale/scale"]
    assert model.built and paths(model) == expected
    close(inner.layers[1].moving_variance, [1.0, 1.0])
    close(model.layers[1].seeds[1], 0)
    model(mg.ones([2, 3]))
    model.build((None, 3))
    assert paths(model) == expected
    model.add(keras.layers.Dense(7, name="last"))
    assert paths(model)[-2:] == ["model/last/kernel", "model/last/bias"]


def test_a_sequential_without_layers_cannot_be_built():
    for use in (lambda model: model.build((None, 3)), lambda model: model(X)):
        with pytest.raises(ValueError, match="cannot be built because it has no layers"):
            use(keras.Sequential())
    model = keras.Sequential([keras.layers.Dense(1)])
    model.build()  # as in Keras: there is nothing to build for, so the first call does it
    assert model.variables == [] and model(X).shape == (3, 1)


def test_batch_normalization_learns_moving_averages_and_uses_them():
    layer, weights = keras.layers.BatchNormalization(), mg.constant([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]])
    with mg.GradientTape() as tape:
        tape.watch(X)
        y = layer(X, training=True)
        z = mg.reduce_sum(y * weights)
    dx, d_gamma, d_beta = tape.gradient(z, [X, *layer.trainable_variables])
    close(y, [[0.0, -1.2976177], [1.2245152, 0.1622024], [-1.2245153, 1.1354156]])
    close(dx, [[-0.2040859, -0.3329006], [0.1023871, 0.8323484], [0.1016987, -0.4994476]])
    close(d_gamma, [3.6735461, -0.8110098])
    close(d_beta, [4.0, 7.0])
    close(layer.moving_mean, [0.01, 0.0466667])
    close(layer.moving_variance, [1.0166667, 1.0322223])
    close(layer(X), [[0.9813691, 1.9216731], [2.9639332, 4.8730474], [-1.0011948, 6.840631]])
    assert [v.name for v in layer.non_trainable_variables] == ["moving_mean", "moving_variance"]


def test_layer_normalization_and_dropout():
    close(keras.layers.LayerNormalization()(X), [[-0.998006, 0.998006], [-0.9995003, 0.9995003], [-0.9999688, 0.9999688]])
    drop = keras.layers.Dropout(0.5, seed=1)
    close(drop(mg.ones([2, 4]), training=True), [[2, 0, 2, 0], [0, 0, 0, 2]])
    close(drop(mg.ones([2, 4]), training=True), [[0, 0, 0, 0], [0, 0, 2, 2]])
    close(drop(X), X)


def test_training_reaches_the_layers_inside():
    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.norm = keras.layers.BatchNormalization()

        def call(self, x):
            return self.norm(x)

    model = Model()
    close(mg.reduce_mean(model(X, training=True), 0), [0.0, 0.0], atol=1e-6)
    assert not np.allclose(mg.reduce_mean(model(X), 0).numpy(), 0.0)


def test_embeddings_have_sparse_gradients():
    layer = keras.layers.Embedding(5, 2)
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(layer(mg.constant([[1, 2, 1]])))
    (dx,) = tape.gradient(y, layer.trainable_variables)
    assert isinstance(dx, mg.IndexedSlices)
    close(mg.convert_to_tensor(dx), [[0, 0], [2, 2], [1, 1], [0, 0], [0, 0]])


def test_small_layers():
    close(keras.layers.Flatten()(mg.ones([2, 3, 4])).shape, (2, 12))
    close(keras.layers.Reshape((2, 1))(X).shape, (3, 2, 1))
    close(keras.layers.Activation("relu")(X), np.maximum(X, 0))
    close(keras.layers.ReLU(max_value=6.0)(X), np.clip(X, 0, 6))
    close(keras.layers.Lambda(lambda x: x + 1)(X), X.numpy() + 1)


def test_a_lambda_takes_arguments_and_is_told_of_training():
    close(keras.layers.Lambda(lambda x: x + 1, output_shape=(2,))(X), X.numpy() + 1)
    close(keras.layers.Lambda(lambda x, by: x * by, None, None, {"by": 3.0})(X), X.numpy() * 3)
    layer = keras.layers.Lambda(lambda x, training: -x if training else x)
    close(layer(X, training=True), -X.numpy())
    close(layer(X), X)


def test_weights_are_found_in_attributes_and_frozen():
    class Model(keras.Model):
        def __init__(self):
            super().__init__(name="model")
            self.z, self.a = keras.layers.Dense(2), keras.layers.Dense(1)
            self.rest = [keras.layers.BatchNormalization()]
            self.scale = self.add_weight(shape=(), initializer="ones", name="scale")
            self.ignored = mg.Variable(1.0)  # as in Keras: only its own Variables count

        def call(self, x):
            return self.a(self.rest[0](self.z(x))) * self.scale

    model = Model()
    model(X)
    assert [v.path for v in model.variables] == [
        "model/scale", "model/dense/kernel", "model/dense/bias", "model/dense_1/kernel", "model/dense_1/bias",
        "model/batch_normalization/gamma", "model/batch_normalization/beta", "model/batch_normalization/moving_mean",
        "model/batch_normalization/moving_variance",
    ]  # fmt: skip
    assert [layer.name for layer in model.layers] == ["dense", "dense_1", "batch_normalization"]
    model.trainable = False
    assert model.trainable_variables == []
    model.trainable = True
    assert len(model.trainable_variables) == 7
    model.z.trainable = False
    assert [v.path for v in model.non_trainable_variables][:2] == ["model/dense/kernel", "model/dense/bias"]


def test_a_sequential_with_an_input_is_built_at_once():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2), keras.layers.Dense(1)])
    assert [v.shape for v in model.weights] == [(3, 2), (2,), (2, 1), (1,)]
    model.set_weights([np.ones(v.shape) for v in model.weights])
    close(model(mg.ones([1, 3])), [[9.0]])
    seen = []
    keras.Sequential([keras.Input((None, 3)), keras.layers.Lambda(lambda x: seen.append(tuple(x.shape)) or x)])
    assert seen == [(1, 4, 3), (2, 16, 3)]


L = keras.layers
OPEN = [  # what follows the Input, with the shapes of its output and of the weights
    ((None, None, 3), lambda: [L.Conv2D(2, 3), L.GlobalAveragePooling2D()], [(None, None, None, 2), (None, 2)], [(3, 3, 3, 2), (2,)]),
    ((None, None, 1), lambda: [L.MaxPooling2D(2), L.UpSampling2D(3), L.ZeroPadding2D(1)], [(None, None, None, 1)] * 3, []),
    ((None,), lambda: [L.Embedding(5, 4), L.Conv1D(2, 3), L.GlobalMaxPooling1D()], [(None, None, 4), (None, None, 2), (None, 2)],
     [(5, 4), (3, 4, 2), (2,)]),
    ((None, 2), lambda: [L.Reshape((-1, 4)), L.Reshape((3, 5))], [(None, None, 4), (None, 3, 5)], []),
    ((None, None, 1), lambda: [L.AveragePooling2D(8), keras.Sequential([L.SeparableConv2D(2, 20)]), L.Flatten()],
     [(None, None, None, 1), (None, None, None, 2), (None, None)], [(20, 20, 1, 1), (1, 1, 1, 2), (2,)]),
    ((None, 3), lambda: [Late(inner=L.Conv1D(2, 5)), L.Lambda(lambda x: x[:, 3:])], [(None, None, 2)] * 2, [(5, 3, 2), (2,)]),
    ((None, 2, 2, None, 2), lambda: [L.Reshape((-1,))], [(None, None)], []),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "made", "outputs", "weights"), OPEN)
def test_a_sequential_is_built_for_inputs_of_any_length(shape, made, outputs, weights):
    inner = made()
    model = keras.Sequential([keras.Input(shape), *inner])
    assert [v.shape for v in model.weights] == weights
    assert [model._output_shapes()[id(layer)] for layer in inner] == outputs
    assert model.output_shape == model.compute_output_shape((None, *shape)) == outputs[-1]
    told = []
    model.summary(print_fn=told.append)
    assert all(str(one) in told[0] for one in outputs)
    later = keras.Sequential(made())
    later.build((None, *shape))
    assert [v.shape for v in later.weights] == weights


def test_what_has_a_weight_for_each_place_needs_its_length():
    for inner in (L.Dense(1), L.BatchNormalization()):
        with pytest.raises(ValueError, match="no `None` dimensions"):
            keras.Sequential([keras.Input((3, None)), L.Flatten(), inner])


@pytest.mark.parametrize("shape", [(1, 1, 1), (None, 1, 1)])
@pytest.mark.parametrize("pool", [L.MaxPooling2D, L.AveragePooling2D])
def test_a_window_has_a_place(pool, shape):
    text = r"Computed output size would be zero or negative\. Received: inputs_shape=.*, pool_size=\(2, 2\)"
    with pytest.raises(ValueError, match=text):
        keras.Sequential([keras.Input(shape), pool(2), L.Flatten(), L.Dense(1)])
    with pytest.raises(ValueError, match=text):
        pool(2).compute_output_shape((None, *shape))
    with pytest.raises(ValueError, match=text):
        pool(2)(mg.ones((2, 3, 1, 1)))
    assert pool(2, padding="same").compute_output_shape((None, 1, 1, 1)) == (None, 1, 1, 1)


class Counting(keras.layers.Layer):
    """Assigns to a Variable, to a weight and to a global Variable, and asserts and prints something."""

    everywhere = mg.Variable(0.0)

    def __init__(self, inner=None):
        super().__init__()
        self.calls, self.inner = [mg.Variable(0.0)], inner

    def build(self, input_shape):
        self.count = self.add_weight(shape=(), initializer="zeros", trainable=False)
        self.count.assign_add(10.0)

    def call(self, x):
        for variable in (*self.calls, self.count, self.everywhere):
            variable.assign_add(1.0)
        self.add_loss(mg.reduce_sum(x))
        for check in (
            mg.debugging.assert_positive,
            lambda x: mg.debugging.check_numerics(1.0 / x, "x"),
            lambda x: mg.debugging.Assert(x[0, 0] > 0, [x]),
        ):
            check(x)
        mg.debugging.assert_near(x, 1.0)
        mg.debugging.assert_greater(x, 0.0)
        mg.print("counted", self.calls[0])
        return x

    def values(self):
        return [float(one.numpy()) for one in (*self.calls, self.count, self.everywhere)]


@pytest.mark.parametrize("length", [2, None])
def test_building_a_sequential_changes_no_state_and_asserts_nothing(length, capfd):
    counting = Counting()
    around = Late(inner=Counting())
    before = Counting.everywhere.numpy()
    model = keras.Sequential([keras.Input((length,)), counting, around])
    model.summary(print_fn=str)
    for one in (counting, around.inner):
        assert one.values() == [0.0, 10.0, before]
    assert (model.losses, capfd.readouterr().err) == ([], "")
    model(mg.ones([1, 2]))
    assert counting.values() == [1.0, 11.0, before + 2]
    assert capfd.readouterr().err == "counted 1\ncounted 1\n"
    with pytest.raises(mg.errors.InvalidArgumentError, match="Condition x > 0 did not hold"):
        model(mg.zeros([1, 2]))


def test_a_checkpoint_restores_what_is_built_later(tmp_path):
    first = keras.Sequential([keras.Input((2,)), Late(inner=L.Dense(1))])
    path = mg.train.Checkpoint(model=first).write(str(tmp_path / "first"))
    later = keras.Sequential([Late(inner=L.Dense(1))])
    mg.train.Checkpoint(model=later).read(path)
    later.build((None, 2))
    close(later.weights[0], first.weights[0])


def test_a_layer_that_tells_the_shape_of_its_output_is_not_called_for_it():
    class Telling(L.Layer):
        def call(self, x):
            raise RuntimeError("called")

        def compute_output_shape(self, input_shape):
            return (*input_shape[:-1], 7)

    model = keras.Sequential([keras.Input((None, 3)), Telling(), L.Dense(1)])
    assert (model.layers[1].kernel.shape, model.output_shape) == ((7, 1), (None, None, 1))


def test_the_layers_of_a_sequential_are_called_once_to_be_built_and_hear_of_the_dtype():
    seen = []
    inner = [L.Lambda(lambda x: seen.append(x.dtype) or mg.one_hot(x, 3)), L.Lambda(lambda x: [x, x]), L.Concatenate(), L.Dense(1)]
    model = keras.Sequential([keras.Input((), dtype="int32"), *inner])
    assert (seen, model.layers[-1].kernel.shape) == ([mg.int32], (6, 1))
    assert model.output_shape == (None, 1)


def test_a_layer_that_returns_nothing_is_found_by_the_next():
    for length in (3, None):
        with pytest.raises(ValueError, match=r"Inputs to a layer should be tensors\. Got 'None'"):
            keras.Sequential([keras.Input((length, 3)), L.Lambda(lambda x: None), L.Dense(1)])


@pytest.mark.parametrize("first", [[keras.Input((3, 1))], []])
def test_a_sequential_adds_and_drops_a_last_axis_of_length_1_and_refuses_other_ranks(first):
    model = keras.Sequential([*first, keras.layers.Flatten(), keras.layers.Dense(1, kernel_initializer="ones")])
    for shape in [(2, 3, 1), (2, 3), (2, 3, 1, 1)]:
        close(model(mg.ones(shape)), [[3.0], [3.0]])
    with pytest.raises(ValueError, match=r"Invalid input shape for input \[1. 1. 1.\] with name 'keras_tensor' and path ''") as raised:
        model(mg.ones([3]))
    assert f"Expected shape {(None if first else 2, 3, 1)}, but input has incompatible shape (3,)" in str(raised.value)


def test_a_sequential_takes_the_first_tensor_of_a_list_with_a_warning_and_that_of_a_dict_by_the_name_of_its_input():
    model = keras.Sequential([keras.Input((3,), name="q"), keras.layers.Dense(1, kernel_initializer="ones")])
    structure = r"The structure of `inputs` doesn't match the expected structure.\nExpected: q\nReceived: inputs="
    for inputs in [[mg.ones([1, 3])], (mg.ones([1, 3]), mg.zeros([1, 3]))]:
        with pytest.warns(UserWarning, match=structure):
            close(model(inputs), [[3.0]])
    close(model({"q": mg.ones([1, 3])}), [[3.0]])
    with pytest.raises(ValueError, match=structure + r"{'x': 'Tensor\(shape=\(1, 3\)\)'}"):
        model({"x": mg.ones([1, 3])})


def test_a_sequential_whose_first_layer_takes_several_inputs_hands_them_on():
    model = keras.Sequential([keras.layers.Add()])
    assert model([mg.ones([2]), mg.ones([2])]).numpy().tolist() == [2.0, 2.0]


SLOTS = [
    (keras.optimizers.Adam(amsgrad=True), ["a_momentum", "a_velocity", "b_momentum", "b_velocity", "a_velocity_hat", "b_velocity_hat"]),
    (keras.optimizers.RMSprop(momentum=0.5, centered=True),
     ["a_velocity", "b_velocity", "a_momentum", "b_momentum", "a_average_gradient", "b_average_gradient"]),
]  # fmt: skip


@pytest.mark.parametrize(("optimizer", "names"), SLOTS)
def test_the_slots_of_an_optimizer_are_made_in_kerass_order(optimizer, names):
    optimizer.build([keras.Variable([1.0], name=name) for name in "ab"])
    assert [variable.name for variable in optimizer.variables][2:] == names


def test_an_optimizer_makes_variables_of_several_names_variable_by_variable():
    optimizer, variables = keras.optimizers.SGD(), [keras.Variable([1.0], name=name) for name in "ab"]
    made = optimizer.add_optimizer_variables(variables, ["m", "v"], ["zeros", "ones"])
    assert [[one.name for one in column] for column in made] == [["a_m", "b_m"], ["a_v", "b_v"]]
    assert [one.name for one in optimizer.variables][2:] == ["a_m", "a_v", "b_m", "b_v"]
    assert [float(one.numpy()[0]) for one in optimizer.variables[2:]] == [0.0, 1.0, 0.0, 1.0]
    assert optimizer.add_optimizer_variables([], ["m", "v"]) == ([], [])


def test_float_inputs_are_cast_to_the_dtype_of_the_layer():
    layer = keras.layers.Dense(2)
    for x in (np.ones((1, 2)), mg.ones([1, 2], mg.float64), mg.constant([[1, 1]]), mg.Variable([[1.0, 1.0]])):
        assert layer(x).dtype == mg.float32
    assert keras.layers.Dense(2, dtype="float64")(X).dtype == mg.float64


LAYER_ERRORS = [
    (lambda: keras.layers.Dense(0), ValueError, "Received an invalid value for `units`, expected a positive integer"),
    (lambda: keras.layers.Dense(2, foo=1), ValueError, "Unrecognized keyword arguments passed to Dense: {'foo': 1}"),
    (lambda: keras.layers.Dense(2, activation="foo"), ValueError, "Could not interpret activation function identifier: foo"),
    (lambda: keras.layers.Dense(2, kernel_initializer="foo"), ValueError, "Could not interpret initializer identifier: foo"),
    (lambda: keras.layers.Dense(2)(mg.constant([1.0])), ValueError, "expected min_ndim=2, found ndim=1"),
    (lambda: keras.layers.Dense(2)([[1.0]]), ValueError, "Only input tensors may be passed as positional arguments"),
    (lambda: keras.Sequential([1]), ValueError, "Only instances of `keras.Layer` can be added"),
    (lambda: keras.layers.Dense(1)(None), ValueError, "Inputs to a layer should be tensors. Got 'None' .* as input for layer 'dense'"),
    (lambda: keras.layers.Dense(1)(inputs=None), ValueError, "Inputs to a layer should be tensors. Got 'None'"),
    (lambda: keras.layers.Dense(1)([X, X]), ValueError, "Inputs to a layer should be tensors"),
    (lambda: keras.layers.Flatten()(None), ValueError, "Inputs to a layer should be tensors. Got 'None' .* as input for layer 'flatten'"),
    (lambda: keras.layers.Flatten()(mg.constant(1.0)), ValueError, "layer 'flatten' .* expected min_ndim=1, found ndim=0"),
    (lambda: keras.layers.ReLU()(None), ValueError, "Attempt to convert a value .None."),
    (lambda: keras.layers.BatchNormalization()(None), TypeError, "'NoneType' object is not subscriptable"),
    (lambda: keras.layers.Add()(None), ValueError, "A merge layer should be called on a list of inputs. Received: input_shape=None"),
    (lambda: keras.layers.Add()([X, None]), ValueError, r"Received: input_shape=\[\(3, 2\), None\] \(not a list of shapes\)"),
    (lambda: keras.layers.Dense(2).kernel, AttributeError, "You must build the layer before accessing `kernel`"),
    (lambda: keras.layers.Dense(2).call(X), AttributeError, "You must build the layer before accessing `kernel`"),
    (lambda: keras.layers.Dense(2).bias, AttributeError, "'Dense' object has no attribute 'bias'"),
    (lambda: keras.layers.Embedding(2, 2).embeddings, AttributeError, "You must build the layer before accessing `embeddings`"),
    (lambda: keras.layers.Embedding(2, 2).call(mg.constant([1])), AttributeError, "You must build the layer before accessing `embeddings`"),
    (lambda: keras.layers.LayerNormalization().gamma, AttributeError, "no attribute 'gamma'"),
    (lambda: keras.layers.BatchNormalization().call(X), ValueError, "Attempt to convert a value .None."),
    (lambda: keras.layers.Layer().add_weight("w"), ValueError, r"`name` must be passed as a keyword argument. .*shape=..., name='w'\)"),
    (lambda: keras.layers.Layer().add_weight("w", shape=(2,)), ValueError, "Received: add_weight.'w', ..."),
    (lambda: keras.layers.Layer().add_weight((2,), shape=(3,)), ValueError, "`shape` was passed both positionally and as a keyword"),
    (lambda: keras.layers.Layer().add_weight((), None, None, True), TypeError, "takes at most 3 positional arguments but 4 were given"),
    (lambda: keras.layers.Layer().add_weight(shape=3), ValueError, r"Cannot convert '3' to a shape. Write shape=\(3,\)"),
]


@pytest.mark.parametrize(("use", "error", "message"), LAYER_ERRORS)
def test_layer_errors(use, error, message):
    with pytest.raises(error, match=message):
        use()


def test_what_an_unbuilt_layer_has_not_yet_is_none_where_it_is_in_keras():
    unbuilt = keras.layers.BatchNormalization()
    assert [unbuilt.gamma, unbuilt.beta, unbuilt.moving_mean, unbuilt.moving_variance] == [None] * 4
    dense, norm = keras.layers.Dense(1, use_bias=False), keras.layers.LayerNormalization(center=False)
    dense(X), norm(X)
    assert dense.bias is None and norm.beta is None


def test_none_stands_for_an_input_that_is_not_there():
    class Masked(keras.layers.Layer):
        def build(self, shape):
            self.seen = shape

        def call(self, x, weights=None):
            return x["x"] if weights is None else x["x"] * weights

    layer = Masked()
    close(layer({"x": X, "y": None}, None), X)
    assert layer.seen == {"x": (3, 2), "y": None}
    assert keras.layers.Identity()(None) is None and keras.layers.Dropout(0.5)(None) is None


@pytest.mark.parametrize("name", ["a/b", 3, False, b"a"], ids=repr)
def test_a_name_is_a_string_without_slashes(name):
    makers = [
        lambda: keras.layers.Layer(name=name), lambda: keras.layers.Dense(1, name=name), lambda: keras.layers.ReLU(name=name),
        lambda: keras.Sequential([], name=name), lambda: keras.Input((2,), name=name),
    ]  # fmt: skip
    for make in makers:
        with pytest.raises(ValueError, match="Argument `name` must be a string and cannot contain character `/`") as caught:
            make()
        assert f"name={name} (of type {type(name)})" in str(caught.value)


@pytest.mark.parametrize("first", [[], [keras.Input((2,))]])
def test_layers_of_one_name_do_not_stand_in_one_row(first):
    text = "All layers added to a Sequential model should have unique names. Name 'a' is already the name of a layer in this model"
    with pytest.raises(ValueError, match=text):
        keras.Sequential([*first, keras.layers.Dense(3, name="a"), keras.layers.Dense(3, name="a")])
    model, shared = keras.Sequential(first), keras.layers.Dense(2, name="a")
    model.add(shared)
    with pytest.raises(ValueError, match=text):
        model.add(keras.layers.ReLU(name="a"))
    assert model.layers == [shared]
    model.add(shared)  # the same one again is no other layer
    assert model(X).shape == (3, 2)


def test_an_input_of_another_width_is_refused():
    layer = keras.layers.Dense(2)
    layer(X)
    with pytest.raises(ValueError, match="expected axis -1 of input shape to have value 2"):
        layer(mg.ones([1, 3]))


# ---- variables -----------------------------------------------------------------------------------------------------


def test_a_keras_variable_computes_like_a_variable_and_prints_its_path():
    v = keras.Variable([1.0, 2.0], name="v")
    assert repr(v) == "<Variable path=v, shape=(2,), dtype=float32, value=[1. 2.]>"
    assert v.dtype == "float32"
    for result, expected in ((v + 1, [2, 3]), (1 - v, [0, -1]), (v**2, [1, 4]), (-v, [-1, -2]), (v[1], 2), (mg.constant(2.0) * v, [2, 4])):
        assert isinstance(result, mg.Tensor)
        close(result, expected)
    close(v.assign_add([1.0, 1.0]), [2.0, 3.0])
    close(v, [2.0, 3.0])
    with pytest.raises(ValueError, match="The shape of the target variable and the shape of the target value"):
        v.assign([1.0])
    with pytest.raises(TypeError, match="cannot be used as a boolean"):
        bool(v)


def test_keras_variables_are_sources_of_every_kind_of_derivative():
    v = keras.Variable([1.0, 2.0])
    with mg.GradientTape(persistent=True) as tape:
        y = v * v
    close(tape.gradient(y, {"v": v})["v"], [2.0, 4.0])
    close(tape.jacobian(y, v), [[2.0, 0.0], [0.0, 4.0]])
    unused = keras.Variable(1.0)
    assert tape.gradient(y, unused) is None
    close(tape.gradient(y, unused, unconnected_gradients="zero"), 0.0)


# ---- initializers --------------------------------------------------------------------------------------------------

FIRST_VALUES = {
    "GlorotUniform": [[-1.0732359, 0.81242], [1.1600224, -0.3802814]],
    "GlorotNormal": [[0.9310352, 0.1540289], [-0.1043257, 0.7289894]],
    "HeNormal": [[1.3166826, 0.2178297], [-0.1475388, 1.0309467]],
    "HeUniform": [[-1.5177847, 1.1489354], [1.6405193, -0.5377991]],
    "LecunNormal": [[0.9310352, 0.1540289], [-0.1043257, 0.7289894]],
    "LecunUniform": [[-1.0732359, 0.81242], [1.1600224, -0.3802814]],
    "RandomNormal": [[-0.1027689, 0.0579094], [0.0095804, -0.0064889]],
    "RandomUniform": [[-0.0438147, 0.0331669], [0.0473577, -0.0155249]],
    "TruncatedNormal": [[0.0579094, 0.0095804], [-0.0064889, 0.0453424]],
}


@pytest.mark.parametrize("name", FIRST_VALUES)
def test_initializers(name):
    initializer = getattr(keras.initializers, name)(seed=5)
    close(initializer((2, 2)), FIRST_VALUES[name], rtol=1e-5, atol=1e-7)
    close(initializer((2, 2)), FIRST_VALUES[name], rtol=1e-5, atol=1e-7)
    assert initializer((2,), dtype="float64").dtype == mg.float64


def test_each_initializer_has_a_seed_of_its_own():
    keras.utils.set_random_seed(1)
    a, b = keras.initializers.get("glorot_uniform"), keras.initializers.get("glorot_uniform")
    assert not np.allclose(a((2, 2)).numpy(), b((2, 2)).numpy())


# ---- losses --------------------------------------------------------------------------------------------------------

Y = mg.constant([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
P = mg.constant([[0.2, 0.3, 0.5], [0.9, 0.05, 0.05]])
LOSSES = [
    ("mean_squared_error", Y, {}, [0.26, 0.005], [0.1333333, -0.4666666, 0.3333334]),
    ("mean_absolute_error", Y, {}, [0.4666666, 0.0666667], [0.3333333, -0.3333334, 0.3333333]),
    ("huber", Y, {"delta": 0.3}, [0.0966667, 0.0025], [0.0666667, -0.1, 0.1]),
    ("binary_crossentropy", Y, {}, [0.7067545, 0.0693157], [0.4166667, -1.1111112, 0.6666667]),
    ("binary_crossentropy", Y, {"from_logits": True}, [0.7755236, 0.592691], [0.183278, -0.1418525, 0.2074864]),
    ("binary_crossentropy", Y, {"label_smoothing": 0.1}, [0.7157378, 0.2040841], [0.3125, -1.0317459, 0.6]),
    ("categorical_crossentropy", Y, {}, [1.2039728, 0.1053606], [1.0, -2.3333333, 1.0]),
    ("categorical_crossentropy", Y, {"from_logits": True}, [1.1398311, 0.6177929], [0.2894331, -0.6801269, 0.3906938]),
    ("categorical_crossentropy", Y, {"label_smoothing": 0.1}, [1.2004609, 0.298052], [0.8333334, -2.1111112, 0.9333335]),
    ("sparse_categorical_crossentropy", [1, 0], {}, [1.2039728, 0.1053606], [0.9999999, -2.3333335, 1.0]),
    ("sparse_categorical_crossentropy", [1, 0], {"from_logits": True}, [1.1398311, 0.6177929], [0.2894331, -0.6801269, 0.3906938]),
]


@pytest.mark.parametrize(("name", "truth", "settings", "expected", "slope"), LOSSES)
def test_losses_and_their_classes(name, truth, settings, expected, slope):
    function = getattr(keras.losses, name)
    made, truth = getattr(keras.losses, "".join(word.title() for word in name.split("_"))), mg.constant(truth)
    with mg.GradientTape() as tape:
        tape.watch(P)
        loss = function(truth, P, **settings)
        total = mg.reduce_sum(loss)
    close(loss, expected)
    close(tape.gradient(total, P)[0], slope)
    close(made(**settings)(truth, P), np.mean(expected))
    close(made(reduction="sum", **settings)(truth, P), np.sum(expected))
    close(made(reduction=None, **settings)(truth, P), expected)
    close(made(**settings)(truth, P, sample_weight=[1.0, 3.0]), (expected[0] + 3 * expected[1]) / 2)


COUNTS = mg.constant([[0.5, 1.0, -2.0], [1.0, 3.0, 0.25]])
FURTHER_LOSSES = [
    ("mape", "MeanAbsolutePercentageError", COUNTS, [85.0, 62.77778], [-66.66666, -33.33333, 16.66667]),
    ("msle", "MeanSquaredLogarithmicError", COUNTS, [0.1332563, 0.6073159], [-0.1239686, -0.2209143, 0.1802067]),
    ("logcosh", "LogCosh", COUNTS, [0.6950598, 0.7614828], [-0.09710422, -0.2014559, 0.3288714]),
    ("hinge", "Hinge", Y, [1.133333, 0.7333333], [0.3333333, -0.3333333, 0.3333333]),
    ("squared_hinge", "SquaredHinge", Y, [1.393333, 0.7383332], [0.8000001, -0.4666667, 1.0]),
    ("categorical_hinge", "CategoricalHinge", Y, [1.2, 0.15], [0.0, -1.0, 1.0]),
    ("kld", "KLDivergence", Y, [1.20397, 0.1053579], [-5e-07, -3.333333, -2e-07]),
    ("poisson", "Poisson", COUNTS, [0.5407991, 3.613828], [-0.4999996, -0.7777774, 1.666666]),
    ("cosine_similarity", "CosineSimilarity", Y, [-0.4866643, -0.9969278], [0.2561392, -1.238006, 0.6403479]),
]


@pytest.mark.parametrize(("name", "kind", "truth", "expected", "slope"), FURTHER_LOSSES)
def test_further_losses_and_their_classes(name, kind, truth, expected, slope):
    with mg.GradientTape() as tape:
        tape.watch(P)
        loss = getattr(keras.losses, name)(truth, P)
    close(loss, expected)
    close(tape.gradient(loss, P)[0], slope, atol=1e-7)
    made = getattr(keras.losses, kind)
    close(made()(truth, P), np.mean(expected))
    close(made(reduction="sum")(truth, P), np.sum(expected))
    close(keras.losses.get(kind)(truth, P, sample_weight=[1.0, 3.0]), (expected[0] + 3 * expected[1]) / 2)
    assert keras.losses.get(made().name) is getattr(keras.losses, name)


def test_a_hinge_takes_zero_for_minus_one_if_nothing_else_is_there():
    guess = [[0.5, -2.0]]
    close(keras.losses.hinge([[0.0, 1.0]], guess), keras.losses.hinge([[-1.0, 1.0]], guess))
    close(keras.losses.hinge([[0.0, 2.0]], guess), [3.0])


def test_errors_relative_to_whole_numbers():
    close(keras.losses.mape([1, 2], [1, 3]), 25.0)
    close(keras.losses.msle([1, 2], [1, 3]), 0.04138, atol=1e-5)


def test_a_generalized_crossentropy_takes_lists():
    close(keras.losses.categorical_generalized_cross_entropy([1, 0], [[0.25, 0.75], [0.25, 0.75]], 0.5), 2 - 2 * np.sqrt([0.75, 0.25]))


ORDER_OF_SETTINGS = {
    "CosineSimilarity": ["axis", "reduction", "name", "dtype"],
    "Hinge": ["reduction", "name", "dtype"],
    "MeanSquaredError": ["reduction", "name", "dtype"],
    "MeanAbsoluteError": ["reduction", "name", "dtype"],
    "Huber": ["delta", "reduction", "name", "dtype"],
    "BinaryCrossentropy": ["from_logits", "label_smoothing", "axis", "reduction", "name", "dtype"],
    "CategoricalCrossentropy": ["from_logits", "label_smoothing", "axis", "reduction", "name", "dtype"],
    "SparseCategoricalCrossentropy": ["from_logits", "ignore_class", "reduction", "axis", "name", "dtype"],
}


@pytest.mark.parametrize("name", ORDER_OF_SETTINGS)
def test_losses_take_their_settings_in_the_order_of_keras(name):
    assert list(inspect.signature(getattr(keras.losses, name)).parameters) == ORDER_OF_SETTINGS[name]


def test_settings_of_losses_may_be_given_by_position():
    close(keras.losses.Huber(2.0)([0.0], [5.0]), 8.0)
    close(keras.losses.Huber(0.3, "sum")(Y, P), 0.0991667)
    close(keras.losses.BinaryCrossentropy(True)(Y, P), 0.6841073)
    close(keras.losses.BinaryCrossentropy(False, 0.1, 0)(Y, P), 0.4599109)
    close(keras.losses.CategoricalCrossentropy(True, 0.1, -1, "sum")(Y, P), 1.8109577)
    close(keras.losses.CategoricalCrossentropy(False, 0.1, 0, None)(Y, P), [0.24412, 0.20874, 0.08311], atol=1e-5)
    close(keras.losses.SparseCategoricalCrossentropy(True, None, "sum")(mg.constant([1, 0]), P), 1.757624)
    close(keras.losses.MeanSquaredError("sum")(Y, P), 0.265)


def test_losses_have_the_names_of_keras():
    class OwnLoss(keras.losses.Loss):
        pass

    assert [loss.name for loss in (OwnLoss(), OwnLoss(), OwnLoss("x"))] == ["own_loss", "own_loss_1", "x"]
    assert (keras.losses.Huber().name, keras.losses.MeanSquaredError(name="x").name) == ("huber_loss", "x")


def test_a_class_can_be_ignored():
    made, truth = keras.losses.SparseCategoricalCrossentropy, mg.constant([1, 255])
    close(keras.losses.sparse_categorical_crossentropy(truth, P, False, 255), [1.2039728, 0.0])
    for reduction in ("sum_over_batch_size", "sum", "mean_with_sample_weight"):
        close(made(True, 255, reduction)(truth, P), 1.1398311)
    close(made(True, 255)(truth, P, [2.0, 3.0]), 2.2796622)
    close(made(True, 255, "mean_with_sample_weight")(truth, P, [2.0, 3.0]), 1.1398311)
    close(made(True, 255, None)(mg.constant([[1], [255]]), P), [1.1398311, 0.0])
    close(made(True, 255)(mg.constant([255, 255]), P), 0.0)
    unknown = mg.constant([[0.2, 0.3, 0.5], [np.nan, np.nan, np.nan]])
    with mg.GradientTape() as tape:
        tape.watch(unknown)
        loss = made(False, 255)(truth, unknown)
    close(tape.gradient(loss, unknown), [[1.0, -2.3333333, 1.0], [0.0, 0.0, 0.0]])


def test_losses_of_whole_numbers_are_means_in_floats():
    for loss, expected in [(keras.losses.MSE, 2.5), (keras.losses.MAE, 1.5), (keras.losses.huber, 1.0)]:
        found = loss(mg.constant([[1, 2]]), mg.constant([[3, 3]]))
        assert (found.dtype, found.numpy().tolist()) == (mg.float32, [expected])


def test_sparse_classes_are_on_the_last_axis():
    close(keras.losses.sparse_categorical_crossentropy([1, 0], P, axis=1), [1.2039728, 0.1053606])
    with pytest.raises(ValueError, match=r"Only axis=-1 is currently supported\. Received: axis=0"):
        keras.losses.sparse_categorical_crossentropy([1, 0], P, axis=0)


def test_a_loss_sees_through_softmax():
    layer = keras.layers.Dense(2, activation="softmax", kernel_initializer=keras.initializers.Constant([[50.0, -50.0]]), use_bias=False)
    with mg.GradientTape() as tape:
        loss = keras.losses.categorical_crossentropy(mg.constant([[0.0, 1.0]]), layer(mg.constant([[1.0]])))
    close(loss, [100.0])
    close(tape.gradient(loss, layer.kernel), [[1.0, -1.0]])


def test_shapes_of_losses_must_fit():
    with pytest.raises(ValueError, match="must have the same shape"):
        keras.losses.binary_crossentropy([[1.0]], [[1.0, 0.5]])
    with pytest.raises(ValueError, match="must have the same shape up until the last dimension"):
        keras.losses.sparse_categorical_crossentropy([1, 0, 1], P)
    close(keras.losses.mean_squared_error([1.0, 2.0], [[1.0], [4.0]]), [0.0, 4.0])


def test_a_loss_of_no_examples_has_no_examples():
    for loss in (keras.losses.MeanSquaredError(), keras.losses.CategoricalCrossentropy(label_smoothing=0.1)):
        assert loss(mg.zeros([0, 2]), mg.zeros([0, 2])).shape == (0,)
    close(keras.losses.categorical_crossentropy(mg.zeros([2, 0]), mg.zeros([2, 0]), label_smoothing=0.1), [0.0, 0.0])


def test_a_loss_is_given_two_lists_or_two_tensors():
    loss = keras.losses.MeanSquaredError()
    close(loss([1.0, 2.0], [1.0, 3.0]), 0.5)
    close(loss(np.array([1.0, 2.0]), mg.constant([1.0, 3.0])), 0.5)
    for truth, guess in ([1.0, 2.0], mg.constant([1.0, 3.0])), (mg.ones([1]), [1.0]), ([1.0], (1.0,)), ([1], [[0.5, 0.5]]):
        with pytest.raises(ValueError, match=r"don't have the same nested structure: y_true is a .* Write mg\.constant"):
            loss(truth, guess)


def test_binary_crossentropy_has_short_names():
    assert keras.losses.get("bce") is keras.losses.get("BCE") is keras.losses.binary_crossentropy


# ---- optimizers ----------------------------------------------------------------------------------------------------

AFTER_THREE_STEPS = {
    "SGD(0.1)": [0.0098125, -18.0733986],
    "SGD(0.1, momentum=0.9)": [-1.0926876, -27.3043747],
    "SGD(0.1, momentum=0.9, nesterov=True)": [-1.9526556, -161.4024353],
    "SGD(0.1, clipnorm=1.0)": [0.8969514, -2.2815509],
    "SGD(0.1, clipvalue=0.5)": [0.85, -2.15],
    "SGD(0.1, global_clipnorm=1.0)": [0.8969514, -2.2815509],
    "SGD(0.1, weight_decay=0.1)": [-0.0026803, -17.5849419],
    "Adam(0.1)": [0.7018203, -2.3004918],
    "Adam(0.1, amsgrad=True)": [0.7018203, -2.3004918],
    "Adam(schedules.ExponentialDecay(0.1, 2, 0.5))": [0.7801824, -2.2209752],
    "RMSprop(0.1)": [0.3588751, -2.804739],
    "RMSprop(0.1, momentum=0.5, centered=True)": [-0.0237532, -3.2988787],
    "Adagrad(0.1)": [0.7818126, -2.2361922],
}


@pytest.mark.parametrize("made", AFTER_THREE_STEPS)
@pytest.mark.parametrize("kind", [mg.Variable, keras.Variable])
def test_optimizers(made, kind):
    optimizer, v = eval(f"keras.optimizers.{made.replace('schedules', 'keras.optimizers.schedules')}"), kind([1.0, -2.0])
    for _ in range(3):
        with mg.GradientTape() as tape:
            y = mg.reduce_sum(v**3) + mg.reduce_sum(mg.gather(v, [0, 0]))
        steps = optimizer.apply_gradients([(tape.gradient(y, v), v)])
    close(v, AFTER_THREE_STEPS[made], rtol=2e-5, atol=2e-6)
    assert steps.numpy() == optimizer.iterations.numpy() == 3


def test_optimizers_take_the_gradients_of_gather():
    v, optimizer = mg.Variable([1.0, -2.0]), keras.optimizers.Adam(0.1)
    for _ in range(3):
        with mg.GradientTape() as tape:
            y = mg.reduce_sum(mg.gather(v, [0, 0]) ** 3)
        optimizer.apply_gradients([(tape.gradient(y, v), v)])
    close(v, [0.586093, -2.0])


def test_the_learning_rate_can_be_read_and_set():
    optimizer = keras.optimizers.SGD(0.5)
    optimizer.learning_rate = 0.25
    assert repr(optimizer.learning_rate) == "<Variable path=sgd/learning_rate, shape=(), dtype=float32, value=0.25>"
    v = mg.Variable(1.0)
    optimizer.apply_gradients([(mg.constant(2.0), v)])
    assert v.numpy() == 0.5
    assert [x.path for x in keras.optimizers.Adam(0.1).variables] == ["adam/iteration", "adam/learning_rate"]


def test_variables_without_a_gradient_are_left_alone_with_a_warning():
    a, b = mg.Variable(1.0, name="a"), mg.Variable(1.0, name="b")
    with pytest.warns(UserWarning, match=r"Gradients do not exist for variables \['b:0'\]"):
        keras.optimizers.SGD(0.5).apply_gradients([(mg.constant(1.0), a), (None, b)])
    assert (a.numpy(), b.numpy()) == (0.5, 1.0)


def test_optimizer_errors():
    with pytest.raises(ValueError, match="Argument `learning_rate` should be float"):
        keras.optimizers.SGD(1)
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        keras.optimizers.SGD(0.1).apply_gradients([(None, mg.Variable(1.0))])
    with pytest.raises(ValueError, match="Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set"):
        keras.optimizers.SGD(0.1, clipnorm=1.0, clipvalue=1.0)
    with pytest.raises(ValueError, match=r"Argument\(s\) not recognized: {'foo': 1}"):
        keras.optimizers.SGD(0.1, foo=1)
    optimizer = keras.optimizers.SGD(0.1)
    optimizer.apply_gradients([(mg.constant(1.0), mg.Variable(1.0))])
    with pytest.raises(ValueError, match="Unknown variable"):
        optimizer.apply_gradients([(mg.constant(1.0), mg.Variable(1.0))])


def test_gradients_come_in_pairs_with_their_variables():
    v = mg.Variable([1.0])
    optimizer = keras.optimizers.SGD(0.5)
    optimizer.apply_gradients([(mg.constant([1.0]), v)])
    for forgotten in ([mg.constant([1.0])], [v], [(v,)]):
        with pytest.raises(ValueError, match=r"not enough values to unpack \(expected 2, got 1\)"):
            optimizer.apply_gradients(forgotten)
    assert v.numpy() == [0.5]


def test_training_gives_the_losses_of_keras():
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)])
    optimizer, losses = keras.optimizers.SGD(0.05), []
    for _ in range(3):
        with mg.GradientTape() as tape:
            loss = keras.losses.MeanSquaredError()(mg.constant([[1.0], [2.0], [3.0]]), model(X))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        losses.append(float(loss))
    close(losses, [1.5383477, 1.5105848, 5.1890197])


def test_importing_minigrad_does_not_load_keras():
    import subprocess
    import sys

    program = "import sys, minigrad; print([m for m in sys.modules if 'minigrad.' in m and m.split('.')[1] in ('keras', 'data', 'queue')])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_what_is_not_known_is_refused_by_name():
    with pytest.raises(ValueError, match=r"Invalid `mode` argument: fan\. Please use one of 'fan_in', 'fan_out', 'fan_avg'"):
        keras.initializers.VarianceScaling(mode="fan")
    with pytest.raises(ValueError, match="Invalid value for argument `reduction`"):
        keras.losses.MeanSquaredError(reduction="best")
    with pytest.raises(ValueError, match="the `shape` argument should be specified"):
        keras.Variable("zeros")
    with pytest.raises(NotImplementedError, match=r"does not have a `call` method"):
        keras.layers.Layer()(X)
    for unfinished in (keras.losses.Loss(), keras.optimizers.Optimizer(0.1)):
        with pytest.raises(NotImplementedError):
            unfinished.call(X, X) if isinstance(unfinished, keras.losses.Loss) else unfinished.update(1.0, 1.0, {}, 0.1, float)


def test_weights_are_set_all_or_none():
    layer = keras.layers.Dense(1)
    layer(X)
    with pytest.raises(ValueError, match="with a weight list of length 1, but the layer was expecting 2 weights"):
        layer.set_weights([np.ones((2, 1))])
    before = layer.get_weights()
    for values, text in [
        ([np.ones((2, 3)), np.ones(1)], r"Layer dense weight shape \(2, 1\) is not compatible with provided weight shape \(2, 3\)"),
        ([np.ones((2, 1)), np.ones(2)], r"Layer dense weight shape \(1,\) is not compatible with provided weight shape \(2,\)"),
    ]:
        with pytest.raises(ValueError, match=text):
            layer.set_weights(values)
    with pytest.raises(AttributeError, match="'list' object has no attribute 'shape'"):
        layer.set_weights([np.ones((2, 1)), [1.0]])
    for value, old in zip(layer.get_weights(), before):
        np.testing.assert_array_equal(value, old)
    layer.set_weights([mg.ones([2, 1]), np.ones(1)])
    close(layer(X), [[4.0], [9.0], [7.0]])


def test_a_layer_takes_a_dict_and_a_model_loses_its_last_layer():
    class Sum(keras.layers.Layer):
        def build(self, shapes):
            self.seen = shapes

        def call(self, inputs):
            return inputs["a"] + inputs["b"]

    layer = Sum()
    assert layer({"a": X, "b": X}).numpy().tolist() == (X * 2.0).numpy().tolist()
    assert layer.seen == {"a": (3, 2), "b": (3, 2)}
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(4), keras.layers.Dense(1)])
    assert model.pop().units == 1 and model(X).shape == (3, 4)


def test_the_learning_rate_may_be_a_function_and_a_constraint_holds_after_each_step():
    optimizer, v = keras.optimizers.SGD(0.5), mg.Variable(1.0, constraint=lambda x: mg.maximum(x, 0.25))
    optimizer.learning_rate = lambda: 2.0
    optimizer.apply_gradients([(mg.constant(1.0), v)])
    assert v.numpy() == 0.25


def test_weights_in_a_dict_are_found():
    layer = keras.layers.Layer()
    layer.parts = {"w": keras.Variable(1.0), "more": [keras.Variable(2.0)]}
    assert [v.numpy() for v in layer.weights] == [1.0, 2.0]


def test_what_would_be_passed_over_is_refused():
    with pytest.raises(TypeError, match="tranable"):
        mg.keras.Variable(1.0, tranable=False)
    a, b = mg.Variable(1.0), mg.Variable(1.0)
    optimizer = mg.keras.optimizers.SGD()
    optimizer.build([a, b])
    with pytest.raises(ValueError, match="1 gradients for 2 Variables"):
        optimizer.apply([mg.constant(1.0)])


@pytest.mark.parametrize("rows", [[[1, 2], [3, 4]], np.array([[1, 2], [3, 4]], np.float16)])
def test_batch_normalization_computes_in_floats(rows):
    layer = keras.layers.BatchNormalization()
    close(layer(mg.constant(rows)), [[0.9995004, 1.9990007], [2.998501, 3.9980013]])
    close(layer(mg.constant(rows), training=True), [[-0.9995004, -0.9995004], [0.9995004, 0.9995004]])
    close(layer.moving_mean, [0.02, 0.03])


def test_layer_normalization_of_whole_numbers_is_rounded_as_in_keras():
    y = keras.layers.LayerNormalization()(mg.constant([[1, 2, 9]]))
    assert (y.numpy().tolist(), y.dtype) == ([[0.0, 0.0, 1.0]], mg.float32)


@pytest.mark.parametrize(
    ("axis", "shape", "expected"),
    [
        ([2, 1], [2, 3], [[0.0, -0.9180175, -1.1615629], [-0.0562048, 3.0725212, 8.8990703]]),
        ([0, 2], [1, 3], [[0.0, -0.3921643, 2.7451506], [0.0, -0.1017962, 2.5449033]]),
    ],
)
def test_layer_normalization_goes_along_many_axes(axis, shape, expected):
    layer = keras.layers.LayerNormalization(
        axis, gamma_initializer=lambda shape, dtype=None: mg.reshape(mg.range(float(np.prod(shape))), shape)
    )
    x = mg.reshape(mg.range(6.0) ** 2, [1, 2, 3])
    assert layer(x).shape == x.shape
    close(layer(x)[0], expected, rtol=1e-4)
    assert layer.gamma.shape == shape


def test_dense_layers_take_complex_numbers():
    layer, x = keras.layers.Dense(1, kernel_initializer="ones"), mg.constant([[1 + 1j, 2]])
    with mg.GradientTape() as tape:
        y = layer(x)
    assert (y.numpy().tolist(), y.dtype) == ([[3 + 1j]], mg.complex64)
    kernel, bias = tape.gradient(y, layer.trainable_variables)
    assert (kernel.numpy().tolist(), bias.numpy().tolist()) == ([[1.0], [2.0]], [1.0])


def test_ids_below_0_count_from_the_end():
    layer = keras.layers.Embedding(3, 1, keras.initializers.Constant([[0.0], [1.0], [2.0]]))
    with mg.GradientTape() as tape:
        y = layer(mg.constant([-1, 0, -3, 2]))
    assert y.numpy().ravel().tolist() == [2.0, 0.0, 0.0, 2.0]
    assert tape.gradient(y, layer.embeddings).indices.numpy().tolist() == [2, 0, 0, 2]
    with pytest.raises(mg.errors.InvalidArgumentError, match=r"indices\[0\] = -1 is not in \[0, 3\)"):
        layer(mg.constant([-4]))


def test_dropout_of_everything_leaves_no_path():
    x = mg.constant([1.0, 2.0])
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = keras.layers.Dropout(1.0)(x, training=True)
    assert y.numpy().tolist() == [0.0, 0.0]
    assert tape.gradient(y, x) is None
    assert keras.layers.Dropout(1)(mg.constant([1, 2]), training=True).dtype == mg.int32


def test_layers_take_the_settings_of_keras():
    positive = mg.nn.relu
    for layer in (keras.layers.BatchNormalization, keras.layers.LayerNormalization):
        made = layer(beta_constraint=positive, gamma_constraint=positive)
        made.build((1, 2))
        assert made.beta.constraint is made.gamma.constraint is positive
    table = keras.layers.Embedding(2, 1, embeddings_constraint=positive, mask_zero=False)
    table.build()
    assert table.embeddings.constraint is positive
    x = mg.reshape(mg.range(4.0), [1, 2, 2])
    assert keras.layers.Flatten(data_format=None)(x).numpy().tolist() == [[0.0, 1.0, 2.0, 3.0]]
    assert keras.layers.Flatten("channels_first")(x).numpy().tolist() == [[0.0, 2.0, 1.0, 3.0]]


A, B, C, V = [[1.0, 2.0]], [[3.0]], [[[5.0, 6.0]]], [-2.0, 0.0, 3.0]


@pytest.mark.parametrize(
    ("made", "inputs", "expected", "slopes"),
    [
        ("LeakyReLU()", [V], [-0.6, 0.0, 3.0], [[0.3, 0.3, 1.0]]),
        ("LeakyReLU(0.1)", [V], [-0.2, 0.0, 3.0], [[0.1, 0.1, 1.0]]),
        ("ELU()", [V], [-0.8646647, 0.0, 3.0], [[0.1353353, 1.0, 1.0]]),
        ("ELU(0.5)", [V], [-0.4323324, 0.0, 3.0], [[0.0676676, 0.5, 1.0]]),
        ("Identity()", [V], V, [[1.0, 1.0, 1.0]]),
        ("Rescaling(0.5, 1)", [V], [0.0, 1.0, 2.5], [[0.5, 0.5, 0.5]]),
        ("Rescaling([1.0, 2.0], [0, 1])", [A], [[1.0, 5.0]], [[[1.0, 2.0]]]),
        ("Add()", [A, B], [[4.0, 5.0]], [[[1.0, 1.0]], [[2.0]]]),
        ("Add()", [A, C], [[[6.0, 8.0]]], [[[1.0, 1.0]], [[[1.0, 1.0]]]]),
        ("Multiply()", [A, B, C], [[[15.0, 36.0]]], [[[15.0, 18.0]], [[17.0]], [[[3.0, 6.0]]]]),
        ("Concatenate()", [A, B], [[1.0, 2.0, 3.0]], [[[1.0, 1.0]], [[1.0]]]),
        ("Concatenate(0)", [A, A], [[1.0, 2.0], [1.0, 2.0]], [[[1.0, 1.0]], [[1.0, 1.0]]]),
        ("GaussianNoise(0.5, seed=3)", [V], V, [[1.0, 1.0, 1.0]]),
    ],
)
def test_small_layers_have_the_values_and_gradients_of_keras(made, inputs, expected, slopes):
    layer, tensors = eval(f"keras.layers.{made}"), [mg.constant(x) for x in inputs]
    with mg.GradientTape() as tape:
        tape.watch(tensors)
        y = layer(tensors if len(tensors) > 1 else tensors[0])
    close(y, expected)
    for found, slope in zip(tape.gradient(y, tensors), slopes, strict=True):
        close(found, slope)


def test_layers_merge_each_example_with_its_own():
    first, second = mg.constant([[1.0, 2.0], [3.0, 4.0]]), mg.constant([[[3.0, 4.0]], [[5.0, 6.0]]])
    close(keras.layers.Add()([first, second]), [[[4.0, 6.0]], [[8.0, 10.0]]])
    with pytest.raises(ValueError, match=r"should be called on a list of inputs\. Received: input_shape=\(3, 2\)"):
        keras.layers.Add()(X)


@pytest.mark.parametrize(
    ("layer", "shapes", "text"),
    [
        ("Add", [(2, 2), (2, 3)], r"Inputs have incompatible shapes. Received shapes \(2,\) and \(3,\)"),
        ("Multiply", [(2, 3), (2, 4, 2)], r"Received shapes \(4, 2\) and \(3,\)"),
        ("Add", [(2, 2), (3, 2)], "Cannot merge tensors with different batch sizes."),
        ("Multiply", [(2, 2), (1, 2)], r"Received tensors with shapes \[\(2, 2\), \(1, 2\)\]"),
        ("Concatenate", [(2, 2), (3, 2)], "A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis."),
        ("Concatenate", [(2, 2), (2, 2, 2)], r"Received: input_shape=\[\(2, 2\), \(2, 2, 2\)\]"),
        ("Concatenate", [], "A `Concatenate` layer should be called on a list of at least 1 input."),
    ],
)
def test_what_does_not_fit_is_not_merged(layer, shapes, text):
    with pytest.raises(ValueError, match=text):
        getattr(keras.layers, layer)()([mg.ones(shape) for shape in shapes])


@pytest.mark.parametrize("layer", ["Add", "Multiply", "Concatenate"])
def test_layers_merge_numbers_of_several_dtypes(layer):
    whole, real = mg.ones([1, 2], mg.int32), mg.Variable([[1.0, 1.0]])
    assert getattr(keras.layers, layer)()([whole, real]).dtype == mg.float32
    assert getattr(keras.layers, layer)()([whole, mg.cast(whole, mg.int64)]).dtype == mg.int64


def test_the_mask_of_an_input_is_handed_over_but_not_over_one_that_was_given():
    class Told(keras.layers.Layer):
        def call(self, words, others=None, mask=None, others_mask=None):
            self.told = [None if one is None else one.numpy().tolist() for one in (mask, others_mask)]
            return words

    first, second = (keras.layers.Embedding(3, 1, mask_zero=True)(mg.constant([numbers])) for numbers in ([1, 0, 0], [0, 0, 2]))
    layer = Told()
    layer.supports_masking = True
    layer(first, second)
    assert layer.told == [[[True, False, False]], [[False, False, True]]]
    layer(first, mask=mg.constant([[True, True, False]]))
    assert layer.told == [[[True, True, False]], None]


def test_masks_and_logits_are_forgotten_with_their_tensors():
    gc.collect()
    notes = keras.activations.MASKS.by_id, keras.activations.LOGITS.by_id
    before = [len(one) for one in notes]
    made = keras.layers.Masking()(mg.ones([1, 2, 1])), keras.activations.softmax(mg.ones([1, 2]))
    assert [len(one) for one in notes] == [n + 1 for n in before]
    del made
    assert [len(one) for one in notes] == before


def test_softmax_leaves_out_what_is_masked():
    x = mg.constant([[1.0, 2.0], [3.0, 4.0]])
    for mask in (mg.constant([[True, False], [True, True]]), mg.constant([[1, 0], [1, 1]]), mg.constant([[0.6, 0.5], [1.0, 1.0]])):
        close(keras.layers.Softmax()(x, mask=mask), [[1.0, 0.0], [0.2689414, 0.7310586]])
    close(keras.layers.Softmax([0, 1])(x, mask=mg.constant([[True, False]])), [[0.1192029, 0.0], [0.8807971, 0.0]])
    close(keras.layers.Softmax()(x, mask=mg.constant([False])), mg.zeros([2, 2]))
    with pytest.raises(ValueError, match="The `mask` must be broadcastable to `inputs`"):
        keras.layers.Softmax()(x, mask=mg.ones([3]))


def test_dropout_is_for_floats():
    with pytest.raises(ValueError, match=r"`x\.dtype` must be a floating point tensor"):
        keras.layers.Dropout(0.5)(mg.constant([1, 2]), training=True)


def test_rescaling_makes_floats():
    close(keras.layers.Rescaling(1 / 255)(mg.constant([0, 51, 255])), [0.0, 0.2, 1.0])


def test_gaussian_noise_is_that_of_keras():
    layer = keras.layers.GaussianNoise(0.5, seed=3)
    close(layer(mg.zeros([2]), training=True), [-0.3357924, 0.8380252])
    close(layer(mg.zeros([2]), training=True), [-0.58765, -0.25209], atol=1e-5)
    assert paths(layer) == ["seed_generator/seed_generator_state"]
    assert paths(keras.layers.GaussianNoise(0.0)) == []


def test_settings_that_cannot_be_are_refused():
    for problem, made in {
        "The `data_format` argument must be one of": lambda: keras.layers.Flatten("x"),
        "Could not interpret constraint identifier: no_neg": lambda: keras.layers.Dense(1, kernel_constraint="no_neg"),
        "at most one unknown dimension": lambda: keras.layers.Reshape((-1, -1)),
        "The total size of the tensor must be unchanged": lambda: keras.layers.Reshape((3,))(X),
        r"input_shape=\(2,\), target_shape=\(-1, 3\)": lambda: keras.layers.Reshape((-1, 3))(X),
        r"target_shape=\(0, -1\)": lambda: keras.layers.Reshape((0, -1))(X),
        "negative_slope value of a Leaky ReLU layer cannot be None or negative": lambda: keras.layers.LeakyReLU(-1.0),
        r"argument `stddev`\. Expected a float value between 0 and 1": lambda: keras.layers.GaussianNoise(2),
        "You tried to call `count_params` on layer 'dense_1'": lambda: keras.layers.Dense(1).count_params(),
    }.items():
        with pytest.raises(ValueError, match=problem):
            made()
    assert keras.layers.Reshape((-1, 2))(mg.zeros([0, 4])).shape == (0, 2, 2)


def test_layer_normalization_takes_a_variable():
    y = mg.keras.layers.LayerNormalization()(mg.Variable([[1.0, 3.0]]))
    np.testing.assert_allclose(y.numpy(), [[-1.0, 1.0]], atol=1e-3)


# ---- errors and losses of layers -----------------------------------------------------------------------------------


class Calling(keras.layers.Layer):
    """A layer that calls what it is given."""

    def __init__(self, function, **kwargs):
        super().__init__(**kwargs)
        self.function = function

    def call(self, x, scale=1.0):
        return self.function(self, x)


class Odd(Exception):
    def __init__(self, first, second):
        super().__init__(first, second)


def failing(problem):
    def function(layer, x):
        raise problem

    return function


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        (ValueError("so it is"), ValueError),
        (mg.errors.NotFoundError(None, None, "so it is"), mg.errors.NotFoundError),
        (Odd("so it is", 2), RuntimeError),
    ],
)
def test_an_error_in_a_layer_says_which_layer_and_what_it_was_given(problem, kind):
    with pytest.raises(kind) as caught:
        Calling(failing(problem))(mg.ones([2]))
    assert str(caught.value) == (
        "Exception encountered when calling Calling.call().\n\n\033[1mso it is\033[0m\n\nArguments received by Calling.call():\n"
        "  • x=mg.Tensor(shape=(2,), dtype=float32)\n  • scale=1.0"
    )


def test_the_innermost_layer_tells_of_an_error():
    class Outer(keras.Model):
        def __init__(self):
            super().__init__()
            self.inner = Calling(lambda layer, x: x @ x)

        def call(self, x):
            return self.inner(x)

    with pytest.raises(mg.errors.InvalidArgumentError, match=r"\AException encountered when calling Calling.call\(\)") as caught:
        Outer()(mg.ones([1, 2]))
    assert str(caught.value).count("Exception encountered") == 1


def test_a_layer_says_what_is_missing_or_too_much():
    layer = Calling(lambda layer, x: x)
    with pytest.raises(TypeError, match=r"\Amissing a required argument: 'x'\Z"):
        layer()
    with pytest.raises(TypeError, match=r"\Atoo many positional arguments\Z"):
        layer(mg.ones([1]), mg.ones([1]), mg.ones([1]))


def test_a_layer_without_a_name_is_not_in_the_paths_of_its_weights():
    class Block(keras.Model):
        def __init__(self):
            super().__init__(name="")
            self.dense = keras.layers.Dense(1)

        def call(self, x):
            return self.dense(x)

    block = Block()
    block(mg.ones([1, 2]))
    assert [v.path for v in block.weights] == ["dense/kernel", "dense/bias"]


def test_losses_that_layers_add_are_those_of_the_last_call():
    def charging(layer, x):
        layer.add_loss(2.0 * mg.reduce_mean(x))
        return x

    layer = Calling(charging)
    model = keras.Sequential([layer, keras.layers.Dense(1, kernel_initializer="ones", kernel_regularizer="l2")])
    assert layer.losses == []
    for x, expected in [([[1.0, 2.0]], [3.0, 0.02]), ([[5.0, 5.0]], [10.0, 0.02])]:
        model(mg.constant(x))
        close([loss.numpy() for loss in model.losses], expected)
    with pytest.raises(ValueError, match=r"on a tensor input\. Received invalid value: 2\.0"):
        layer.add_loss([2.0])


def test_a_weight_of_a_layer_of_ones_own_is_regularized_by_name():
    class Decaying(keras.layers.Layer):
        def build(self, input_shape):
            self.w = self.add_weight(shape=(2,), initializer="ones", regularizer="l2")

        def call(self, x):
            return x * self.w

    layer = Decaying()
    layer(mg.ones([1, 2]))
    close([loss.numpy() for loss in layer.losses], [0.02])


def test_losses_that_layers_add_have_gradients():
    w = mg.Variable(3.0)

    def charging(layer, x):
        layer.add_loss(w * w)
        return x

    layer = Calling(charging)
    with mg.GradientTape() as tape:
        layer(mg.ones([1]))
        total = mg.add_n(layer.losses)
    close(tape.gradient(total, w), 6.0)


def test_a_layer_whose_call_is_interrupted_is_not_called_any_more():
    class Interrupted:
        name = property(lambda self: signal.raise_signal(signal.SIGINT))

    with pytest.raises(KeyboardInterrupt), inside(Interrupted()):
        pass
    assert calls.layers == [] and listening.module == ""


def test_models_are_known_by_their_other_names():
    assert (keras.models.Sequential, keras.models.Model) == (keras.Sequential, keras.Model)
