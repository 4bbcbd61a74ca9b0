"""Nests are taken apart and put together as in TensorFlow."""

import collections

import numpy as np
import pytest

import minigrad as mg
from minigrad import nest

Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("structure", "leaves"),
    [
        (1, [1]), (None, [None]), ("ab", ["ab"]), ([], []), ([1, [2, (3,)]], [1, 2, 3]), ({"b": 1, "a": [2]}, [2, 1]),
        ([None, [None]], [None, None]), (Point(1, [2]), [1, 2]), (range(3), [0, 1, 2]), (collections.deque([1, 2]), [1, 2]),
        (collections.OrderedDict([("b", 1), ("a", 2)]), [2, 1]), ({1, 2}, [{1, 2}]), ({"a": 1, "b": 2}.values(), [1, 2]),
    ],
)  # fmt: skip
def test_leaves_come_from_left_to_right_and_dicts_by_their_sorted_keys(structure, leaves):
    assert nest.flatten(structure) == leaves
    assert nest.flatten(structure, expand_composites=True) == leaves


def test_tensors_arrays_and_shapes_are_leaves():
    leaves = [mg.constant([1.0, 2.0]), mg.Variable([1.0]), np.array([1, 2]), mg.TensorShape([2, 3])]
    assert all(one is two for one, two in zip(nest.flatten(leaves), leaves, strict=True))
    assert not any(map(nest.is_nested, leaves))


def test_keys_must_be_sortable():
    with pytest.raises(TypeError):
        nest.flatten({1: 2, "a": 3})


def test_packing_keeps_types_and_the_order_of_keys():
    pattern = [(0, {"b": 0, "a": [0]}), Point(0, 0), collections.OrderedDict([("z", 0), ("y", 0)])]
    packed = nest.pack_sequence_as(pattern, range(7))
    assert packed == [(0, {"b": 2, "a": [1]}), Point(3, 4), collections.OrderedDict([("z", 6), ("y", 5)])]
    assert list(packed[0][1]) == ["b", "a"]
    assert [type(part) for part in packed] == [tuple, Point, collections.OrderedDict]
    default = nest.pack_sequence_as(collections.defaultdict(list, {"b": 1, "a": 2}), [4, 5])
    assert (default.default_factory, dict(default)) == (list, {"b": 5, "a": 4})


@pytest.mark.parametrize(("structure", "flat"), [([1, 2], [1]), ([1, 2], [1, 2, 3])])
def test_packing_needs_as_many_leaves(structure, flat):
    with pytest.raises(ValueError, match=r"Could not pack sequence. Structure had 2 atoms, .* items\.  Structure: \[1, 2\]"):
        nest.pack_sequence_as(structure, flat)


@pytest.mark.parametrize("flat", [[], (1, 2)])
def test_packing_into_a_leaf_needs_one_leaf(flat):
    with pytest.raises(ValueError, match="The target structure is of type `<class 'int'>`\n  7\nHowever the input is a seq"):
        nest.pack_sequence_as(7, flat)


@pytest.mark.parametrize("flat", [5, "ab", np.array([3, 4]), iter([3, 4])])
def test_packing_needs_a_list(flat):
    with pytest.raises(TypeError, match="into a structure, but found incompatible type"):
        nest.pack_sequence_as([1, 2], flat)


def test_mapping_goes_through_several_structures():
    assert nest.map_structure(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]}) == {"a": 11, "b": [22]}
    assert nest.map_structure(lambda x, y: x + y, [1, 2], (3, 4), check_types=False) == [4, 6]
    assert nest.map_structure(str, [None, (1,)]) == ["None", ("1",)]
    assert nest.map_structure(lambda x: x * 2, Point(1, 2)) == Point(2, 4)


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (TypeError, (1, [1])), (ValueError, (max,)), (TypeError, (max, [1], (1,))), (ValueError, (max, [1, 2], [1])),
        (ValueError, (max, {"a": 1}, {"b": 1})), (ValueError, (max, [1, [2]], [1, 2])), (ValueError, (max, 1, [1])),
    ],
)  # fmt: skip
def test_mapping_refuses_structures_that_differ(error, arguments):
    with pytest.raises(error):
        nest.map_structure(*arguments)


@pytest.mark.parametrize(
    ("one", "two", "error"),
    [
        ([1, 2], [3, "a"], None), ([1, 2], [3], ValueError), ([1, 2], (3, 4), TypeError), ([1, [2]], [1, 2], ValueError),
        (1, [1], ValueError), ({"a": 1}, {"a": 2}, None), ({"a": 1}, {"b": 2}, ValueError), ({"a": 1}, [1], TypeError),
        ({}, [], TypeError), ({"a": 1}, collections.OrderedDict(a=1), None), (Point(1, 2), (1, 2), TypeError),
        (Point(1, 2), collections.namedtuple("Point", "x y")(3, 4), None),
        (Point(1, 2), collections.namedtuple("Q", "x y")(3, 4), TypeError),
        (None, None, None), (None, [], ValueError), ([1], {"a": 1}, TypeError), ((), {}, TypeError),
        ([1], type("Row", (list,), {})([2]), None), (type("Row", (list,), {})([2]), [1], None),
    ],
)  # fmt: skip
def test_same_structure(one, two, error):
    if error is None:
        nest.assert_same_structure(one, two)
    else:
        with pytest.raises(error, match="The two structures don't have the same nested structure"):
            nest.assert_same_structure(one, two)


def test_types_need_not_be_checked():
    nest.assert_same_structure([1, 2], (3, 4), check_types=False)
    nest.assert_same_structure({"a": 1}, {"b": 2}, check_types=False)  # keys are types, to TensorFlow


@pytest.mark.parametrize(
    ("one", "two", "told"),
    [
        ([1, [2]], [1, 2], 'Substructure "type=list str=[2]" is a sequence, while substructure "type=int str=2" is not'),
        ([1, (2, 3)], [1, [2, 3]], "First structure type=tuple str=(2, 3) has type tuple, while second structure type=list"),
        ({"b": 1, "a": 2}, {"b": 1}, "First structure has keys type=list str=['b', 'a'], while second structure has keys"),
        ([1, (2, [3])], [1, (2, [3, 4])], "First structure: type=list str=[3]. Second structure: type=list str=[3, 4]"),
        ([1, [2]], [1, 2, 3], 'Substructure "type=list str=[2]" is a sequence'),  # before the number of elements
        ([mg.constant(1.0)], [[1.0]], 'substructure "type=Tensor str=mg.Tensor(1.0, shape=(), dtype=float32)" is not'),
    ],
)
def test_the_error_tells_the_first_part_that_differs(one, two, told):
    with pytest.raises((ValueError, TypeError), match="More specifically: ") as error:
        nest.assert_same_structure(one, two)
    assert told in str(error.value)


def test_the_error_shows_both_structures_without_their_leaves():
    with pytest.raises(ValueError, match="do") as error:
        nest.assert_same_structure({"a": [1, Point(2, 3)]}, {"a": [1]})
    end = "Entire first structure:\n{'a': [., Point(x=., y=.)]}\nEntire second structure:\n{'a': [.]}"
    assert str(error.value).endswith(end)


def test_nests_may_be_deep():
    deep = 1
    for _ in range(800):
        deep = [deep]
    assert nest.flatten(nest.pack_sequence_as(deep, [2])) == [2]


def test_the_values_of_a_dict_are_packed_as_a_list():
    parts = {"w": mg.Variable(2.0), "b": mg.Variable(1.0)}
    with mg.GradientTape() as tape:
        y = parts["w"] * 3.0 + parts["b"]
    assert [dx.numpy() for dx in tape.gradient(y, parts.values())] == [3.0, 1.0]
    assert mg.nest.map_structure(lambda x: x + 1, {"b": 1, "a": 2}.values()) == [2, 3]
    assert mg.nest.map_structure(lambda x: x + 1, [range(2)]) == [[1, 2]]
