"""The numbers of TensorFlow 2.21 on a CPU, from the same seeds."""

import hashlib
import math
import re

import numpy as np
import pytest

import minigrad as mg
from minigrad.random import rejection

FIRST_THREE = [
    (1, "normal", "float16", [-1.1015625, 1.5458984375, 0.383544921875]),
    (1, "normal", "float32", [-1.1012202501296997, 1.545751690864563, 0.3836440145969391]),
    (1, "normal", "float64", [0.4459007012479752, 1.4399671454377567, -1.3864435569912792]),
    (1, "uniform", "float16", [0.751953125, 0.9345703125, 0.9404296875]),
    (1, "uniform", "float32", [0.1651308536529541, 0.9014812707901001, 0.6309741735458374]),
    (1, "uniform", "float64", [0.3210474306745106, 0.04779355308887756, 0.33551271379460035]),
    (1, "truncated_normal", "float64", [0.4459007012479752, 1.4399671454377567, -0.20280386157057737]),
    (42, "normal", "float32", [0.32746851444244385, -0.8426257967948914, 0.31943368911743164]),
    (42, "truncated_normal", "float32", [0.32746851444244385, -0.8426257967948914, 0.31943368911743164]),
    (-3, "normal", "float32", [0.7137001752853394, 0.522147536277771, -1.882706642150879]),
    (-3, "truncated_normal", "float64", [0.07877828993874678, 1.3311623323951338, -1.7095242910367792]),
    (2**31 + 5, "uniform", "float32", [0.12124443054199219, 0.18162953853607178, 0.5810258388519287]),
    (2**31 + 5, "truncated_normal", "float64", [-0.19818128497683238, -0.14742604576948323, 0.9312095387566005]),
]


@pytest.mark.parametrize(("seed", "name", "dtype", "expected"), FIRST_THREE)
def test_first_numbers_after_a_seed(seed, name, dtype, expected):
    mg.random.set_seed(seed)
    drawn = getattr(mg.random, name)([3], dtype=dtype)
    assert drawn.dtype == dtype
    np.testing.assert_allclose(drawn.numpy(), expected, rtol=1e-15)


RATES = np.concatenate([np.linspace(0, 30, 301), [100.0, 1e3, 1e5]]).astype(np.float32)
ALPHAS = np.concatenate([np.linspace(0.05, 3, 60), [1.0, 50.0, 1e4]]).astype(np.float32)
TRIALS, CHANCES = np.float32([1, 5, 19, 25, 300, 1e6]), np.float32([[0.1], [0.5], [0.9]])
DIGESTS = {
    "6e3f4b903b27085e": lambda: mg.random.normal([100003]),
    "a4b23ac81615aa85": lambda: mg.random.uniform([100003]),
    "38ef150297f32363": lambda: mg.random.truncated_normal([100003]),
    "1de152e68f6d3cd1": lambda: mg.random.uniform([100003], dtype="float64"),
    "a5ead730990a741b": lambda: mg.random.normal([100003], dtype="float16"),
    "24ba1db873e5c6ac": lambda: mg.random.uniform([100003], -5, 1000, dtype="int32"),
    "12eb480d161763bd": lambda: mg.random.poisson([300], RATES),
    "b2d84076328ece37": lambda: mg.random.stateless_poisson([300, 304], [3, 4], RATES, dtype=mg.int64),
    "dddad4b1d4e75a57": lambda: mg.random.gamma([3000], ALPHAS),
    "79ba265995126f4b": lambda: mg.random.stateless_gamma([3000, 63], [3, 4], ALPHAS, 2.0),
    "ab3eabf856505611": lambda: mg.random.stateless_binomial([3000, 3, 6], [3, 4], TRIALS, CHANCES),
    "0f2d3f9a9a8a9244": lambda: mg.random.Generator.from_seed(7).binomial([3000, 3, 6], TRIALS, CHANCES, mg.int64),
    "fcabb5bccb7452be": lambda: mg.random.stateless_categorical(np.float32([[0, 1, 2], [5, 1, 1]]), 1003, [3, 4]),
    "3db09f51268c6493": lambda: mg.random.experimental.stateless_shuffle(mg.range(1003), [3, 4]),
    "372e9519888500e9": lambda: mg.random.Generator.from_state([2**64 - 700, 1, 5], "philox").uniform_full_int([10007]),
}


@pytest.mark.parametrize("digest", DIGESTS)
def test_many_numbers_agree_to_the_last_bit(digest):
    mg.random.set_seed(7)
    assert hashlib.sha256(DIGESTS[digest]().numpy().tobytes()).hexdigest()[:16] == digest


def test_each_op_without_a_seed_draws_one_from_the_global_seed():
    mg.random.set_seed(1234)
    assert mg.random.uniform([1]).numpy()[0] == np.float32(0.5380393266677856)
    assert mg.random.shuffle([1, 2, 3]).numpy().tolist() == [2, 3, 1]
    assert mg.random.uniform([1], seed=1).numpy()[0] == np.float32(0.16898059844970703)


def test_ops_with_the_same_seed_continue_one_sequence_for_each_kind_of_op():
    mg.random.set_seed(1234)
    uniform = [mg.random.uniform([1], seed=1).numpy()[0] for _ in range(3)]
    normal = [mg.random.normal([1], seed=1).numpy()[0] for _ in range(2)]
    np.testing.assert_array_equal(uniform, np.float32([0.16898059844970703, 0.7539083957672119, 0.4243431091308594]))
    np.testing.assert_array_equal(normal, np.float32([-0.32364845275878906, -0.5653132200241089]))
    mg.random.set_seed(1234)
    assert mg.random.uniform([1], seed=1).numpy()[0] == uniform[0], "set_seed starts sequences anew"


def close(found, expected):
    np.testing.assert_allclose([float(x) for one in mg.nest.flatten(found) for x in np.ravel(one)], expected, atol=1e-6)


def test_functions_take_no_seeds_from_ops_outside():
    uniform = mg.random.uniform
    mg.random.set_seed(4)
    pair, other = mg.function(lambda: uniform([2])), mg.function(lambda: uniform([2]))
    close([pair(), uniform([1]), pair(), uniform([1])], [0.804303, 0.994395, 0.975668, 0.390801, 0.806975, 0.949657])
    with mg.GradientTape():
        close([pair(), other()], [0.086651, 0.014735, 0.804303, 0.994395])
    mg.random.set_seed(5)
    close(pair(), [0.804303, 0.994395])  # from the global seed that it met first
    close(mg.function(lambda: uniform([2]))(), [0.182865, 0.68999])


def test_ops_in_a_function_have_numbers_for_seeds():
    mg.random.set_seed(4)
    draw = mg.function(lambda: [mg.random.uniform([2], seed=seed) for seed in (1, 1, None)])
    close(draw(), [0.733166, 0.383881, 0.733166, 0.383881, 0.804303, 0.994395])
    close(draw(), [0.613244, 0.417667, 0.613244, 0.417667, 0.390801, 0.806975])
    close(mg.random.uniform([2], seed=1), [0.733166, 0.383881])

    @mg.function
    def inside_and_outside():
        with mg.init_scope():
            before.append(mg.random.uniform([1]))
        return mg.random.uniform([2]), mg.random.normal([2])

    before = []
    mg.random.set_seed(4)
    close(inside_and_outside(), [0.804303, 0.994395, 0.525181, -0.587326])
    close(before[0], [0.975668])


def test_ops_in_the_functions_of_datasets_have_numbers_for_seeds():
    def drawn(*_):
        return mg.random.uniform([])

    mg.random.set_seed(4)
    first = mg.data.Dataset.range(3).map(drawn)
    for _ in range(2):
        close([*first], [0.804303, 0.399402, 0.390801])
    close([*first.take(2).repeat(2)], [0.804303, 0.399402, 0.390801, 0.525219])
    close([*mg.data.Dataset.range(2).flat_map(lambda x: first.take(2))], [0.804303, 0.399402, 0.390801, 0.525219])
    second = first.map(lambda x: (drawn(), drawn()))
    close([*second.take(2)], [0.804303, 0.733166, 0.399402, 0.466408])
    assert [int(x) for x in mg.data.Dataset.range(9).filter(lambda x: drawn() > 0.5)] == [0, 3, 5, 7, 8]
    close(mg.data.Dataset.range(3).reduce(0.0, lambda total, x: total + drawn()), [1.594507])
    total = mg.function(lambda: first.reduce(0.0, lambda total, x: total + x))
    close([total(), total(), drawn()], [1.594507, 1.594507, 0.975668])


def test_without_any_seed_numbers_differ_from_call_to_call():
    mg.random.set_seed(None)
    for draw in (mg.random.normal, mg.function(mg.random.normal)):
        assert not np.array_equal(draw([4]).numpy(), draw([4]).numpy())


def test_long_shuffles_and_categories():
    mg.random.set_seed(7)
    draws = [
        mg.random.uniform([100003], -5, 1000, dtype="int32"),
        mg.random.uniform([100003], -5, 1000, dtype="int64"),
        mg.random.shuffle(mg.range(1003)),
        mg.random.categorical(mg.constant([[0.0, 1.0, 2.0], [5.0, 1.0, 1.0]]), 1003),
    ]
    digests = [hashlib.sha256(x.numpy().tobytes()).hexdigest()[:16] for x in draws]
    assert digests == ["24ba1db873e5c6ac", "e91286635aa1df88", "c16b21944a72dd74", "a9bf2c4955c28674"]


def test_stateless_numbers_depend_on_their_two_seeds_alone():
    for _ in range(2):
        assert mg.random.stateless_normal([2], [1, -2]).numpy().tolist() == [-0.7619395852088928, 0.03173809498548508]
        assert mg.random.stateless_uniform([2], [3, 4], -2, 5, dtype=mg.int32).numpy().tolist() == [3, 0]
        assert mg.random.stateless_uniform([2], [1, 2], None, None, mg.int32).numpy().tolist() == [1105988140, 1738052849]
    np.testing.assert_allclose(
        mg.random.stateless_truncated_normal([2], [1, 2], dtype="float64"), [-0.1423118100189212, 0.7406072461585091], rtol=1e-15
    )


def test_a_generator_keeps_its_own_state():
    generator = mg.random.Generator.from_seed(-5)
    np.testing.assert_allclose(generator.normal([2], dtype="float64"), [-0.3664461714693308, 0.028124635665672224], rtol=1e-14)
    mg.random.set_seed(1)
    assert generator.uniform([2], 0, 10, dtype="int32").numpy().tolist() == [8, 5]
    assert generator.truncated_normal([2]).numpy().tolist() == [0.41660597920417786, -0.38702279329299927]


def test_gradients_flow_to_the_parameters_of_a_distribution():
    mean, deviation = mg.Variable([1.0, 2.0]), mg.Variable(2.0)
    mg.random.set_seed(7)
    with mg.GradientTape() as tape:
        y = mg.random.normal([2], mean, deviation, seed=4)
    d_mean, d_deviation = tape.gradient(y, [mean, deviation])
    np.testing.assert_array_equal(y.numpy(), np.float32([0.12419766, -1.5069067]))
    np.testing.assert_array_equal(d_mean.numpy(), [1.0, 1.0])
    assert d_deviation.numpy() == np.float32(-2.191354513168335)
    low, high = mg.Variable(1.0), mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = mg.random.uniform([2], low, high)
    fractions = y.numpy() - 1.0
    np.testing.assert_allclose(tape.gradient(y, [low, high]), [np.sum(1 - fractions), np.sum(fractions)], rtol=1e-6)


def test_shuffle_and_categorical_have_no_gradient():
    x = mg.Variable([[1.0, 2.0, 3.0]])
    with mg.GradientTape(persistent=True) as tape:
        shuffled, drawn = mg.random.shuffle(x), mg.random.categorical(x, 4)
    assert tape.gradient(shuffled, x) is None
    assert tape.gradient(drawn, x) is None


@pytest.mark.parametrize("shape", [[], [0, 3], [1], [2, 3], (5,), mg.TensorShape([4]), mg.constant([2, 2])])
def test_shapes(shape):
    for draw in (mg.random.normal, mg.random.uniform, mg.random.truncated_normal):
        assert draw(shape).shape == tuple(np.asarray(shape).tolist())


ERRORS = [
    (lambda: mg.random.uniform([2], dtype=mg.int32), ValueError, "Must specify maxval for integer dtype mg.int32"),
    (lambda: mg.random.uniform([2], 1, 5, dtype=mg.uint8), ValueError, "got invalid value <dtype: 'uint8'>. Accepted dtypes are"),
    (lambda: mg.random.uniform([2], 5, 5, dtype=mg.int32), mg.errors.InvalidArgumentError, "Need minval < maxval, got 5 >= 5"),
    (lambda: mg.random.uniform([2], [1, 2], 5, dtype=mg.int32), mg.errors.InvalidArgumentError, r"minval must be 0-D, got shape \[2\]"),
    (lambda: mg.random.normal([2], dtype=mg.int32), TypeError, "Cannot convert 0.0 to EagerTensor of dtype int32|Cannot convert 1.0"),
    (lambda: mg.random.normal([-1]), mg.errors.InvalidArgumentError, r"Dimension -1 must be >= 0.*\[Op:RandomStandardNormal\]"),
    (lambda: mg.random.normal(3), mg.errors.InvalidArgumentError, r"shape must be a vector of \{int32,int64\}, got shape \[\]"),
    (lambda: mg.random.normal(2.5), mg.errors.InvalidArgumentError, "float is not in the list of allowed values: int32, int64"),
    (lambda: mg.random.normal([2], 0.0, mg.constant(2)), ValueError, "stddev: Tensor conversion requested dtype float32"),
    (lambda: mg.random.stateless_normal([2], seed=[1, 2, 3]), mg.errors.InvalidArgumentError, r"seed must have shape \[2\], not \[3\]"),
    (lambda: mg.random.stateless_uniform([2], [1, 2], dtype=mg.int32), ValueError, "must be both None or not None"),
    (lambda: mg.random.stateless_normal([-1], [1, 2]), mg.errors.InvalidArgumentError, "Dimension -1 must be >= 0"),
    (lambda: mg.random.stateless_uniform([2, -1], [1, 2]), mg.errors.InvalidArgumentError, "Dimension -1 must be >= 0"),
    (lambda: mg.random.stateless_uniform([-1], [1, 2], 0, 3, mg.int32), mg.errors.InvalidArgumentError, "Dimension -1 must be >= 0"),
    (lambda: mg.random.stateless_truncated_normal([-1], [1, 2]), mg.errors.InvalidArgumentError, "Dimension -1 must be >= 0"),
    (lambda: mg.random.Generator.from_seed(1).normal([-1]), mg.errors.InvalidArgumentError, "Dimension -1 must be >= 0"),
    (lambda: mg.random.categorical([0.0, 1.0], 3), mg.errors.InvalidArgumentError, r"logits should be a matrix, got shape \[2\]"),
]


@pytest.mark.parametrize(("draw", "error", "message"), ERRORS)
def test_errors(draw, error, message):
    with pytest.raises(error, match=message):
        draw()


def test_counts_have_the_shape_of_their_means_behind_that_which_is_asked_for():
    mg.random.set_seed(1)
    assert mg.random.poisson([2, 2], [[1.0], [30.0]]).shape == (2, 2, 2, 1)
    assert mg.random.poisson([], 3.0).shape == ()
    assert mg.random.poisson([2], 3.0, dtype="int64").dtype == mg.int64
    assert mg.random.poisson([2], []).shape == (2, 0)
    assert mg.random.poisson([3], [-1.0]).numpy().tolist() == [[0.0]] * 3


def test_counts_with_a_seed_go_on():
    mg.random.set_seed(1)
    assert [mg.random.poisson([2], 3.0, seed=4).numpy().tolist() for _ in range(3)] == [[1.0, 1.0], [1.0, 3.0], [2.0, 3.0]]


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: mg.random.poisson(3, 2.0), "shape must be a vector"),
        (lambda: mg.random.poisson([2], 2.0, dtype=mg.uint8), "Value for attr 'dtype' of uint8"),
        (lambda: mg.random.poisson([2], np.inf), "the mean of a count must be finite, got inf"),
        (lambda: mg.random.stateless_poisson([2, 3], [1, 2], [[1.0], [5.0]]), r"\[2, 3\] does not end with \[2, 1\]"),
    ],
)
def test_counts_refuse(draw, message):
    with pytest.raises(mg.errors.InvalidArgumentError, match=message):
        draw()


def test_counts_have_no_gradient():
    rate = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = mg.random.poisson([], rate)
    with pytest.raises(LookupError, match="RandomPoissonV2"):
        tape.gradient(y, rate)


# ---- generators ----------------------------------------------------------------------------------------------------


def seeded():
    return mg.random.Generator.from_seed(1)


STATES = [
    (lambda: mg.random.Generator.from_seed(2**70 + 5), [5, 64, 0]),
    (lambda: mg.random.Generator.from_seed(-3), [-3, -1, -1]),
    (lambda: mg.random.Generator.from_seed(np.int64(7)), [0, 0, 7]),
    (lambda: mg.random.Generator.from_seed([1, 2]), [0, 1, 2]),
    (lambda: mg.random.Generator.from_seed([1, 2, 3, 4]), [1, 2, 3]),
    (lambda: mg.random.Generator.from_seed([2**63, 2**64 - 1, 3]), [-(2**63), -1, 3]),
    (lambda: mg.random.Generator.from_seed(1, alg="Three-Fry"), [1, 0]),
    (lambda: mg.random.Generator.from_seed(1, alg=mg.random.Algorithm.AUTO_SELECT), [1, 0, 0]),
    (lambda: mg.random.Generator.from_key_counter(2**64 - 1, [2**63, 7], "philox"), [-(2**63), 7, -1]),
    (lambda: mg.random.Generator(copy_from=seeded()), [1, 0, 0]),
    (lambda: mg.random.Generator.from_state(seeded().state, 1), [1, 0, 0]),
]


@pytest.mark.parametrize(("make", "state"), STATES)
def test_states(make, state):
    generator = make()
    assert generator.state.numpy().tolist() == state and generator.state.dtype == mg.int64
    assert generator.key.numpy() == state[-1] and not generator.state.trainable


@pytest.mark.parametrize(("key", "counter", "expected"), [([1], [1, 2], "Shapes (1,) and []"), (1, [1, 2, 3], "Shapes (3,) and [2]")])
def test_a_key_is_one_number_and_a_counter_two(key, counter, expected):
    with pytest.raises(ValueError, match=re.escape(f"{expected} are incompatible")):
        mg.random.Generator.from_key_counter(key, counter, "philox")


MOVES = [  # (what is done with a generator of seed 1, its state then)
    (lambda g: g.normal([2, 3]), [1537, 0, 0]),
    (lambda g: g.uniform([], dtype="float64"), [257, 0, 0]),
    (lambda g: g.skip(-3), [-767, 0, 0]),
    (lambda g: g.skip(2**60), [1, 0, 0]),
    (lambda g: [g.reset([-1, 2**40, 6]), g.skip(1)], [255, 2**40 + 1, 6]),
    (lambda g: [g.reset([-1, -1, -1]), g.skip(1)], [255, 0, -1]),
    (lambda g: g.split(3), [769, 0, 0]),
    (lambda g: g.make_seeds(2), [513, 0, 0]),
    (lambda g: g.binomial([3, 2], [10.0, 200.0], [0.8, 0.4]), [153601, 0, 0]),
    (lambda g: g.binomial([7], 30.0, 0.5), [128001, 0, 0]),
    (lambda g: g.reset([4, 5, 6]), [4, 5, 6]),
    (lambda g: g.reset_from_seed(9), [9, 0, 0]),
    (lambda g: g.reset_from_key_counter(9, [2**63 + 1, 2]), [-(2**63) + 1, 2, 9]),
]


@pytest.mark.parametrize(("move", "state"), MOVES)
def test_a_generator_moves_on(move, state):
    generator = seeded()
    move(generator)
    assert generator.state.numpy().tolist() == state


DRAWS = [
    (lambda g: g.uniform([2], None, None, mg.uint32), [4175744164, 1555169499]),
    (lambda g: g.uniform_full_int([2], "int64"), [6679402142117448868, 684265014234019051]),
    (lambda g: g.uniform([2], 5, 10**12, "int64"), [142150845883, 14237440381]),
    (lambda g: g.normal([2], dtype=mg.float16), [0.4384765625, -0.5341796875]),
    (lambda g: g.truncated_normal([2], 1, 2, mg.float64), [3.6095510788403815, -0.6801946484970645]),
    (lambda g: g.binomial([3], [10.0, 20.0, 50.0], 0.3), [2, 6, 21]),
    (lambda g: g.binomial([4], [0.0, -1.0, 5.0, 5.0], [0.5, 0.5, 0.0, 1.0]), [0, 0, 0, 5]),
    (lambda g: mg.stack([one.normal([]) for one in g.split(3)]), [-0.11388441175222397, 0.653821587562561, 0.3550359606742859]),
    (lambda g: g.make_seeds(2), [[6679402142117448868, 684265014234019051], [0, 0]]),
]


@pytest.mark.parametrize(("draw", "expected"), DRAWS)
def test_a_generator_draws(draw, expected):
    assert draw(seeded()).numpy().tolist() == expected


def test_a_generator_uses_a_variable_that_it_is_given():
    state = mg.Variable([1, 2, 3], dtype=mg.int64)
    generator = mg.random.Generator(state=state, alg="philox")
    generator.normal([1])
    assert generator.state is state and state.numpy().tolist() == [257, 2, 3]


def test_there_is_one_global_generator():
    first = mg.random.get_global_generator()
    assert mg.random.get_global_generator() is first
    mg.random.set_global_generator(seeded())
    assert mg.random.get_global_generator().normal([]).numpy() == np.float32(0.43842274)
    ours = mg.random.Generator.from_non_deterministic_state()
    assert ours.state.numpy().tolist() != mg.random.Generator.from_non_deterministic_state().state.numpy().tolist()


def test_a_traced_function_draws_on_without_running_its_python_again():
    generator, traced = seeded(), []

    @mg.function
    def draw():
        traced.append(1)
        return generator.normal([])

    eager = seeded()
    assert [draw().numpy() for _ in range(3)] == [eager.normal([]).numpy() for _ in range(3)]
    assert len(traced) == 1 and generator.state.numpy().tolist() == eager.state.numpy().tolist()


def test_a_traced_function_takes_seeds():
    traced = []

    @mg.function
    def draw(seed):
        traced.append(1)
        return mg.random.stateless_uniform([2], seed)

    for seed in ([1, 2], [3, 4]):
        assert draw(mg.constant(seed)).numpy().tolist() == mg.random.stateless_uniform([2], seed).numpy().tolist()
    assert len(traced) == 1


def threefry():
    return mg.random.Generator.from_seed(1, alg="threefry")


@pytest.mark.parametrize(
    ("draw", "error", "message"),
    [
        (lambda: threefry().normal([2]), mg.errors.UnimplementedError, r"don't support the ThreeFry algorithm.*\[Op:RngReadAndSkip\]"),
        (lambda: mg.random.stateless_normal([2], [1, 2], alg="threefry"), mg.errors.InvalidArgumentError, "counter must be a vector"),
        (
            lambda: mg.random.stateless_normal([2], [1, 2], alg=7),
            ValueError,
            "Argument `alg` got unsupported value 7. Supported values are 1",
        ),
        (lambda: mg.random.stateless_normal([2], [1, 2], alg=2.5), TypeError, "Can't convert argument `alg`"),
        (lambda: mg.random.Generator.from_seed(1, "nope"), ValueError, "got unsupported value nope. Supported values are philox"),
        (lambda: mg.random.Generator.from_state([1, 2], "philox"), ValueError, r"Shapes \(2,\) and \[3\] are incompatible"),
        (lambda: mg.random.Generator(), AssertionError, "write Generator.from_seed"),
        (lambda: mg.random.Generator(seeded(), alg=1), AssertionError, "a copy takes no other state"),
        (lambda: mg.random.Generator(state=mg.Variable([1, 2, 3]), alg=1).normal([]), mg.errors.InvalidArgumentError, "not int32"),
        (lambda: seeded().skip([1, 2]), mg.errors.InvalidArgumentError, r"must have shape \[\], not \[2\]"),
        (lambda: seeded().uniform([2], dtype=mg.int32), ValueError, "must be both `None` or both non-`None`"),
        (lambda: seeded().uniform([2], 5, 5, mg.int32), mg.errors.InvalidArgumentError, "Need minval < maxval, got 5 >= 5"),
        (lambda: seeded().uniform([2], 0, 5, mg.uint32), mg.errors.NotFoundError, "no limits for uint32"),
        (lambda: seeded().uniform_full_int([2], mg.uint8), mg.errors.InvalidArgumentError, "Value for attr 'dtype' of uint8"),
        (lambda: seeded().binomial([3], [5.0, 5.0], 0.5), mg.errors.InvalidArgumentError, r"end with broadcasted shape.*\[Op:Stateful"),
        (lambda: seeded().binomial([3], np.float32(np.inf), 0.5), mg.errors.InvalidArgumentError, "counts must be finite, got inf"),
        (lambda: seeded().binomial([3], 10, 0.5), mg.errors.InvalidArgumentError, "write floats of one dtype|expected to be a int32"),
        (
            lambda: mg.random.stateless_binomial([2], [1, 2], [1.0, 2.0, 3.0], [0.5, 0.5]),
            mg.errors.InvalidArgumentError,
            r"\[3\] vs. \[2\]",
        ),
        (lambda: mg.random.stateless_gamma([3], [1, 2], [0.5, 1.5]), mg.errors.InvalidArgumentError, "end with broadcasted shape"),
        (lambda: mg.random.gamma([2], [1.0, 2.0], [1.0, 2.0, 3.0]), mg.errors.InvalidArgumentError, r"\[2\] vs. \[3\]"),
        (lambda: mg.random.gamma([2], 2, dtype=mg.int32), ValueError, "not inexact"),
        (lambda: mg.random.stateless_categorical([0.0, 1.0], 3, [1, 2]), mg.errors.InvalidArgumentError, "should be a matrix"),
        (lambda: mg.random.stateless_categorical([[0.0]], [3], [1, 2]), mg.errors.InvalidArgumentError, "should be a scalar"),
        (lambda: mg.random.stateless_uniform([2], [1, 2], 0, 5, mg.uint32), ValueError, "Please don't use unsigned integers"),
    ],
)
def test_generators_and_stateless_functions_refuse(draw, error, message):
    with pytest.raises(error, match=message):
        draw()


def test_gradients_flow_to_the_parameters_of_a_gamma_distribution():
    alpha, beta = mg.Variable([0.5, 1.0, 3.0, 20.0], dtype=mg.float64), mg.Variable(2.0, dtype=mg.float64)
    mg.random.set_seed(5)
    with mg.GradientTape(persistent=True) as tape:
        y = mg.random.gamma([3], alpha, beta, mg.float64)
        z = mg.random.stateless_gamma([3, 4], [1, 2], alpha, dtype=mg.float64)
    expected = [2.078253379808243, 1.0468419224286172, 1.6344028516994054, 1.4230492490819473]
    np.testing.assert_allclose(tape.gradient(y, alpha), expected, rtol=1e-12)
    np.testing.assert_allclose(tape.gradient(y, beta), -17.180213337699527, rtol=1e-12)
    assert tape.gradient(z, alpha).shape == (4,)


def test_a_gamma_number_has_no_second_derivative():
    alpha = mg.Variable([0.5])
    with mg.GradientTape() as outer, mg.GradientTape() as inner:
        slope = inner.gradient(mg.random.gamma([3], alpha), alpha)
    with pytest.raises(LookupError, match="RandomGammaGrad"):
        outer.gradient(slope, alpha)


def test_a_logit_that_is_no_number_is_never_drawn():
    assert mg.random.stateless_categorical([[-np.inf, 1.0, np.nan]], 3, [1, 2]).numpy().tolist() == [[1, 1, 1]]
    assert mg.random.categorical([[np.inf, 1.0, np.nan]], 3).numpy().tolist() == [[1, 1, 1]]
    assert mg.random.stateless_categorical([[np.nan, np.inf]], 2, [1, 2]).numpy().tolist() == [[2, 2]]


def test_successes_have_no_gradient():
    chance = mg.Variable(0.5)
    with mg.GradientTape(persistent=True) as tape:
        y = seeded().binomial([3], 10.0, chance, mg.float32)
        z = mg.random.stateless_binomial([3], [1, 2], 10.0, chance, mg.float32)
    assert tape.gradient(z, chance) is None
    with pytest.raises(LookupError, match="StatefulRandomBinomial"):
        tape.gradient(y, chance)


def test_the_error_of_stirlings_formula():
    k = np.array([0.0, 1.0, 5.0, 9.0, 10.0, 11.0, 30.0, 100.0])
    stirling = (k + 0.5) * np.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi)
    exact = [math.lgamma(one + 1) - two for one, two in zip(k, stirling, strict=True)]
    np.testing.assert_allclose(rejection.stirling_rest(k), exact, rtol=2e-8, atol=1e-12)
