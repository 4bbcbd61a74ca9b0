"""What Keras answers to losses, metrics, layers and the like, at settings and shapes beyond their examples.

    python -m tests.conformance.keras_calls

asks Keras, where TensorFlow is, and keeps the answers; tests/test_keras_recorded.py compares.
"""

import gzip
import itertools
import json
import pathlib
import sys
import types

import numpy as np

FILE = pathlib.Path(__file__).with_name("keras.json.gz")
rng = np.random.default_rng(3)

DATA = {
    "p": rng.uniform(0.1, 0.9, (3, 4)).astype("float32"),
    "q": rng.uniform(0.1, 0.9, (3, 4)).astype("float32"),
    "P": rng.uniform(0.1, 0.9, (2, 3, 4)).astype("float32"),
    "Q": rng.uniform(0.1, 0.9, (2, 3, 4)).astype("float32"),
    "hot": np.eye(4, dtype="float32")[[2, 0, 3]],
    "HOT": np.eye(4, dtype="float32")[[[2, 0, 3], [1, 1, 0]]],
    "ids": np.array([2, 0, 3]),
    "IDS": np.array([[2, 0, 3], [1, 1, 0]]),
    "w": np.array([0.5, 0.0, 2.0], "float32"),
    "W": np.array([[0.5, 0.0, 2.0], [1.0, 3.0, 0.25]], "float32"),
    "z": rng.normal(0, 2, (2, 5, 6)).astype("float32"),
    "m": rng.normal(0, 1, (3, 4)).astype("float32"),
    "line": rng.normal(0, 1, (2, 8, 3)).astype("float32"),
    "image": rng.normal(0, 1, (2, 7, 6, 3)).astype("float32"),
    "cube": rng.normal(0, 1, (1, 5, 4, 6, 2)).astype("float32"),
}


def settings(**choices):
    """Keywords, one text for each combination of the choices."""
    for some in itertools.product(*choices.values()):
        yield ", ".join(f"{name}={value!r}" for name, value in zip(choices, some))


REDUCTIONS = ["sum_over_batch_size", "sum", "none", None, "mean_with_sample_weight"]
LOSSES = {  # what they are given -> class, the function of the same meaning, and settings
    "p, q": [
        ("MeanSquaredError", "mse", [""]), ("MeanAbsoluteError", "mae", [""]), ("MeanAbsolutePercentageError", "mape", [""]),
        ("MeanSquaredLogarithmicError", "msle", [""]), ("LogCosh", "logcosh", [""]), ("Poisson", "poisson", [""]),
        ("KLDivergence", "kld", [""]), ("Huber", "huber", ["delta=0.2", "delta=1.0"]),
        ("CosineSimilarity", "cosine_similarity", ["axis=-1", "axis=1"]), ("Dice", "dice", ["axis=None", "axis=-1"]),
        ("Tversky", "tversky", ["alpha=0.3, beta=0.8"]),
    ],
    "hot, q": [
        ("Hinge", "hinge", [""]), ("SquaredHinge", "squared_hinge", [""]), ("CategoricalHinge", "categorical_hinge", [""]),
        ("BinaryCrossentropy", "binary_crossentropy", settings(from_logits=[False, True], label_smoothing=[0.0, 0.2])),
        ("BinaryFocalCrossentropy", "binary_focal_crossentropy",
         settings(apply_class_balancing=[False, True], alpha=[0.3], gamma=[1.5], from_logits=[False, True])),
        ("CategoricalCrossentropy", "categorical_crossentropy", settings(from_logits=[False, True], label_smoothing=[0.0, 0.2])),
        ("CategoricalFocalCrossentropy", "categorical_focal_crossentropy", settings(alpha=[0.3], gamma=[1.5], from_logits=[False, True])),
    ],
    "ids, q": [
        ("SparseCategoricalCrossentropy", "sparse_categorical_crossentropy", settings(from_logits=[False, True], ignore_class=[None, 3])),
        ("CategoricalGeneralizedCrossEntropy", "categorical_generalized_cross_entropy", ["q=0.4"]),
    ],
}  # fmt: skip
METRICS = {
    "p, q": [
        "MeanSquaredError()", "MeanAbsoluteError()", "MeanAbsolutePercentageError()", "MeanSquaredLogarithmicError()", "LogCoshError()",
        "Poisson()", "KLDivergence()", "RootMeanSquaredError()", "CosineSimilarity(axis=-1)", "R2Score()",
        "R2Score(class_aggregation='variance_weighted_average')", "R2Score(class_aggregation=None)",
    ],
    "hot, q": [
        "Hinge()", "SquaredHinge()", "CategoricalHinge()", "BinaryCrossentropy(label_smoothing=0.2)", "BinaryCrossentropy(from_logits=True)",
        "CategoricalCrossentropy(label_smoothing=0.1)", "BinaryAccuracy(threshold=0.6)", "CategoricalAccuracy()", "TopKCategoricalAccuracy(k=2)",
    ],
    "ids, q": ["SparseCategoricalAccuracy()", "SparseCategoricalCrossentropy()", "SparseTopKCategoricalAccuracy(k=2)"],
    "q": ["Mean()", "Sum()"],
}  # fmt: skip
LAYERS = {
    "z": [
        "LayerNormalization()", "LayerNormalization(axis=1)", "LayerNormalization(axis=[1, 2], epsilon=0.1)",
        "LayerNormalization(center=False, scale=False)", "BatchNormalization()", "BatchNormalization(axis=1, epsilon=0.1)",
        "Softmax()", "Softmax(axis=1)", "ReLU(max_value=1.0, negative_slope=0.1, threshold=0.2)", "LeakyReLU(0.3)", "ELU(0.5)",
        "Rescaling(2.0, 1.0)", "Flatten()", "Reshape((3, -1))", "Dense(3, 'tanh', kernel_initializer='ones')",
        "Dense(2, kernel_initializer='ones', bias_initializer='ones', use_bias=True)", "Activation('gelu')",
    ],
    "line": [
        "Conv1D(2, 3, kernel_initializer='ones', padding='same')", "Conv1D(2, 3, strides=2, kernel_initializer='ones')",
        "Conv1D(2, 2, dilation_rate=2, kernel_initializer='ones', padding='causal')",
        "Conv1DTranspose(2, 3, strides=2, kernel_initializer='ones')", "DepthwiseConv1D(3, depthwise_initializer='ones')",
        "MaxPooling1D(3, strides=2, padding='same')", "AveragePooling1D(3, strides=2, padding='same')", "AveragePooling1D(2)",
        "GlobalAveragePooling1D()", "GlobalAveragePooling1D(keepdims=True)", "GlobalMaxPooling1D(keepdims=True)", "UpSampling1D(2)",
        "ZeroPadding1D((1, 2))", "GlobalAveragePooling1D(data_format='channels_first')",
    ],
    "image": [
        "Conv2D(2, 3, kernel_initializer='ones', padding='same', activation='relu')", "Conv2D(2, (2, 3), strides=(2, 1), kernel_initializer='ones')",
        "Conv2D(2, 2, dilation_rate=(2, 1), kernel_initializer='ones', use_bias=False)",
        "Conv2DTranspose(2, 3, strides=2, padding='same', kernel_initializer='ones')", "Conv2DTranspose(2, (2, 3), kernel_initializer='ones')",
        "DepthwiseConv2D(3, depth_multiplier=2, depthwise_initializer='ones')",
        "SeparableConv2D(2, 3, depthwise_initializer='ones', pointwise_initializer='ones')",
        "MaxPooling2D((2, 3), strides=1, padding='same')", "MaxPooling2D()", "AveragePooling2D(3, strides=2, padding='same')",
        "AveragePooling2D((3, 2))", "GlobalAveragePooling2D(keepdims=True)", "GlobalMaxPooling2D()", "UpSampling2D((2, 3))",
        "UpSampling2D(2, interpolation='bilinear')", "ZeroPadding2D(((1, 0), (2, 1)))", "Flatten()",
    ],
    "cube": [
        "Conv3D(2, (2, 3, 2), kernel_initializer='ones')", "Conv3DTranspose(2, 2, strides=2, kernel_initializer='ones')",
        "MaxPooling3D(2)", "AveragePooling3D((2, 1, 3), padding='same')", "GlobalAveragePooling3D()", "GlobalMaxPooling3D(keepdims=True)",
        "UpSampling3D((1, 2, 1))", "ZeroPadding3D(((1, 0), (0, 2), (1, 1)))",
    ],
}  # fmt: skip
MERGES = ["Add()", "Subtract()", "Multiply()", "Average()", "Maximum()", "Minimum()", "Concatenate()", "Concatenate(axis=0)"]
ACTIVATIONS = [
    "celu", "elu", "exponential", "gelu", "hard_shrink", "hard_sigmoid", "hard_silu", "hard_tanh", "leaky_relu", "linear", "log_sigmoid",
    "log_softmax", "mish", "relu", "relu6", "selu", "sigmoid", "silu", "soft_shrink", "softmax", "softplus", "softsign", "sparse_plus",
    "sparse_sigmoid", "squareplus", "tanh", "tanh_shrink",
]  # fmt: skip
MORE_ACTIVATIONS = [
    "celu(z, alpha=0.5)", "elu(z, alpha=2.0)", "gelu(z, approximate=True)", "leaky_relu(z, negative_slope=0.5)", "glu(z, axis=-1)", "glu(z, axis=2)",
    "relu(z, negative_slope=0.2, max_value=1.5, threshold=0.5)", "softmax(z, axis=1)", "log_softmax(z, axis=0)", "squareplus(z, b=2)",
    "threshold(z, 0.3, 7.0)", "hard_shrink(z, threshold=1.0)", "soft_shrink(z, threshold=1.0)",
]  # fmt: skip
SCHEDULES = [
    "CosineDecay(0.4, 7, alpha=0.1)", "CosineDecay(0.0, 6, warmup_target=0.5, warmup_steps=3, alpha=0.2)", "CosineDecayRestarts(0.4, 3)",
    "CosineDecayRestarts(0.4, 3, t_mul=1.0, m_mul=0.5, alpha=0.1)", "CosineDecayRestarts(0.4, 2, t_mul=1.5, m_mul=0.7)",
    "ExponentialDecay(0.4, 3, 0.5)", "ExponentialDecay(0.4, 3, 0.5, staircase=True)", "InverseTimeDecay(0.4, 3, 0.5)",
    "InverseTimeDecay(0.4, 3, 0.5, staircase=True)", "PiecewiseConstantDecay([2, 5], [1.0, 0.5, 0.1])", "PolynomialDecay(0.4, 5, 0.1, power=2.0)",
    "PolynomialDecay(0.4, 3, 0.1, cycle=True)",
]  # fmt: skip
OPTIMIZERS = [
    "SGD(0.1)", "SGD(0.1, momentum=0.9)", "SGD(0.1, momentum=0.9, nesterov=True)", "SGD(0.1, weight_decay=0.2)", "SGD(0.1, clipnorm=0.5)",
    "SGD(0.1, clipvalue=0.3)", "SGD(0.1, global_clipnorm=0.7)", "SGD(0.1, use_ema=True, ema_momentum=0.5)",
    "SGD(0.1, use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=2)", "Adagrad(0.1)", "Adagrad(0.1, initial_accumulator_value=0.5, epsilon=0.1)",
    "RMSprop(0.1)", "RMSprop(0.1, rho=0.5, momentum=0.4, centered=True, epsilon=0.01)", "Adam(0.1)", "Adam(0.1, beta_1=0.5, beta_2=0.7, epsilon=0.1)",
    "Adam(0.1, amsgrad=True)", "AdamW(0.1, weight_decay=0.3)", "Adam(keras.optimizers.schedules.ExponentialDecay(0.5, 2, 0.5))",
]  # fmt: skip
CONSTRAINTS = [
    "MaxNorm(0.8)", "MaxNorm(0.8, axis=1)", "MinMaxNorm(0.3, 0.9, rate=0.5)", "MinMaxNorm(0.3, 0.9, axis=1)", "NonNeg()", "UnitNorm()",
    "UnitNorm(axis=[0, 1])",
]  # fmt: skip
REGULARIZERS = [
    "L1(0.3)", "L2(0.3)", "L1L2(0.1, 0.2)", "OrthogonalRegularizer(0.3)", "OrthogonalRegularizer(0.3, mode='columns')",
]  # fmt: skip
INITIALIZERS = ["Identity(2.0)", "Constant(3.0)", "Ones()", "Zeros()"]


def of_three_axes(names):
    """The same data with one axis more."""
    return names.replace("hot", "HOT").replace("ids", "IDS").replace("p", "P").replace("q", "Q")


def texts():
    """All questions."""
    for given, losses in LOSSES.items():
        for name, function, kinds in losses:
            for kind in kinds:
                for data, weight in ((given, "w"), (of_three_axes(given), "W")):
                    if name != "CategoricalGeneralizedCrossEntropy" or data == given:
                        yield f"sloped(keras.losses.{function}, {data}{', ' * bool(kind)}{kind})"
                        for reduction in REDUCTIONS:
                            loss = f"keras.losses.{name}(reduction={reduction!r}{', ' * bool(kind)}{kind})"
                            yield f"sloped({loss}, {data})"
                            if name not in ("Dice", "Tversky"):
                                yield f"sloped({loss}, {data}, sample_weight={weight})"
    yield from (f"sloped(keras.losses.Circle(gamma=8.0, margin=0.3, remove_diagonal={kind}), ids, m)" for kind in (True, False))
    for given, metrics in METRICS.items():
        for metric in metrics:
            yield f"updated(keras.metrics.{metric}, ({given},))"
            yield f"updated(keras.metrics.{metric}, ({given},), w)"
            if not metric.startswith("R2"):
                yield f"updated(keras.metrics.{metric}, ({of_three_axes(given)},), W)"
    for given, layers in LAYERS.items():
        for layer in layers:
            yield f"sloped(keras.layers.{layer}, {given})"
    yield from (f"[*trained(keras.layers.BatchNormalization({kind}), z)]" for kind in ("", "momentum=0.5", "axis=1, epsilon=0.1"))
    yield from (f"sloped(keras.layers.{layer}, [p, q, p])" for layer in MERGES if layer != "Subtract()")
    yield "sloped(keras.layers.Subtract(), [p, q])"
    yield from (f"sloped(keras.activations.{name}, z)" for name in ACTIVATIONS)
    yield from (f"sloped(lambda z: keras.activations.{call}, z)" for call in MORE_ACTIVATIONS)
    yield from (f"[keras.optimizers.schedules.{schedule}(step) for step in range(13)]" for schedule in SCHEDULES)
    yield from (f"[*stepped(keras.optimizers.{optimizer})]" for optimizer in OPTIMIZERS)
    yield from (f"sloped(keras.constraints.{constraint}, m)" for constraint in CONSTRAINTS)
    yield from (f"sloped(keras.regularizers.{regularizer}, m)" for regularizer in REGULARIZERS)
    yield from (f"keras.initializers.{initializer}((3, 4))" for initializer in INITIALIZERS)


def answer(text, tf):
    """What the library answers: arrays."""
    keras = tf.keras

    def sloped(function, *given, **settings):
        """A result, and the gradients of the sum of its squares by all floats that are given."""
        given = [[tf.constant(one) for one in some] if isinstance(some, list) else tf.constant(some) for some in given]
        floats = [one for some in given for one in (some if isinstance(some, list) else [some]) if one.dtype == tf.float32]
        with tf.GradientTape() as tape:
            tape.watch(floats)
            y = function(*given, **settings)
            total = tf.reduce_sum(tf.square(y) + 0.1 * y)
        return [y, *tape.gradient(total, floats)]

    def updated(metric, given, weight=None):
        """The results after one update, two, and after a reset and a third."""
        found = []
        for reset in (False, False, True):
            if reset:
                metric.reset_state()
            metric.update_state(*given, sample_weight=weight)
            given = tuple(one[:, ::-1] if one.ndim > 1 and one.dtype == np.float32 else one for one in given)
            found.append(metric.result())
        return found

    def trained(layer, x):
        """A layer in training, twice; then not in training; and its weights."""
        yield from (layer(tf.constant(x), training=training) for training in (True, True, False))
        yield from (tf.constant(weight) for weight in layer.get_weights())

    def stepped(optimizer):
        """Two Variables through five steps, and at the end."""
        variables = [tf.Variable(DATA["m"]), tf.Variable([1.0, -2.0])]
        for k in range(5):
            optimizer.apply_gradients([(tf.constant(DATA["p"] - 0.3 * k), variables[0]), (tf.constant([0.5, k - 2.0]), variables[1])])
            yield from (tf.identity(v) for v in variables)
        optimizer.finalize_variable_values(variables)
        yield from (tf.identity(v) for v in variables)

    names = {"keras": keras, "sloped": sloped, "updated": updated, "trained": trained, "stepped": stepped, **DATA}
    found = eval(text, names)
    return [None if one is None else np.asarray(one) for one in (found if isinstance(found, list) else [found])]


def kept(arrays):
    return [None if one is None else [list(one.shape), str(one.dtype), [float(f"{x:.9g}") for x in one.ravel().tolist()]] for one in arrays]


def recorded():
    """Text -> what Keras answered: a list of arrays."""
    told = json.loads(gzip.decompress(FILE.read_bytes()))
    return {text: [None if one is None else np.array(one[2], one[1]).reshape(one[0]) for one in some] for text, some in told.items()}


def record(tf: types.ModuleType):
    told = {}
    for text in texts():
        try:
            told[text] = kept(answer(text, tf))
        except Exception as error:
            print(f"{text}: {type(error).__name__}: {error}"[:200], file=sys.stderr)
    FILE.write_bytes(gzip.compress(json.dumps(told).encode(), mtime=0))
    print(f"{len(told)} answers, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    import tensorflow

    record(tensorflow)
