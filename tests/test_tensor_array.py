"""TensorArrays, compared with those of TensorFlow 2.21 in eager mode."""

import pytest

import minigrad as mg

OutOfRange, Invalid = mg.errors.OutOfRangeError, mg.errors.InvalidArgumentError


def array(size=2, dtype=mg.float32, **settings):
    return mg.TensorArray(dtype, size, **settings)


def test_what_is_written_is_stacked_and_places_left_out_are_zeros():
    written = array(3).write(2, 5.5).write(mg.constant(0), 3)
    assert written.stack().numpy().tolist() == [3, 0, 5.5]
    assert written.gather([2, 2]).numpy().tolist() == [5.5, 5.5]
    assert written.size().numpy() == 3
    assert (written.dtype, written.dynamic_size, written.element_shape) == (mg.float32, False, mg.TensorShape([]))


def test_it_grows_if_it_may():
    squares = array(0, mg.int32, dynamic_size=True)
    for i in range(3):
        squares = squares.write(i, i * i)
    squares.write(4, 7)
    assert repr(squares.stack()) == "<mg.Tensor: shape=(5,), dtype=int32, numpy=array([0, 1, 4, 0, 7], dtype=int32)>"


def test_what_was_read_is_forgotten_unless_it_shall_stay():
    once, often = array().write(0, 1.0), array(clear_after_read=False).write(0, 1.0)
    assert once.read(0).numpy() == often.read(0).numpy() == often.read(0).numpy() == 1
    with pytest.raises(Invalid, match="Could not read index 0 twice because it was cleared after a previous read"):
        once.read(0)
    assert once.stack().numpy().tolist() == [0, 0]
    assert once.write(0, 2.0).read(0).numpy() == 2


def test_it_is_filled_with_the_parts_of_a_tensor():
    rows = [[1.0, 2.0], [3.0, 4.0]]
    assert array().unstack(rows).stack().numpy().tolist() == rows
    assert array().unstack(rows).concat().numpy().tolist() == [1, 2, 3, 4]
    assert array(3).unstack(rows).size().numpy() == 2
    assert array(0, dynamic_size=True).unstack(rows).read(1).numpy().tolist() == [3, 4]
    assert array().scatter([1, 0], rows).stack().numpy().tolist() == rows[::-1]
    assert [array().split([1.0, 2.0, 3.0], [1, 2]).read(i).numpy().tolist() for i in range(2)] == [[1], [2, 3]]
    assert array(infer_shape=False).write(0, [1.0, 2.0]).write(1, [3.0]).concat().numpy().tolist() == [1, 2, 3]


def test_rows_of_another_dtype_are_refused_one_by_one_and_cast_when_they_are_stacked_again():
    with pytest.raises(Invalid, match="TensorArray dtype is float32 but Op is trying to write dtype int32"):
        array().scatter([1, 0], [1, 2])
    x = mg.Variable([1.5, 2.0], dtype=mg.float64)
    with mg.GradientTape() as tape:
        y = array().unstack(x).stack()
    assert (y.dtype, array().unstack([[3], [4]]).read(1).dtype) == (mg.float32, mg.int32)
    assert (y.numpy().tolist(), tape.gradient(y, x).numpy().tolist()) == ([1.5, 2], [1, 1])


def test_an_empty_one_has_the_shape_that_is_known():
    assert array(0).stack().shape == (0,)
    assert array(0, element_shape=[None, 2]).stack().shape == (0, 0, 2)
    assert array(element_shape=[2]).stack().numpy().tolist() == [[0, 0], [0, 0]]
    assert array().identity().close() is None


def test_gradients_flow_through_it():
    x = mg.Variable([1.0, 2.0, 3.0])
    with mg.GradientTape(persistent=True) as tape:
        squares = array(3)
        for i in range(3):
            squares = squares.write(i, x[i] * x[i])
        y = squares.stack()
        product = array(3).unstack(x).read(0) * x[1]
        weighted = array(2).split(x, [1, 2]).concat() * [1.0, 2.0, 3.0]
    assert tape.gradient(y, x).numpy().tolist() == [2, 4, 6]
    assert tape.gradient(product, x).numpy().tolist() == [2, 1, 0]
    assert tape.gradient(weighted, x).numpy().tolist() == [1, 2, 3]
    assert tape.jacobian(y, x).numpy().tolist() == [[2, 0, 0], [0, 4, 0], [0, 0, 6]]


def test_a_loop_carries_it():
    _, filled = mg.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a.write(i, i)), (0, array(3, mg.int32)))
    assert filled.stack().numpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("use", "error", "text"),
    [
        (lambda: mg.TensorArray(mg.float32), ValueError, "Size must be declared"),
        (lambda: array().write(2, 1.0), OutOfRange, "Tried to write to index 2 but array is not resizeable and size is: 2"),
        (lambda: array().write(-1, 1.0), OutOfRange, r"Writing to negative indices \(index -1\) is not allowed"),
        (lambda: array().read(2), OutOfRange, "Tried to read from index 2 but array size is: 2"),
        (lambda: array().read(-1), OutOfRange, r"Reading from negative indices \(index -1\) is not allowed"),
        (lambda: array(dtype=mg.int32).write(0, 2.5), Invalid, "TensorArray dtype is int32 but Op is trying to write dtype float32"),
        (lambda: array().write(0, [1.0, 2.0]).write(1, [1.0]), ValueError, r"Incompatible shape for value \(\(1,\)\), expected \(\(2,\)\)"),
        (lambda: array().stack(), ValueError, "Cannot convert a partially known TensorShape <unknown> to a Tensor"),
        (lambda: array().write(0, 1.0).concat(), Invalid, "Concat saw a scalar shape at index 0"),
        (lambda: array(1).unstack([1.0, 2.0]), ValueError, "Cannot unstack 2 tensors into a TensorArray of static size 1"),
    ],
)
def test_what_cannot_be_done_with_it_is_refused(use, error, text):
    with pytest.raises(error, match=text):
        use()
