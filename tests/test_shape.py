"""TensorShape: lengths that may be unknown."""

import copy
import pickle

import numpy as np
import pytest

import minigrad as mg
from minigrad import TensorShape

UNKNOWN = TensorShape(None)


@pytest.mark.parametrize(
    ("dims", "text"),
    [
        ([2, 3], "TensorShape([2, 3])"), (5, "TensorShape([5])"), ((), "TensorShape([])"), (None, "TensorShape(None)"),
        ([None, 2], "TensorShape([None, 2])"), (np.int64(2), "TensorShape([2])"), (np.array([1, 2]), "TensorShape([1, 2])"),
        (range(2), "TensorShape([0, 1])"), (UNKNOWN, "TensorShape(None)"),
    ],
)  # fmt: skip
def test_a_shape_is_made_of_many_things(dims, text):
    assert repr(TensorShape(dims)) == text


def test_a_shape_is_made_of_tensors_too():
    assert TensorShape(mg.constant([2, 3])) == [2, 3]
    assert TensorShape(mg.constant(2)) == [2]
    assert TensorShape([mg.constant(2), 3]) == [2, 3]


@pytest.mark.parametrize("dims", [2.5, [2.0], ["a"], [[1]], object()])
def test_a_length_is_a_whole_number(dims):
    with pytest.raises(TypeError, match="Dimension value must be integer or None or have an __index__ method, got value"):
        TensorShape(dims)


def test_no_length_is_negative():
    with pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        TensorShape([2, -1])


def test_str_is_that_of_a_tuple():
    assert [str(TensorShape(dims)) for dims in ([2, 3], [2], [], [None, 2], None)] == ["(2, 3)", "(2,)", "()", "(None, 2)", "<unknown>"]


def test_a_shape_equals_lists_and_tuples():
    shape = TensorShape([2, 3])
    assert all(shape == other for other in ([2, 3], (2, 3), TensorShape([2, 3])))
    assert shape != [2, 4]
    assert TensorShape([5]) == 5
    assert shape != UNKNOWN
    assert TensorShape(None) == UNKNOWN
    assert UNKNOWN == None
    assert shape != object()
    assert hash(shape) == hash(TensorShape((2, 3)))
    assert {shape: 1}[TensorShape([2, 3])] == 1


def test_parts_of_a_shape():
    shape = TensorShape([2, 3, 4])
    assert (shape[0], shape[-1], shape[1:], list(shape)) == (2, 4, TensorShape([3, 4]), [2, 3, 4])
    assert (UNKNOWN[0], UNKNOWN[1:], UNKNOWN[1:3]) == (None, UNKNOWN, [None, None])
    with pytest.raises(IndexError):
        shape[5]


def test_shapes_are_joined_by_plus():
    shape, axes, more = TensorShape([2]), [3], (3,)
    assert (shape + axes, shape + more, axes + shape, more + shape) == ([2, 3], [2, 3], [3, 2], [3, 2])
    assert isinstance(axes + shape, TensorShape)
    assert TensorShape([2]) + UNKNOWN == UNKNOWN
    assert TensorShape([2]).concatenate(4) == [2, 4]


def test_counting():
    shape = TensorShape([2, 3])
    assert (shape.rank, shape.ndims, len(shape), shape.num_elements(), shape.as_list()) == (2, 2, 2, 6, [2, 3])
    assert (TensorShape([]).num_elements(), TensorShape([None]).num_elements(), UNKNOWN.num_elements()) == (1, None, None)
    assert (UNKNOWN.rank, UNKNOWN.dims) == (None, None)
    assert (shape.is_fully_defined(), TensorShape([None]).is_fully_defined(), UNKNOWN.is_fully_defined()) == (True, False, False)


def test_a_shape_is_true_if_its_rank_is_known():
    assert TensorShape([])
    assert not UNKNOWN


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda s: len(UNKNOWN), "Cannot take the length of shape with unknown rank."),
        (lambda s: list(UNKNOWN), "Cannot iterate over a shape with unknown rank."),
        (lambda s: UNKNOWN.as_list(), r"as_list\(\) is not defined on an unknown TensorShape."),
        (lambda s: s.assert_is_compatible_with((2, 4)), r"Shapes \(2, 3\) and \(2, 4\) are incompatible"),
        (lambda s: s.assert_has_rank(3), r"Shape \(2, 3\) must have rank 3"),
        (lambda s: s.assert_same_rank([1]), r"Shapes \(2, 3\) and \(1,\) must have the same rank"),
        (lambda s: s.with_rank(3), r"Shape \(2, 3\) must have rank 3"),
        (lambda s: s.with_rank_at_least(3), r"Shape \(2, 3\) must have rank at least 3"),
        (lambda s: s.with_rank_at_most(1), r"Shape \(2, 3\) must have rank at most 1"),
        (lambda s: s.merge_with([2, 4]), r"Shapes \(2, 3\) and \(2, 4\) are not compatible"),
        (lambda s: TensorShape([2, None]).assert_is_fully_defined(), r"Shape \(2, None\) is not fully defined"),
    ],
)
def test_what_a_shape_refuses(ask, message):
    with pytest.raises(ValueError, match=message):
        ask(TensorShape([2, 3]))


def test_what_shapes_agree_on():
    shape = TensorShape([2, 3])
    assert shape.is_compatible_with([2, None])
    assert shape.is_compatible_with(None)
    assert not shape.is_compatible_with([2])
    assert TensorShape([2, None]).merge_with([None, 3]) == shape
    assert UNKNOWN.merge_with([2]) == [2]
    assert UNKNOWN.with_rank(2) == [None, None]
    assert shape.with_rank_at_most(3) is shape


def test_shapes_survive_copies_and_pickles():
    for shape in (TensorShape([2, None]), UNKNOWN):
        assert copy.deepcopy(shape) == pickle.loads(pickle.dumps(shape)) == shape
    assert pickle.loads(pickle.dumps(UNKNOWN)).rank is None


def test_numpy_and_constant_take_shapes():
    shape = mg.constant([[1.0, 2.0, 3.0]]).shape
    assert np.zeros(shape).shape == (1, 3)
    assert mg.constant(shape).numpy().tolist() == [1, 3]
    assert mg.constant(shape).dtype == mg.int32


def test_a_shape_is_no_tuple():
    shape = mg.ones([2, 3]).shape
    assert "%s" % shape == "(2, 3)"  # noqa: UP031 - of a tuple Python would want two places
    assert not isinstance(shape, tuple)
    for wrong in (lambda: shape * 2, lambda: shape < (3, 3)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError, match="unknown rank"):
        2 in TensorShape(None)


@pytest.mark.parametrize("lengths", [[], [2, 3]])
def test_a_shape_becomes_a_tensor_of_whole_numbers(lengths):
    shape = TensorShape(lengths)
    assert mg.convert_to_tensor(shape).dtype == mg.int32
    assert mg.convert_to_tensor(shape, mg.int64).numpy().tolist() == lengths
    assert mg.concat([shape, [4]], 0).numpy().tolist() == [*lengths, 4]
    assert mg.reduce_prod(shape).numpy() == np.prod(lengths, dtype=int)
    with pytest.raises(TypeError, match=r"Allowed dtypes are tf.int32 and tf.int64. Write mg.cast\(x.shape, mg.float32\)"):
        mg.constant([1.0, 2.0]) * shape


def test_a_shape_that_is_not_known_becomes_no_tensor():
    for shape in (TensorShape([None, 3]), TensorShape(None)):
        with pytest.raises(ValueError, match="Cannot convert a partially known TensorShape"):
            mg.convert_to_tensor(shape)


def test_a_range_of_nothing_holds_whole_numbers():
    assert mg.convert_to_tensor(range(0)).dtype == mg.Variable(range(0)).dtype == mg.int32
    assert mg.gather([1.0, 2.0], range(0)).shape == (0,)
