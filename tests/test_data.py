"""Datasets, queues, texts and pictures, compared with TensorFlow 2.21."""

import itertools
import re

import numpy as np
import pytest

import minigrad as mg
from minigrad.data.transformations import shuffled

Dataset = mg.data.Dataset


def plain(dataset):
    """The elements of a dataset as Python values."""
    return list(dataset.map(lambda *x: x if len(x) > 1 else x[0]).as_numpy_iterator())


CHAINS = [
    (lambda: Dataset.range(1, 10, 3), "[np.int64(1), np.int64(4), np.int64(7)]"),
    (lambda: Dataset.range(5).batch(2), "[array([0, 1]), array([2, 3]), array([4])]"),
    (lambda: Dataset.range(5).batch(2, drop_remainder=True), "[array([0, 1]), array([2, 3])]"),
    (lambda: Dataset.range(3).map(lambda x: x * 2), "[np.int64(0), np.int64(2), np.int64(4)]"),
    (lambda: Dataset.range(1).map(lambda x: [x, 2.0]), "[(np.int64(0), np.float32(2.0))]"),
    (lambda: Dataset.range(1).map(lambda x: [[x, x], 1]), "[(array([0, 0]), np.int32(1))]"),
    (lambda: Dataset.from_tensor_slices(([1, 2], [3, 4])).map(lambda x, y: x + y), "[np.int32(4), np.int32(6)]"),
    (lambda: Dataset.from_tensor_slices({"b": [1, 2], "a": [3, 4]}).take(1), "[{'b': np.int32(1), 'a': np.int32(3)}]"),
    (lambda: Dataset.from_tensor_slices(["a", "b"]), "[b'a', b'b']"),
    (lambda: Dataset.from_tensors([1, 2]), "[array([1, 2], dtype=int32)]"),
    (lambda: Dataset.zip((Dataset.range(3), Dataset.range(5, 7))), "[(np.int64(0), np.int64(5)), (np.int64(1), np.int64(6))]"),
    (lambda: Dataset.zip(Dataset.range(1), Dataset.range(2)), "[(np.int64(0), np.int64(0))]"),
    (lambda: Dataset.zip({"a": Dataset.range(1)}), "[{'a': np.int64(0)}]"),
    (lambda: Dataset.range(2).enumerate(start=5), "[(np.int64(5), np.int64(0)), (np.int64(6), np.int64(1))]"),
    (lambda: Dataset.range(2).concatenate(Dataset.range(1)), "[np.int64(0), np.int64(1), np.int64(0)]"),
    (lambda: Dataset.range(5).filter(lambda x: x % 2 == 0), "[np.int64(0), np.int64(2), np.int64(4)]"),
    (lambda: Dataset.range(5).skip(2).take(2), "[np.int64(2), np.int64(3)]"),
    (lambda: Dataset.range(2).repeat(2), "[np.int64(0), np.int64(1), np.int64(0), np.int64(1)]"),
    (lambda: Dataset.range(2).repeat().take(3), "[np.int64(0), np.int64(1), np.int64(0)]"),
    (lambda: Dataset.range(4).batch(2).unbatch(), "[np.int64(0), np.int64(1), np.int64(2), np.int64(3)]"),
    (lambda: Dataset.range(3).flat_map(lambda x: Dataset.range(x)), "[np.int64(0), np.int64(0), np.int64(1)]"),
    (lambda: Dataset.from_generator(lambda: iter([1, 2]), output_types=mg.float32), "[np.float32(1.0), np.float32(2.0)]"),
    (lambda: Dataset.from_generator(lambda: iter([(1, 2)]), output_types=(mg.int32, mg.int32)), "[(np.int32(1), np.int32(2))]"),
]


@pytest.mark.parametrize(("chain", "expected"), CHAINS)
def test_elements(chain, expected):
    dataset = chain()
    assert repr(list(dataset.as_numpy_iterator())) == expected
    assert repr(list(dataset.as_numpy_iterator())) == expected, "a second iteration gives the same"


def test_batches_keep_the_form_of_elements():
    (batch,) = Dataset.from_tensor_slices(([1, 2], {"b": [3.0, 4.0], "a": [[5.0], [6.0]]})).batch(2)
    numbers, table = batch
    assert numbers.numpy().tolist() == [1, 2]
    assert list(table) == ["b", "a"]
    assert table["b"].numpy().tolist() == [3.0, 4.0]
    assert table["a"].shape == (2, 1)


def test_lengths():
    assert len(Dataset.range(5).batch(2)) == 3
    assert len(Dataset.range(5).batch(2, drop_remainder=True).repeat(3).skip(1)) == 5
    assert Dataset.range(3).repeat().cardinality().numpy() == mg.data.INFINITE_CARDINALITY
    assert Dataset.range(3).filter(lambda x: x > 1).cardinality().numpy() == mg.data.UNKNOWN_CARDINALITY
    with pytest.raises(TypeError, match="The dataset is infinite"):
        len(Dataset.range(3).repeat())
    with pytest.raises(TypeError, match="The dataset length is unknown"):
        len(Dataset.range(3).filter(lambda x: x > 1))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (Dataset.range(0).repeat(), 0),
        (Dataset.range(0).repeat().take(3), 0),
        (Dataset.range(5).repeat().repeat(0), 0),
        (Dataset.range(5).filter(lambda x: x > 1).repeat(0), 0),
        (Dataset.range(5).filter(lambda x: x > 1).concatenate(Dataset.range(3).repeat()), mg.data.INFINITE_CARDINALITY),
        (Dataset.from_tensors(([1, 2], [3, 4])).repeat(3).unbatch(), 6),
        (Dataset.range(4).batch(2, drop_remainder=True).unbatch(), 4),
        (Dataset.range(4).batch(2).unbatch(), mg.data.UNKNOWN_CARDINALITY),
        (Dataset.range(4).batch(2).repeat().unbatch(), mg.data.INFINITE_CARDINALITY),
        (Dataset.range(3).map(lambda x: [0][5]).unbatch(), mg.data.UNKNOWN_CARDINALITY),
        (Dataset.from_tensors([1, 2]), 1),
        (Dataset.range(2).skip(5), 0),
        (Dataset.from_tensors([1, 2]).take(0).unbatch(), 0),
        (Dataset.range(4).batch(2, drop_remainder=True).filter(lambda x: x[0] > 1).unbatch(), mg.data.UNKNOWN_CARDINALITY),
    ],
)
def test_how_many_elements_there_are(data, expected):
    assert data.cardinality().numpy() == expected


@pytest.mark.parametrize("name", ["batch", "take", "skip", "repeat", "shuffle", "enumerate", "range"])
def test_how_many_is_a_whole_number(name):
    for number, problem in (2.5, TypeError), (mg.constant(2), ValueError):
        with pytest.raises(problem, match=r"Cannot convert 2\.5|requested dtype int64 for Tensor with dtype int32"):
            getattr(Dataset.range(3), name)(number)
    assert getattr(Dataset.range(3), name)(mg.constant(2, mg.int64)).cardinality() > 0


def test_a_range_has_limits_and_a_step():
    for limits in ((), (1, 2, 3, 4)):
        with pytest.raises(ValueError, match=f"`args` should be between 1 and 3 but was {len(limits)}"):
            Dataset.range(*limits)
    with pytest.raises(mg.errors.InvalidArgumentError, match="step must be a non-zero integer"):
        Dataset.range(1, 5, 0)
    with pytest.raises(ValueError, match="`element` should not be empty"):
        Dataset.from_tensor_slices(())


@pytest.mark.parametrize("answer", [1, 0.0, [True], "yes", mg.constant([True])])
def test_a_predicate_says_true_or_false(answer):
    with pytest.raises(ValueError, match=r"`predicate` must return a `tf\.bool` scalar tensor, .* Write a comparison"):
        list(Dataset.range(2).filter(lambda x: answer))


def test_what_is_joined_is_alike():
    others = Dataset.range(2, output_type=mg.int32), Dataset.range(2).map(lambda x: (x,)), Dataset.from_tensor_slices([1.0])
    for other in others:
        for numbers in (Dataset.range(2), Dataset.range(0)):
            with pytest.raises(TypeError, match="Incompatible dataset elements:"):
                numbers.concatenate(other)
    failing = Dataset.range(2).map(lambda x: 1 // 0)
    assert next(iter(Dataset.range(2).concatenate(failing))) == 0


def test_an_iterator_can_be_asked_for_the_next_element():
    elements = iter(Dataset.range(4).batch(1))
    assert iter(elements) is elements
    assert [int(x[0]) for x in (elements.get_next(), elements.next(), next(elements))] == [0, 1, 2]
    assert elements.element_spec.shape == mg.TensorShape([None])
    elements.get_next()
    with pytest.raises(mg.errors.OutOfRangeError, match="End of sequence"):
        elements.get_next()
    with pytest.raises(StopIteration):
        elements.next()


def test_reduce_and_single_elements():
    assert Dataset.range(4).reduce(np.int64(0), lambda total, x: total + x).numpy() == 6
    assert Dataset.range(1).get_single_element().numpy() == 0
    for dataset, problem in (Dataset.range(4), "had more than one element"), (Dataset.range(0), "was empty"):
        with pytest.raises(mg.errors.InvalidArgumentError, match=f"Dataset {problem}"):
            dataset.get_single_element()


SHUFFLES = [
    (lambda: Dataset.range(10).shuffle(10, seed=1), [[0, 9, 5, 1, 2, 7, 3, 8, 6, 4], [8, 9, 7, 5, 4, 6, 2, 1, 0, 3]]),
    (lambda: Dataset.range(10).shuffle(3, seed=1), [[1, 3, 0, 5, 2, 6, 7, 8, 9, 4], [1, 3, 0, 5, 4, 6, 8, 9, 2, 7]]),
    (
        lambda: Dataset.range(10).shuffle(3, seed=1, reshuffle_each_iteration=False),
        [[0, 3, 2, 4, 5, 7, 6, 9, 1, 8], [0, 3, 2, 4, 5, 7, 6, 9, 1, 8]],
    ),
]


@pytest.mark.parametrize(("make", "expected"), SHUFFLES)
def test_shuffling_gives_tensorflows_order(make, expected):
    mg.random.set_seed(None)
    dataset = make()
    assert [[int(x) for x in dataset] for _ in expected] == expected


def test_shuffling_takes_one_seed_from_the_global_one():
    mg.random.set_seed(3)
    dataset = Dataset.range(8).shuffle(8)
    assert [int(x) for x in dataset] == [3, 4, 0, 2, 6, 1, 7, 5]
    assert mg.random.uniform([1]).numpy()[0] == np.float32(0.19457185)


def test_caching_computes_each_element_once():
    calls = []
    dataset = Dataset.range(3).map(lambda x: calls.append(1) or x).cache()
    assert plain(dataset) == plain(dataset) == [0, 1, 2]
    assert len(calls) == 3


def test_a_dataset_cuts_the_path_of_gradients():
    v = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.add_n([x * v[0] for x in Dataset.from_tensor_slices(v * 2).map(lambda x: x * 3.0)])
    assert tape.gradient(y, v).numpy().tolist() == [18.0, 0.0], "as if the elements were constants"


DATASET_ERRORS = [
    (lambda: Dataset.from_tensor_slices(([1, 2], [3, 4, 5])), ValueError, "Dimensions 2 and 3 are not compatible"),
    (lambda: Dataset.from_tensor_slices(3), ValueError, "Unbatching a tensor is only supported for rank >= 1"),
    (lambda: Dataset.zip(1), TypeError, "Invalid input to `zip`"),
    (lambda: Dataset.range(4).batch(0), mg.errors.InvalidArgumentError, "Batch size must be greater than zero"),
    (lambda: Dataset.range(4).map(abs, 0), mg.errors.InvalidArgumentError, r"num_parallel_calls must be .* \[Op:ParallelMapDatasetV2\]"),
    (lambda: Dataset.range(4).map(abs, 2.5), TypeError, "Cannot convert 2.5"),
    (lambda: Dataset.range(4).interleave(Dataset.range, num_parallel_calls=-2), mg.errors.InvalidArgumentError, "num_parallel_calls must"),
    (lambda: Dataset.range(4).prefetch(-2), mg.errors.InvalidArgumentError, "buffer_size must be >= 0 or"),
    (lambda: Dataset.range(4).cache(3), TypeError, "Cannot convert 3"),
    (lambda: Dataset.range(4).shuffle(0), mg.errors.InvalidArgumentError, "buffer_size must be greater than zero"),
    (lambda: Dataset.range(3)[0], TypeError, "not subscriptable"),
    (
        lambda: list(Dataset.range(1, 3).map(lambda x: mg.range(x)).batch(2)),
        mg.errors.InvalidArgumentError,
        r"First element had shape \[1\] and element 1 had shape \[2\]",
    ),
]


@pytest.mark.parametrize(("use", "error", "message"), DATASET_ERRORS)
def test_dataset_errors(use, error, message):
    with pytest.raises(error, match=message):
        use()


# ---- queues --------------------------------------------------------------------------------------------------------


def test_a_queue_gives_back_what_came_first():
    queue = mg.queue.FIFOQueue(3, mg.float32)
    assert queue.enqueue(1.0) is None
    queue.enqueue_many([[2.0, 3.0]])
    assert queue.size().numpy() == 3
    assert [queue.dequeue().numpy() for _ in range(3)] == [1.0, 2.0, 3.0]


def test_a_queue_of_several_components():
    queue = mg.queue.FIFOQueue(3, [mg.float32, mg.int32], shapes=[(), (2,)])
    queue.enqueue_many(([1.0, 2.0], [[1, 2], [3, 4]]))
    numbers, pairs = queue.dequeue_many(2)
    assert (numbers.numpy().tolist(), pairs.numpy().tolist()) == ([1.0, 2.0], [[1, 2], [3, 4]])
    named = mg.queue.FIFOQueue(3, mg.int32, shapes=[()], names=["a"])
    named.enqueue({"a": 1})
    assert named.dequeue()["a"].numpy() == 1
    none = queue.dequeue_many(0)
    assert [(part.numpy().shape, part.dtype) for part in none] == [((0,), mg.float32), ((0, 2), mg.int32)]


def test_a_closed_queue_can_be_emptied():
    queue = mg.queue.FIFOQueue(3, mg.int32, shapes=[()])
    queue.enqueue_many([[1, 2]])
    queue.close()
    assert queue.is_closed()
    assert queue.dequeue_up_to(3).numpy().tolist() == [1, 2]
    assert queue.dequeue_up_to(0).numpy().tolist() == []


def test_a_queue_has_one_dtype_or_a_list_of_them_by_any_name():
    assert mg.queue.FIFOQueue(3, "float32").dtypes == [mg.float32]
    assert mg.queue.FIFOQueue(3, ["float32", np.int32]).dtypes == [mg.float32, mg.int32]
    assert mg.queue.FIFOQueue(3, "float32", np.array([2, 3])).shapes == [mg.TensorShape([2, 3])]
    assert all(isinstance(one, mg.DType) for one in mg.queue.FIFOQueue(3, ["float32", np.int32]).dtypes)


def test_a_traced_function_uses_a_queue_each_time_that_it_is_called():
    queue = mg.queue.FIFOQueue(9, mg.float32, shapes=[()])
    put, take = mg.function(queue.enqueue), mg.function(queue.dequeue)
    for k in range(4):
        put(mg.constant(float(k)))
    assert queue.size().numpy() == 4
    assert [take().numpy() for _ in range(4)] == [0.0, 1.0, 2.0, 3.0]


def test_a_queue_cuts_the_path_of_gradients():
    x, queue = mg.Variable(2.0), mg.queue.FIFOQueue(3, mg.float32)
    with mg.GradientTape() as tape:
        queue.enqueue(x * x)
        y = queue.dequeue() * x
    assert tape.gradient(y, x).numpy() == 4.0


def closed():
    queue = mg.queue.FIFOQueue(3, mg.float32, shapes=[()])
    queue.close()
    return queue


def pairs():
    return mg.queue.FIFOQueue(3, [mg.float32, mg.int32], shapes=[(), (2,)])


QUEUE_ERRORS = [
    (lambda: pairs().enqueue((1.0, [1, 2, 3])), ValueError, r"Shapes \(3,\) and \(2,\) are incompatible"),
    (lambda: pairs().enqueue((1.0, [1.0, 2.0])), TypeError, "to EagerTensor of dtype int32"),
    (lambda: pairs().enqueue(1.0), mg.errors.InvalidArgumentError, "Signature mismatch"),
    (lambda: mg.queue.FIFOQueue(2, mg.float32).enqueue(mg.constant(1)), ValueError, "component_0: Tensor conversion requested"),
    (lambda: mg.queue.FIFOQueue(2, mg.float32).dequeue_many(1), mg.errors.InvalidArgumentError, "to have specified shapes"),
    (lambda: mg.queue.FIFOQueue(2, [mg.float32], [(), ()]), mg.errors.InvalidArgumentError, "Different number of component types"),
    (lambda: mg.queue.FIFOQueue(0, mg.float32).enqueue(1.0), mg.errors.ResourceExhaustedError, "is full"),
    (lambda: closed().enqueue(1.0), mg.errors.CancelledError, "is closed"),
    (lambda: closed().close(), mg.errors.CancelledError, "is already closed"),
    (lambda: closed().dequeue(), mg.errors.OutOfRangeError, r"insufficient elements \(requested 1, current size 0\)"),
]


@pytest.mark.parametrize(("use", "error", "message"), QUEUE_ERRORS)
def test_queue_errors(use, error, message):
    with pytest.raises(error, match=message):
        use()


# ---- texts ---------------------------------------------------------------------------------------------------------

TEXTS = [
    (lambda: mg.strings.length(["abc", "hé"]), [3, 3]),
    (lambda: mg.strings.length("hé", unit="UTF8_CHAR"), 2),
    (lambda: mg.strings.join([["a", "b"], "c"], separator="_"), [b"a_c", b"b_c"]),
    (lambda: mg.strings.join([]), b""),
    (lambda: mg.strings.lower(["ABCÉ"]), ["abcÉ".encode()]),
    (lambda: mg.strings.lower("ABCÉ", encoding="utf-8"), "abcé".encode()),
    (lambda: mg.strings.to_number(["1.5", " 2 "]), [1.5, 2.0]),
    (lambda: mg.strings.to_number("3", mg.int32), 3),
    (lambda: mg.strings.as_string([1.5, 2.25]), [b"1.500000", b"2.250000"]),
    (lambda: mg.strings.as_string(3.14159, precision=2), b"3.14"),
    (lambda: mg.strings.as_string([True, False]), [b"true", b"false"]),
    (lambda: mg.strings.as_string([1.5], scientific=True), [b"1.500000e+00"]),
    (lambda: mg.strings.as_string(5, width=4), b"   5"),
    (lambda: mg.strings.substr(["hello", "wo"], [1, 0], [2, 1]), [b"el", b"w"]),
    (lambda: mg.strings.substr("hello", -3, 2), b"ll"),
    (lambda: mg.strings.substr("héllo", 1, 2, unit="UTF8_CHAR"), "él".encode()),
    (lambda: mg.strings.strip(["  a b ", "\n"]), [b"a b", b""]),
    (lambda: mg.strings.regex_replace("a1b22", r"(\d)", r"<\1>"), b"a<1>b<2><2>"),
    (lambda: mg.strings.regex_replace("a1b2", "[0-9]", "#", replace_global=False), b"a#b2"),
    (lambda: mg.strings.split("a,b,,c", ","), [b"a", b"b", b"", b"c"]),
    (lambda: mg.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1, separator="-"), [b"a-b", b"c-d"]),
    (lambda: mg.constant(["a", "b"]) + "c", [b"ac", b"bc"]),
    (lambda: "c" + mg.constant("a"), b"ca"),
    (lambda: mg.Variable("a") + "b", b"ab"),
]


@pytest.mark.parametrize(("op", "expected"), TEXTS)
def test_texts(op, expected):
    assert op().numpy().tolist() == expected if isinstance(expected, list) else op().numpy() == expected


TEXT_ERRORS = [
    (lambda: mg.strings.to_number("x"), "StringToNumberOp could not correctly convert string: x"),
    (lambda: mg.strings.to_number("1.5", mg.int32), "StringToNumberOp could not correctly convert string: 1.5"),
    (lambda: mg.strings.substr("hi", 5, 1), "pos 5 out of range for string b'hi'"),
    (lambda: mg.strings.length("a", unit="X"), "is not in the list of allowed values"),
    (lambda: mg.strings.length(mg.constant(1)), r"input #0\(zero-based\) was expected to be a string tensor but is a int32 tensor"),
    (lambda: mg.strings.as_string(3, precision=0), "precision not supported for datatype int32"),
    (lambda: mg.strings.regex_replace("a", "(", ""), r"Invalid pattern: \("),
    (lambda: mg.constant(["a", "b"]) + mg.constant(["a", "b", "c"]), r"Incompatible shapes: \[2\] vs. \[3\]"),
]


@pytest.mark.parametrize(("op", "message"), TEXT_ERRORS)
def test_text_errors(op, message):
    with pytest.raises(mg.errors.InvalidArgumentError, match=message):
        op()


# ---- pictures ------------------------------------------------------------------------------------------------------

PICTURE = np.arange(12, dtype=np.float32).reshape(2, 2, 3) / 11

PICTURES = [
    (lambda x: mg.image.adjust_contrast(x, 2.0), [-0.4090909, -0.3181818, -0.2272728, 0.1363636, 0.2272728, 0.3181818]),
    (lambda x: mg.image.adjust_brightness(x, 0.1), [0.1, 0.1909091, 0.2818182, 0.3727273, 0.4636364, 0.5545455]),
    (lambda x: mg.image.adjust_hue(x, 0.2), [0.1272727, 0.0, 0.1818182, 0.4, 0.2727273, 0.4545455]),
    (lambda x: mg.image.adjust_saturation(x, 0.5), [0.0909091, 0.1363636, 0.1818182, 0.3636364, 0.4090909, 0.4545455]),
    (lambda x: mg.image.rgb_to_grayscale(x), [0.0740909, 0.3467909, 0.619491, 0.892191]),
    (lambda x: mg.image.flip_left_right(x), [0.2727273, 0.3636364, 0.4545455, 0.0, 0.0909091, 0.1818182]),
    (lambda x: mg.image.flip_up_down(x), [0.5454546, 0.6363636, 0.7272727, 0.8181818, 0.9090909, 1.0]),
]


@pytest.mark.parametrize(("op", "expected"), PICTURES)
def test_pictures(op, expected):
    np.testing.assert_allclose(op(mg.constant(PICTURE)).numpy().ravel()[: len(expected)], expected, rtol=1e-6, atol=2e-7)


def test_pictures_of_bytes_stay_bytes():
    x = mg.constant([[[10, 200, 30]]], mg.uint8)
    assert mg.image.adjust_hue(x, 0.5).numpy().ravel().tolist() == [200, 10, 180]
    assert mg.image.adjust_brightness(mg.constant([[[250, 2, 3]]], mg.uint8), 0.1).numpy().ravel().tolist() == [255, 27, 28]
    y = mg.image.adjust_contrast(mg.constant([[[1, 2, 3], [4, 50, 6]]], mg.uint8), 2.0)
    assert y.numpy().ravel().tolist() == [0, 0, 1, 5, 74, 7]
    np.testing.assert_allclose(mg.image.convert_image_dtype(x, mg.float32).numpy().ravel(), [0.03921569, 0.7843138, 0.11764707])


@pytest.mark.parametrize("op", ["adjust_contrast", "adjust_hue", "adjust_saturation"])
def test_adjusting_has_no_registered_gradient(op):
    x = mg.Variable(PICTURE)
    with mg.GradientTape(persistent=True) as tape:
        y = getattr(mg.image, op)(x, 0.5)
        z = x * 2.0
    assert tape.gradient(z, x) is not None, "only on the path"
    with pytest.raises(LookupError, match="gradient registry has no entry for: Adjust"):
        tape.gradient(y, x)


RESIZED = [  # what TensorFlow makes of the row 0, 1, 2, 3
    ("bilinear", [5], [0.0, 0.7, 1.5, 2.3, 3.0]),
    ("bilinear", [2], [0.5, 2.5]),
    ("nearest", [6], [0, 1, 1, 2, 3, 3]),
    ("nearest", [2], [1, 3]),
]


@pytest.mark.parametrize(("method", "width", "expected"), RESIZED)
def test_resizing_puts_the_centers_of_pixels_where_tensorflow_does(method, width, expected):
    row = mg.constant([[[0.0], [1.0], [2.0], [3.0]]])
    wide = mg.image.resize(row, [1, *width], method)
    np.testing.assert_allclose(wide[0, :, 0], expected, rtol=1e-6)
    high = mg.image.resize(mg.transpose(row, [1, 0, 2]), [*width, 1], method)
    np.testing.assert_array_equal(high[:, 0], wide[0])


def test_resizing_keeps_dtypes_and_the_ratio_if_asked():
    x = mg.ones([2, 3, 4, 1], mg.uint8)
    assert [mg.image.resize(x, [6, 2], method).dtype.name for method in ("bilinear", "nearest")] == ["float32", "uint8"]
    assert tuple(mg.image.resize(x, [6, 6], preserve_aspect_ratio=True).shape) == (2, 4, 6, 1)
    infinite = mg.image.resize(mg.constant([[[np.inf], [1.0], [1.0]]]), [1, 6], "nearest")
    assert infinite.numpy().ravel().tolist() == [np.inf, np.inf, 1, 1, 1, 1]


@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_resizing_has_gradients_of_any_order(method):
    square = lambda x: mg.image.resize(x, [5, 3], method) ** 2
    x = mg.constant(np.random.default_rng(1).normal(size=(1, 3, 4, 2)), mg.float32)
    mg.test.check_gradients(square, x, order=2, delta=0.1, rtol=0.01)  # the numbers are float32


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"size": [2]}, ValueError, "'size' must be a 1-D Tensor of 2 elements"),
        ({"size": [2.0, 2.0]}, ValueError, "'size' must be a 1-D int32 Tensor"),
        ({"size": [0, 2]}, mg.errors.InvalidArgumentError, "output dimensions must be positive"),
        ({"method": "area"}, ValueError, "not implemented: area. Known are bilinear, nearest"),
        ({"antialias": True}, mg.errors.UnimplementedError, "no antialiasing here. Write antialias=False"),
        ({"images": mg.ones([3, 2])}, ValueError, "'images' must have either 3 or 4 dimensions"),
        ({"images": mg.ones([3, 0, 1])}, mg.errors.InvalidArgumentError, "input image must be of non-zero size"),
        ({"images": mg.constant([[["a"]]])}, mg.errors.InvalidArgumentError, "Value for attr 'T' of string"),
    ],
)
def test_wrong_sizes_and_methods_of_images_are_refused(settings, error, message):
    with pytest.raises(error, match=message):
        mg.image.resize(**{"images": mg.ones([3, 2, 1]), "size": [2, 2]} | settings)


def test_other_picture_ops_have_gradients():
    x = mg.Variable(PICTURE)
    with mg.GradientTape(persistent=True) as tape:
        gray = mg.reduce_sum(mg.image.rgb_to_grayscale(x) ** 2)
        mirrored = mg.reduce_sum(mg.image.flip_left_right(x) ** 2)
    np.testing.assert_allclose(tape.gradient(gray, x).numpy()[0, 0], [0.04429155, 0.08698273, 0.01689273], rtol=1e-6)
    np.testing.assert_allclose(tape.gradient(mirrored, x).numpy(), 2 * PICTURE, rtol=1e-6)


def test_picture_errors():
    with pytest.raises(mg.errors.InvalidArgumentError, match=r"input must be at least 3-D, got shape\[2\] \[Op:AdjustContrastv2\]"):
        mg.image.adjust_contrast([1.0, 2.0], 2.0)
    with pytest.raises(mg.errors.InvalidArgumentError, match="input must have 3 channels but instead has 2 channels"):
        mg.image.adjust_saturation(mg.ones([2, 2, 2]), 0.5)
    with pytest.raises(ValueError, match=r"delta must be in the interval \[-1, 1\]"):
        mg.image.adjust_hue(PICTURE, 2.0)


def test_a_dataset_tells_what_it_holds():
    assert repr(Dataset.range(2)) == "<_RangeDataset element_spec=TensorSpec(shape=(), dtype=mg.int64, name=None)>"
    promised = Dataset.from_generator(lambda: iter([]), mg.int32)
    assert repr(promised) == "<_FlatMapDataset element_spec=TensorSpec(shape=<unknown>, dtype=mg.int32, name=None)>"
    assert repr(Dataset.range(2).map(lambda x, y: x)) == "<_MapDataset element_spec=unknown>"
    with pytest.raises(ValueError, match="The Dataset is empty"):
        Dataset.range(1).batch(2, drop_remainder=True).element_spec
    data = Dataset.range(2)
    assert list(data.with_options(None)) == list(data)


PROMISES = [  # what is promised, what the generator yields, and what is said of it
    (dict(output_types=mg.int32), 1.5, "expected structure was mg.int32, but the yielded element was 1.5"),
    (dict(output_types=mg.int32), "a", "but the yielded element was a"),
    (dict(output_types=mg.int32), mg.constant(1.5), "expected structure was mg.int32"),
    (dict(output_types=(mg.int32, mg.float32)), (1, 2.0, 3), r"was \(mg.int32, mg.float32\), but the yielded element was \(1, 2.0, 3\)"),
    (dict(output_types=(mg.int32, mg.int32)), [1, 2], r"but the yielded element was \[1, 2\]"),
    (dict(output_types={"a": mg.float32}), {"b": 1}, "was {'a': mg.float32}, but the yielded element was {'b': 1}"),
    (dict(output_types={"a": mg.float32}), 1, "but the yielded element was 1"),
    (dict(output_types=mg.float32), [[1.0], [2.0, 3.0]], "did not match the expected structure"),
    (dict(output_signature=mg.TensorSpec((), mg.int32)), "a", "The expected type was int32, but the yielded element was a"),
    (dict(output_signature=mg.TensorSpec((), mg.int32)), mg.constant("a"), "could not be converted to the expected type"),
    (dict(output_signature=mg.TensorSpec((2,))), [3.0], r"of shape \(1,\) where an element of shape \(2,\) was expected"),
    (dict(output_types=mg.float32, output_shapes=(2,)), [3.0], r"of shape \(1,\) where an element of shape \(2,\) was expected"),
    (dict(output_types=(mg.int32, mg.float32), output_shapes=((), (3,))), (1, [2.0]), r"of shape \(1,\) where an element of shape \(3,\)"),
]


@pytest.mark.parametrize(("promise", "element", "told"), PROMISES)
def test_what_a_generator_promised_it_must_keep(promise, element, told):
    with pytest.raises(mg.errors.InvalidArgumentError, match=told):
        list(Dataset.from_generator(lambda: iter([element]), **promise))


def test_what_a_generator_keeps_may_have_any_length_that_was_left_open():
    open_ended = Dataset.from_generator(lambda: iter([[1.0, 2.0], [3.0]]), output_signature=mg.TensorSpec((None,)))
    assert [len(x) for x in open_ended] == [2, 1]
    whole = mg.TensorSpec((2,), mg.int32)
    halves = Dataset.from_generator(lambda: iter([np.array([1.5, -2.5])]), output_signature=whole)
    assert next(iter(halves)).numpy().tolist() == [1, -2]
    forms = Dataset.from_generator(lambda: iter([{"a": (1, 2.0)}]), output_types={"a": (mg.int32, mg.float32)})
    assert repr(next(forms.as_numpy_iterator())) == "{'a': (np.int32(1), np.float32(2.0))}"


@pytest.mark.parametrize("element", [1.5, mg.constant(1.5), mg.Variable(1.5), mg.Variable(1), np.float64(1.5), 2**32 + 1])
def test_numbers_of_a_promised_rank_are_cast(element):
    found = next(iter(Dataset.from_generator(lambda: iter([element]), output_signature=mg.TensorSpec((), mg.int32))))
    assert found.dtype == mg.int32 and found.numpy() == 1


def test_what_is_no_function_is_refused_at_once():
    numbers = Dataset.range(3)
    for give in (numbers.map, numbers.filter, numbers.flat_map, lambda x: numbers.reduce(0, x)):
        with pytest.raises(ValueError, match=r"Argument `func` must be a callable\. Received func=3 \(of type <class 'int'>\)"):
            give(3)


@pytest.mark.parametrize("made", [lambda x: [x, x], lambda x: x, lambda x: None])
def test_a_flat_map_is_made_of_datasets(made):
    with pytest.raises(TypeError, match=r"The `map_func` argument must return a `Dataset` object\. Got <class"):
        list(Dataset.range(3).flat_map(made))


def test_a_function_that_is_made_anew_goes_on_with_its_random_numbers():
    mg.random.set_seed(1)
    drawn = Dataset.range(3).flat_map(lambda i: Dataset.range(2).map(lambda j: mg.random.uniform(())))
    for _ in range(2):  # as TensorFlow 2.21 gives them
        assert [round(float(one), 4) for one in drawn] == [0.8127, 0.5273, 0.8489, 0.8929, 0.3781, 0.9844]


@pytest.mark.parametrize("name", ["batch", "padded_batch", "window"])
@pytest.mark.parametrize("drop", [0, 1, 1.0, "a"])
def test_a_batch_is_dropped_or_not(name, drop):
    with pytest.raises(TypeError, match=f"Cannot convert {drop!r} to EagerTensor of dtype bool"):
        getattr(Dataset.range(3), name)(2, drop_remainder=drop)


def test_the_part_that_cannot_be_stacked_is_named():
    ragged = Dataset.from_generator(lambda: iter([(1, [1]), (1, [1, 2])]), output_types=(mg.int32, mg.int32)).batch(2)
    with pytest.raises(mg.errors.InvalidArgumentError, match=r"in component 1\. First element had shape \[1\] and element 1"):
        list(ragged)


def test_a_generator_is_a_function_with_one_promise():
    spec = mg.TensorSpec((), mg.int32)
    for told, generator, promise in [
        ("`generator` must be a Python callable", [1, 2], dict(output_types=mg.int32)),
        ("either the `output_signature` argument or the `output_types` argument", lambda: iter([1]), {}),
        ("The `output_types` argument can not be used", lambda: iter([1]), dict(output_types=mg.int32, output_signature=spec)),
        ("The `output_shapes` argument can not be used", lambda: iter([1]), dict(output_shapes=(), output_signature=spec)),
        ("subclass of `tf.TypeSpec` but found <class 'int'>", lambda: iter([1]), dict(output_signature=(spec, 5))),
    ]:
        with pytest.raises(TypeError, match=told):
            Dataset.from_generator(generator, **promise)
    with pytest.raises(mg.errors.InvalidArgumentError, match="TypeError: 'int' object is not iterable"):
        list(Dataset.from_generator(lambda: 5, output_types=mg.int32))


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        (ValueError("lost"), mg.errors.InvalidArgumentError),
        (NotImplementedError("lost"), mg.errors.UnimplementedError),
        (MemoryError("lost"), mg.errors.ResourceExhaustedError),
        (OSError("lost"), mg.errors.UnknownError),
    ],
)
def test_an_error_in_a_generator_is_tensorflows(problem, kind):
    def broken():
        yield 1
        raise problem

    found = iter(Dataset.from_generator(broken, output_types=mg.int32))
    assert next(found).numpy() == 1
    with pytest.raises(kind, match=f"^{type(problem).__name__}: lost$") as caught:
        next(found)
    assert caught.value.__cause__ is problem and list(found) == []
    with pytest.raises(kind, match=f"^{type(problem).__name__}: lost$"):
        mg.py_function(lambda: [*broken()], [], mg.int32)


def with_errors(dataset):
    """What a loop finds that goes on after an error ("!")."""
    found, elements = [], iter(dataset)
    while len(found) < 30:
        try:
            found.append(values(next(elements)))
        except StopIteration:
            return found
        except mg.errors.InvalidArgumentError:
            found.append("!")
    return found


def values(element):
    if isinstance(element, tuple):
        return tuple(map(values, element))
    return with_errors(element) if isinstance(element, Dataset) else element.numpy().tolist()


def without(*numbers):
    """The numbers from 0 to 6, with an error in place of these."""
    return Dataset.range(7).map(lambda x: x // int(int(x) not in numbers))


class Stuttering:
    """Raises an error at 2, and goes on."""

    def __init__(self):
        self.numbers = iter(range(5))

    def __iter__(self):
        return self

    def __next__(self):
        if (n := next(self.numbers)) == 2:
            raise ValueError("no 2")
        return n


@pytest.mark.parametrize(
    ("make", "expected"),
    [  # as in TensorFlow
        (lambda: Dataset.from_tensor_slices(["1", "x", "3"]).map(mg.strings.to_number), [1, "!", 3]),
        (lambda: without(2).map(lambda x: x * 10), [0, 10, "!", 30, 40, 50, 60]),
        (lambda: without(2).batch(2), [[0, 1], "!", [4, 5], [6]]),
        (lambda: without(0, 4).batch(3, drop_remainder=True), ["!", "!"]),
        (lambda: without(6).batch(2, drop_remainder=True), [[0, 1], [2, 3], [4, 5], "!"]),
        (lambda: without(2).filter(lambda x: x >= 0).batch(2), [[0, 1], "!", [3, 4], [5, 6]]),
        (lambda: without(2).padded_batch(2), [[0, 1], "!", [3, 4], [5, 6]]),
        (lambda: Dataset.range(1, 4).map(lambda n: mg.fill([n], n)).batch(2), ["!", [[3, 3, 3]]]),
        (lambda: without(2).batch(2).unbatch(), [0, 1, "!", 4, 5, 6]),
        (lambda: without(2).take(3), [0, 1, "!", 3]),
        (lambda: without(2).skip(3), ["!", 6]),
        (lambda: without(0, 4).skip(3), ["!", "!", 5, 6]),
        (lambda: without(2).shard(3, 1), [1, "!", 5]),
        (lambda: without(0, 4).shard(2, 0), ["!", 1, 3, "!", 6]),
        (lambda: without(2).filter(lambda x: x % 2 == 0), [0, "!", 4, 6]),
        (lambda: Dataset.range(5).filter(lambda x: 1 // (x - 2) < 5), [0, 1, "!", 3, 4]),
        (lambda: without(2).take_while(lambda x: x < 5), [0, 1, "!", 3, 4]),
        (lambda: Dataset.range(5).take_while(lambda x: 1 // (x - 2) < 5), [0, 1, "!", 3, 4]),
        (lambda: without(0, 4).enumerate(), ["!", (1, 1), (2, 2), (3, 3), "!", (5, 5), (6, 6)]),
        (lambda: Dataset.zip((without(2), Dataset.range(10, 14))), [(0, 10), (1, 11), "!", (3, 13)]),
        (lambda: Dataset.zip((Dataset.range(2), without(2))), [(0, 0), (1, 1)]),
        (lambda: without(0, 4).concatenate(Dataset.range(1)), ["!", 1, 2, 3, "!", 5, 6, 0]),
        (lambda: without(6).take(7).repeat(2), [*range(6), "!"] * 2),
        (lambda: without(0, 1, 2, 3, 4).skip(1).repeat().take(3), ["!"] * 5 + [6] + ["!"] * 5 + [6] + ["!"] * 5 + [6]),
        (lambda: Dataset.range(1).map(lambda x: 1 // x).repeat(), ["!"]),
        (lambda: without(5, 6).cache().repeat(2), [*range(5), "!", "!", *range(5)]),
        (lambda: without(2, 4).flat_map(lambda x: Dataset.range(x)), [0, "!", 0, 1, 2, "!", *range(5), *range(6)]),
        (lambda: Dataset.range(4).flat_map(lambda x: Dataset.range(1 // (x - 2) + 2)), [0, 0, "!", 0, 1, 2]),
        (lambda: Dataset.range(2).flat_map(lambda x: without(1).take(2)), [0, "!", 2] * 2),
        (
            lambda: without(0, 4).interleave(lambda x: Dataset.range(10 * x, 10 * x + 2), 2),
            ["!", 10, 20, 11, 21, 30, "!", 50, 31, 51, 60, 61],
        ),
        (lambda: Dataset.range(2).interleave(lambda x: without(1).take(3), 2, 2), [0, "!", 2, 0, "!", 2, 3, 3]),
        (lambda: without(2).window(2), [[0, 1], "!", [4, 5], [6]]),
        (lambda: without(4).window(3, shift=1), [[0, 1, 2], [1, 2, 3], "!", "!", "!", [5, 6], [6]]),
        (lambda: without(2).shuffle(3, seed=1), ["!", 1, 4, 5, 6, 0, 3]),
        (lambda: Dataset.from_generator(Stuttering, output_types=mg.int64).batch(2), [[0, 1], "!", [3, 4]]),
    ],
)
def test_an_iterator_goes_on_after_an_error(make, expected):
    mg.random.set_seed(1)
    assert with_errors(make()) == expected


def test_apply_wants_a_dataset():
    assert values(Dataset.range(3).apply(lambda d: d.take(1)).get_single_element()) == 0
    for wrong in (5, None, [Dataset.range(3)]):
        with pytest.raises(TypeError, match=re.escape(f"must return a `tf.data.Dataset` object. Got {type(wrong)}")):
            Dataset.range(3).apply(lambda d, wrong=wrong: wrong)


def test_a_generator_that_does_not_begin_has_no_end():
    assert with_errors(Dataset.from_generator(lambda: 5, output_types=mg.int32)) == ["!"] * 30


def test_arrays_and_checkpoints_go_on_after_an_error():
    arrays = without(1).as_numpy_iterator()
    assert next(arrays) == 0
    with pytest.raises(mg.errors.InvalidArgumentError):
        next(arrays)
    assert next(arrays) == 2
    elements = iter(without(1))
    elements._go_to(3)
    assert next(elements).numpy() == 3


def test_texts_in_a_vector_are_not_cut():
    with pytest.raises(mg.errors.UnimplementedError, match="no ragged Tensors"):
        mg.strings.split(["a b", "c"])


def test_a_dataset_that_is_shown_keeps_its_order():
    mg.random.set_seed(3)
    shown = Dataset.range(20).shuffle(20)
    assert "TensorSpec(shape=(), dtype=mg.int64" in repr(shown.map(lambda x: x))
    order = [int(x) for x in shown]
    mg.random.set_seed(3)
    assert order == [int(x) for x in Dataset.range(20).shuffle(20)]


def test_the_form_of_a_dataset_is_found_without_drawing_a_number():
    drawn = []
    for shows in (True, False):
        mg.random.set_seed(1)
        draws = Dataset.from_generator(lambda: iter([mg.random.uniform(())]), output_signature=mg.TensorSpec((), mg.float32))
        made = draws.map(lambda x: x * 2.0)
        assert not shows or made.element_spec.shape == ()
        drawn.append([float(mg.random.uniform(())), *map(float, made)])
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    "made",
    [lambda: Dataset.range(5).shuffle(5).cache().batch(10), lambda: Dataset.range(3).map(lambda x: mg.random.uniform(()))],
    ids=["cached", "drawn"],
)
def test_to_show_a_dataset_changes_nothing_in_it(made):
    mg.random.set_seed(1)
    shown = made()
    assert "TensorSpec" in repr(shown)
    after = [x.numpy().tolist() for x in shown]
    mg.random.set_seed(1)
    assert after == [x.numpy().tolist() for x in made()]


NUMBERS, ROWS = Dataset.range(10), Dataset.from_tensor_slices((np.zeros((10, 3), np.float32), np.arange(10)))
SPECS = [
    (NUMBERS.batch(4), [[None]]),
    (NUMBERS.batch(1), [[None]]),
    (NUMBERS.batch(100), [[None]]),
    (NUMBERS.batch(4, drop_remainder=True), [[4]]),
    (ROWS.batch(4), [[None, 3], [None]]),
    (Dataset.from_tensor_slices({"b": [1.0, 2.0], "a": ["x", "y"]}).batch(2), [[None], [None]]),
    (NUMBERS.batch(4).batch(2), [[None, None]]),
    (NUMBERS.batch(5, drop_remainder=True).batch(2), [[None, 5]]),
    (NUMBERS.batch(2).batch(3, drop_remainder=True), [[3, None]]),
    (ROWS.batch(4).map(lambda x, y: (mg.transpose(x), mg.reduce_sum(x), x[0], x[:2])), [[3, None], [], [3], [None, 3]]),
    (NUMBERS.batch(2).map(lambda x: mg.reshape(x, [2])), [[2]]),
    (NUMBERS.batch(2).map(mg.squeeze), [None]),
    (ROWS.batch(4).unbatch(), [[3], []]),
    (NUMBERS.batch(4).repeat().shuffle(3).take(2).cache(), [[None]]),
    (NUMBERS.batch(4).repeat().filter(lambda x: len(x) == 4), [[None]]),
    (Dataset.zip(NUMBERS.batch(4), NUMBERS.batch(2, drop_remainder=True)), [[None], [2]]),
    (NUMBERS.take(0), [[]]),
    (NUMBERS.skip(10).batch(2), [[None]]),
    (Dataset.range(0).batch(2), [[None]]),
    (Dataset.from_tensor_slices(np.zeros((0, 3), np.float32)).map(lambda x: (x, x[0])), [[3], []]),
    (Dataset.from_tensor_slices(mg.zeros([0], mg.string)).map(mg.strings.length), [[]]),
]


@pytest.mark.parametrize(("data", "expected"), SPECS)
def test_the_size_of_a_batch_is_not_known(data, expected):
    specs = data.element_spec
    specs = list(specs.values()) if isinstance(specs, dict) else specs if isinstance(specs, tuple) else [specs]
    assert [spec.shape for spec in specs] == [mg.TensorShape(shape) for shape in expected]


def test_a_batch_is_shown_with_an_unknown_length_also_from_a_full_cache():
    data = NUMBERS.batch(4).cache()
    for _ in range(2):
        assert repr(data) == "<CacheDataset element_spec=TensorSpec(shape=(None,), dtype=mg.int64, name=None)>"
        assert [x.shape[0] for x in data] == [4, 4, 2]


KINDS = [
    (Dataset.from_tensor_slices([1, 2]), "_TensorSlice"), (Dataset.from_tensors(1), "_Tensor"), (Dataset.zip(NUMBERS, NUMBERS), "_Zip"),
    (NUMBERS.map(abs, num_parallel_calls=2), "_ParallelMap"), (NUMBERS.batch(2, num_parallel_calls=2), "_ParallelBatch"),
    (NUMBERS.batch(2).unbatch(), "_Unbatch"), (NUMBERS.enumerate(), "_Zip"), (NUMBERS.apply(lambda data: data.take(2)), "_Take"),
    (NUMBERS.skip(-1), "_Skip"), (NUMBERS.batch(2).prefetch(1), "_Prefetch"),
    (NUMBERS.interleave(Dataset.from_tensors), "_Interleave"), (NUMBERS.interleave(Dataset.range, 2, 1, 3), "_ParallelInterleave"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "kind"), KINDS)
def test_a_dataset_is_shown_by_the_name_of_tensorflows(data, kind):
    assert repr(data).startswith(f"<{kind}Dataset element_spec=")


def test_what_makes_a_dataset_of_another_does_not_rename_that():
    assert repr(NUMBERS.prefetch(1)) != repr(NUMBERS)
    assert repr(NUMBERS).startswith("<_RangeDataset ")
    assert repr(next(iter(NUMBERS.window(2)))).startswith("<_VariantDataset ")


def test_a_dataset_that_fails_can_be_shown():
    broken = Dataset.range(3).map(lambda x: 1 // 0)
    assert repr(broken) == "<_MapDataset element_spec=unknown>"
    with pytest.raises(ZeroDivisionError):
        list(broken)


def test_nothing_again_and_again_is_nothing():
    nothing = Dataset.range(0)
    assert list(nothing.repeat()) == []
    assert Dataset.range(3).filter(lambda x: x > 5).element_spec == Dataset.range(3).element_spec


def test_a_cache_is_filled_as_it_is_read():
    assert [int(x) for x in Dataset.range(2).repeat().cache().take(3)] == [0, 1, 0]


def test_a_long_shuffle_does_not_grow():
    stream = shuffled(iter(range(5000)), 2, itertools.repeat(1))
    assert sorted(itertools.islice(stream, 4000)) == list(range(1, 4001))  # the first stays behind
    assert len(stream.gi_frame.f_locals["buffer"]) <= 1002


# ---- groups, parts and padding -------------------------------------------------------------------------------------


def numbers(dataset):
    return [x.numpy().tolist() for x in dataset]


@pytest.mark.parametrize(
    ("settings", "expected", "known"),
    [
        ({"size": 3}, [[0, 1, 2], [3, 4, 5], [6]], 3),
        ({"size": 3, "drop_remainder": True}, [[0, 1, 2], [3, 4, 5]], 2),
        ({"size": 3, "shift": 2, "stride": 2}, [[0, 2, 4], [2, 4, 6], [4, 6], [6]], 4),
        ({"size": 3, "shift": 2, "stride": 2, "drop_remainder": True}, [[0, 2, 4], [2, 4, 6]], 2),
        ({"size": 2, "shift": 3}, [[0, 1], [3, 4], [6]], 3),
        ({"size": 3, "shift": 10}, [[0, 1, 2]], 1),
        ({"size": 9, "drop_remainder": True}, [], 0),
    ],
)
def test_windows(settings, expected, known):
    dataset = Dataset.range(7).window(**settings)
    assert [numbers(group) for group in dataset] == expected
    assert len(dataset) == known
    assert [len(group) for group in dataset] == [len(group) for group in expected]


@pytest.mark.parametrize(
    ("settings", "expected"),  # TensorFlow's, of the numbers 1 to 5, each as often as it says
    [
        ({"cycle_length": 3, "block_length": 2}, [1, 2, 2, 3, 3, 4, 4, 3, 4, 4, 5, 5, 5, 5, 5]),
        ({"cycle_length": 2}, [1, 2, 2, 3, 3, 4, 3, 4, 4, 5, 4, 5, 5, 5, 5]),
        ({"cycle_length": 2, "block_length": 3}, [1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5]),
        ({"cycle_length": 2, "num_parallel_calls": 2}, [1, 2, 2, 3, 3, 4, 3, 4, 4, 5, 4, 5, 5, 5, 5]),
        ({"cycle_length": 10}, [1, 2, 3, 4, 5, 2, 3, 4, 5, 3, 4, 5, 4, 5, 5]),
        ({"num_parallel_calls": mg.data.AUTOTUNE}, [1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5]),
    ],
)
def test_interleaving_takes_turns_among_the_datasets_that_are_open(settings, expected):
    dataset = Dataset.range(1, 6).interleave(lambda x: Dataset.from_tensors(x).repeat(x), **settings)
    assert numbers(dataset) == numbers(dataset) == expected
    assert dataset.cardinality().numpy() == mg.data.UNKNOWN_CARDINALITY


def test_interleaving_skips_empty_datasets_opens_no_more_than_it_must_and_refuses_what_is_none():
    assert numbers(Dataset.range(4).interleave(lambda x: Dataset.range(x // 3), 2)) == [0]
    assert sorted(numbers(NUMBERS.interleave(Dataset.from_tensors))) == numbers(NUMBERS)
    endless = Dataset.range(3).repeat().interleave(lambda x: Dataset.from_tensors(x).repeat(), 2)
    assert numbers(endless.take(5)) == [0, 1, 0, 1, 0]
    for name in ("cycle_length", "block_length"):
        with pytest.raises(mg.errors.InvalidArgumentError, match=rf"{name} must be greater than zero. \[Op:InterleaveDataset\]"):
            NUMBERS.interleave(Dataset.range, **{"cycle_length": 1, name: 0})
    with pytest.raises(ValueError, match=r"`func` must be a callable. Received func=3"):
        NUMBERS.interleave(3)
    with pytest.raises(TypeError, match=r"must return a `Dataset` object"):
        next(iter(NUMBERS.interleave(lambda x: x)))


@pytest.mark.parametrize(("processors", "cycle_length"), [(3, 3), (None, 1)])
def test_as_many_datasets_are_open_as_there_are_processors(processors, cycle_length, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: processors)
    for unsaid in (None, mg.data.AUTOTUNE):
        found = NUMBERS.interleave(Dataset.range, unsaid)
        assert numbers(found) == numbers(NUMBERS.interleave(Dataset.range, cycle_length))


def test_windows_of_an_endless_dataset():
    dataset = Dataset.range(3).repeat().window(2, 1)
    assert dataset.cardinality().numpy() == mg.data.INFINITE_CARDINALITY
    assert [numbers(group) for group in dataset.take(4)] == [[0, 1], [1, 2], [2, 0], [0, 1]]


def test_windows_have_a_dataset_for_each_part():
    pairs = Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"])).window(2)
    flat = pairs.flat_map(lambda x, y: Dataset.zip((x.batch(2), y.batch(2))))
    assert [(x.tolist(), y.tolist()) for x, y in flat.as_numpy_iterator()] == [([1, 2], [b"a", b"b"]), ([3], [b"c"])]
    spec = Dataset.from_tensor_slices({"a": [1, 2]}).window(2).element_spec
    assert spec == {"a": mg.data.DatasetSpec(mg.TensorSpec([], mg.int32))}
    assert repr(spec["a"]) == "DatasetSpec(TensorSpec(shape=(), dtype=mg.int32, name=None), TensorShape([]))"
    assert hash(spec["a"]) != hash(mg.data.DatasetSpec(mg.TensorSpec([], mg.int32), [2]))
    assert spec["a"] != spec["a"].element_spec and spec["a"] != 1


def test_a_dataset_can_be_an_element():
    sums = Dataset.range(7).window(3).map(lambda group: group.reduce(mg.constant(0, mg.int64), lambda a, b: a + b))
    assert numbers(sums) == [3, 12, 6]
    assert [numbers(one) for one in Dataset.range(3).map(Dataset.range)] == [[], [0], [0, 1]]
    with pytest.raises(TypeError, match="is not supported for datasets that produce values of type"):
        next(Dataset.range(3).window(2).as_numpy_iterator())


def test_the_form_of_windows_is_known_without_elements():
    assert Dataset.range(0).window(2).element_spec == mg.data.DatasetSpec(mg.TensorSpec([], mg.int64))
    assert Dataset.range(1).window(2, drop_remainder=True).element_spec == mg.data.DatasetSpec(mg.TensorSpec([], mg.int64))


@pytest.mark.parametrize(
    ("settings", "what"), [({"size": 0}, "size"), ({"size": 2, "shift": 0}, "shift"), ({"size": 2, "stride": -1}, "stride")]
)
def test_windows_of_no_size_are_refused(settings, what):
    with pytest.raises(mg.errors.InvalidArgumentError, match=rf"\AWindow {what} must be greater than zero. \[Op:WindowDataset\]"):
        Dataset.range(7).window(**settings)


def test_take_while():
    pairs = Dataset.zip(Dataset.range(4), Dataset.range(4)).take_while(lambda x, y: x + y < 3)
    assert list(pairs.as_numpy_iterator()) == [(0, 0), (1, 1)]
    assert pairs.cardinality().numpy() == mg.data.UNKNOWN_CARDINALITY
    assert Dataset.range(4).take_while(lambda x: x < 0).element_spec == mg.TensorSpec([], mg.int64)
    with pytest.raises(ValueError, match="Argument `func` must be a callable"):
        Dataset.range(4).take_while(3)
    with pytest.raises(ValueError, match="Invalid `predicate`"):
        list(Dataset.range(4).take_while(lambda x: x))


def test_shards():
    parts = [Dataset.range(10).shard(3, i) for i in range(3)]
    assert [numbers(part) for part in parts] == [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]]
    assert [len(part) for part in parts] == [4, 3, 3]
    assert Dataset.range(1).shard(3, 2).element_spec == mg.TensorSpec([], mg.int64)
    with pytest.raises(mg.errors.InvalidArgumentError, match=r"Index must be between 0 and 2 \(currently index = 3\)"):
        Dataset.range(10).shard(3, 3)
    with pytest.raises(mg.errors.InvalidArgumentError, match="Number of shards must be greater than zero"):
        Dataset.range(10).shard(0, 0)


ROWS = Dataset.range(1, 4).map(lambda n: mg.fill([n], n))


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, [[[1, 0], [2, 2]], [[3, 3, 3]]]),
        ({"drop_remainder": True}, [[[1, 0], [2, 2]]]),
        ({"padded_shapes": 4}, [[[1, 0, 0, 0], [2, 2, 0, 0]], [[3, 3, 3, 0]]]),
        ({"padded_shapes": [-1]}, [[[1, 0], [2, 2]], [[3, 3, 3]]]),
        ({"padded_shapes": mg.TensorShape([3]), "padding_values": mg.constant(-1, mg.int64)}, [[[1, -1, -1], [2, 2, -1]], [[3, 3, 3]]]),
    ],
)
def test_padded_batches(settings, expected):
    dataset = ROWS.padded_batch(2, **settings)
    assert numbers(dataset) == expected
    assert len(dataset) == len(expected)


def test_padded_batches_of_elements_with_parts():
    pairs = Dataset.from_tensor_slices(([1, 2], ["a", "b"])).map(lambda n, s: (mg.range(n), s))
    for settings, expected in [
        ({}, [[0, 0], [0, 1]]),
        ({"padded_shapes": ([None], [])}, [[0, 0], [0, 1]]),
        ({"padding_values": (-1, None)}, [[0, -1], [0, 1]]),
    ]:
        ((x, y),) = pairs.padded_batch(2, **settings)
        assert (x.numpy().tolist(), y.numpy().tolist()) == (expected, [b"a", b"b"])
    named = Dataset.from_tensor_slices({"a": [1, 2]}).map(lambda e: {"a": mg.ones([e["a"], 2])})
    (batch,) = named.padded_batch(2, padded_shapes={"a": [3, None]}, padding_values={"a": 9.0})
    assert batch["a"].numpy().tolist() == [[[1, 1], [9, 9], [9, 9]], [[1, 1], [1, 1], [9, 9]]]
    texts = Dataset.from_tensor_slices([["ab"], ["c"]]).padded_batch(2, padded_shapes=2)
    assert numbers(texts) == [[[b"ab", b""], [b"c", b""]]]


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ({"padded_shapes": 2}, mg.errors.DataLossError, "Attempted to pad to a smaller size than the input element"),
        ({"padded_shapes": []}, ValueError, r"The padded shape \(\) is not compatible with the shape"),
        ({"padding_values": 0}, TypeError, "values type <dtype: 'int32'> does not match type <dtype: 'int64'>"),
    ],
)
def test_paddings_that_cannot_be_are_refused(settings, error, text):
    with pytest.raises(error, match=text):
        list(ROWS.padded_batch(3, **settings))


def test_batches_say_which_of_them_has_no_size():
    with pytest.raises(mg.errors.InvalidArgumentError, match=r"\ABatch size must be greater than zero. \[Op:PaddedBatchDatasetV2\]"):
        ROWS.padded_batch(0)


def test_the_form_of_a_generator_is_what_was_promised():
    dataset = Dataset.from_generator(lambda: iter([]), output_types=(mg.int32, mg.float32), output_shapes=((), (None,)))
    assert dataset.element_spec == (mg.TensorSpec([], mg.int32), mg.TensorSpec([None], mg.float32))


@pytest.mark.parametrize("shape", [(2, 2, 1), (2, 2, 4), (1,), ()])
def test_what_has_not_three_channels_does_not_become_gray(shape):
    with pytest.raises(mg.errors.InvalidArgumentError, match="input must have 3 channels but instead has shape"):
        mg.image.rgb_to_grayscale(mg.ones(shape))


@pytest.mark.parametrize(
    ("function", "error", "told"),
    [
        (lambda n, x: 1.5, TypeError, "must match the initial state. Expected .*int32.* but got .*float32"),
        (lambda n, x: (n, x), mg.errors.InvalidArgumentError, r"does not match. \(initial_state=1, output=2\)"),
    ],
)
def test_a_reduction_keeps_the_dtypes_and_the_components_of_its_state(function, error, told):
    with pytest.raises(error, match=told):
        mg.data.Dataset.range(3).reduce(0, function)
    assert mg.data.Dataset.range(3).reduce((0, 1.0), lambda s, x: (s[0] + 1, s[1] * 2.0))[1].numpy() == 8.0
