"""What Python and NumPy may do with a Tensor. Expected texts are TensorFlow's."""

import copy
import math
import pickle

import numpy as np
import pytest

import minigrad as mg

REPRS = r"""
mg.constant(0.1)                      -> <mg.Tensor: shape=(), dtype=float32, numpy=0.10000000149011612>
mg.constant(3)                        -> <mg.Tensor: shape=(), dtype=int32, numpy=3>
mg.constant(True)                     -> <mg.Tensor: shape=(), dtype=bool, numpy=True>
mg.constant(1 + 2j)                   -> <mg.Tensor: shape=(), dtype=complex128, numpy=(1+2j)>
mg.constant(0.1, "float16")           -> <mg.Tensor: shape=(), dtype=float16, numpy=0.0999755859375>
mg.constant("é")                      -> <mg.Tensor: shape=(), dtype=string, numpy=b'\xc3\xa9'>
mg.constant(["a", "bc"])              -> <mg.Tensor: shape=(2,), dtype=string, numpy=array([b'a', b'bc'], dtype=object)>
mg.constant([1.0, 2.0])               -> <mg.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>
mg.constant([[1, 2]], "int64")        -> <mg.Tensor: shape=(1, 2), dtype=int64, numpy=array([[1, 2]])>
mg.constant([])                       -> <mg.Tensor: shape=(0,), dtype=float32, numpy=array([], dtype=float32)>
mg.constant([[], []])                 -> <mg.Tensor: shape=(2, 0), dtype=float32, numpy=array([], shape=(2, 0), dtype=float32)>
mg.constant([[1.0], [2.0]])           -> <mg.Tensor: shape=(2, 1), dtype=float32, numpy=|array([[1.],|       [2.]], dtype=float32)>
"""

STRS = r"""
mg.constant(0.1)                      -> mg.Tensor(0.1, shape=(), dtype=float32)
mg.constant([1.0, 2.0])               -> mg.Tensor([1. 2.], shape=(2,), dtype=float32)
mg.constant([[1.0], [2.0]])           -> mg.Tensor(|[[1.]| [2.]], shape=(2, 1), dtype=float32)
mg.constant([])                       -> mg.Tensor([], shape=(0,), dtype=float32)
mg.constant("a")                      -> mg.Tensor(b'a', shape=(), dtype=string)
mg.constant(float("nan"))             -> mg.Tensor(nan, shape=(), dtype=float32)
mg.constant(np.arange(2000))          -> mg.Tensor([   0    1    2 ... 1997 1998 1999], shape=(2000,), dtype=int64)
"""

FORMATS = r"""
f"{mg.constant(2.0)}"                 -> 2.0
f"{mg.constant(0.1)}"                 -> 0.10000000149011612
f"{mg.constant(2.0):.3f}"             -> 2.000
f"{mg.constant(3):5d}|"               -> 3|
f"{mg.constant([1.0, 2.0])}"          -> [1. 2.]
f"{mg.constant('ab')}"                -> b'ab'
f"{mg.constant(2.0)!s}"               -> mg.Tensor(2.0, shape=(), dtype=float32)
"%.2f %s" % (mg.constant(2.0), mg.constant(3)) -> 2.00 mg.Tensor(3, shape=(), dtype=int32)
"""


def pairs(table):
    return [tuple(part.strip() for part in line.split(" -> ")) for line in table.strip().splitlines()]


@pytest.mark.parametrize(("question", "text"), pairs(REPRS))
def test_repr_is_tensorflows(question, text):
    assert repr(eval(question)).replace("\n", "|") == text


@pytest.mark.parametrize(("question", "text"), pairs(STRS))
def test_str_is_tensorflows(question, text):
    assert str(eval(question)).replace("\n", "|") == text


@pytest.mark.parametrize(("question", "text"), pairs(FORMATS))
def test_format_speaks_of_the_number_alone(question, text):
    assert eval(question).strip() == text


def test_a_big_array_is_summarised():
    numbers = np.arange(2000)  # (newer NumPys add `shape=` to it)
    assert "..., 1997, 1998, 1999]" in repr(numbers)
    assert repr(mg.constant(numbers)) == f"<mg.Tensor: shape=(2000,), dtype=int64, numpy={numbers!r}>"


def test_an_array_has_no_format_with_digits():
    with pytest.raises(TypeError, match=r"unsupported format string passed to numpy.ndarray"):
        f"{mg.constant([1.0]):.2f}"


@pytest.mark.parametrize(
    ("value", "truth"), [(2.0, True), (0.0, False), ([1.0], True), ([[0]], False), ([], False), ("", False), ("a", True), (math.nan, True)]
)
def test_truth_of_one_element_is_its_own_and_nothing_is_false(value, truth):
    assert bool(mg.constant(value)) is truth


def test_the_truth_of_many_is_refused():
    with pytest.raises(ValueError, match="more than one element is ambiguous"):
        bool(mg.constant([1.0, 2.0]))


def test_numbers_come_out_of_scalars():
    assert (int(mg.constant(-2.7)), float(mg.constant(3)), complex(mg.constant(1 + 2j))) == (-2, 3.0, 1 + 2j)
    assert int(mg.constant("12")) == 12
    assert [10, 20, 30, 40][mg.constant(3)] == 40
    assert list(range(mg.constant(2))) == [0, 1]
    with pytest.raises(AttributeError, match=r"'numpy.float32' object has no attribute '__index__'"):
        [1, 2][mg.constant(1.0)]
    with pytest.raises(TypeError, match="only 0-dimensional arrays can be converted to Python scalars"):
        float(mg.constant([2.0]))


def test_length_and_iteration_go_along_the_first_axis():
    x = mg.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert len(x) == 3
    assert [row.numpy().tolist() for row in x] == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    assert list(mg.constant([])) == []
    with pytest.raises(TypeError, match=r"Scalar tensor has no `len\(\)`"):
        len(mg.constant(1.0))
    with pytest.raises(TypeError, match="Cannot iterate over a scalar tensor"):
        iter(mg.constant(1.0))


def test_what_is_unpacked_stays_connected():
    x = mg.constant([2.0, 3.0])
    with mg.GradientTape() as tape:
        tape.watch(x)
        a, b = x
        y = a * b
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 2.0]


def test_tensors_have_no_hash_but_references_do():
    x, same = mg.constant(2.0), mg.constant(2.0)
    with pytest.raises(TypeError, match=r"Tensor is unhashable. Instead, use tensor.ref\(\) as the key."):
        hash(x)
    assert {x.ref(): 1}[x.ref()] == 1
    assert x.ref() != same.ref()
    assert x.ref().deref() is x
    assert repr(x.ref()) == "<Reference wrapping <mg.Tensor: shape=(), dtype=float32, numpy=2.0>>"
    with pytest.raises(TypeError, match="Cannot compare wrapped object with unwrapped object"):
        x.ref() == x


def test_a_copy_is_the_tensor_itself_and_a_pickle_an_equal_one():
    x = mg.constant([2.0, 3.0])
    assert copy.copy(x) is x
    assert copy.deepcopy([x])[0] is x
    assert repr(pickle.loads(pickle.dumps(x))) == repr(x)
    assert pickle.loads(pickle.dumps(mg.constant("é"))).numpy() == "é".encode()


def test_nothing_can_be_written_into_a_tensor():
    x = mg.constant([1.0, 2.0])
    with pytest.raises(TypeError, match="does not support item assignment"):
        x[0] = 1.0
    with pytest.raises(AttributeError):
        x.shape = (1, 2)
    y = x
    y += 1.0
    assert x.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("operation", [lambda x: +x, lambda x: divmod(x, 2), lambda x: x << 1, lambda x: 1 >> x, lambda x: x()])
def test_operators_that_tensorflow_lacks_are_lacking(operation):
    with pytest.raises(TypeError):
        operation(mg.constant(3))


def test_round_tells_what_to_write():
    with pytest.raises(AttributeError, match=r"no attribute 'astype'. Write mg.round\(x\)"):
        round(mg.constant(1.5))


@pytest.mark.parametrize("name", ["T", "size", "item", "reshape", "mean", "astype", "tolist", "backward", "assign"])
def test_the_habits_of_other_libraries_are_answered(name):
    x = mg.constant([1.0])
    with pytest.raises(AttributeError, match=f"'Tensor' object has no attribute '{name}'. Write "):
        getattr(x, name)
    assert not hasattr(x, name)
    assert name not in dir(x)


def test_attributes_of_graphs_are_undefined():
    for name in ("name", "graph", "op", "value_index"):
        with pytest.raises(AttributeError, match=f"Tensor.{name} is undefined when eager execution is enabled."):
            getattr(mg.constant(1.0), name)
    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'foo'"):
        mg.constant(1.0).foo


def test_numpy_gives_scalars_and_copies():
    assert repr(mg.constant(6.0).numpy()) == "np.float32(6.0)"
    assert mg.constant("a").numpy() == b"a"
    assert mg.constant(["a"]).numpy().dtype == object
    assert mg.constant([1.0]).numpy().flags.writeable


def test_numpy_sees_an_array_that_cannot_be_written():
    x = mg.constant([1.5, 2.5])
    assert not np.asarray(x).flags.writeable
    assert np.array(x).flags.writeable
    assert np.shares_memory(np.asarray(x), np.asarray(x, copy=False))
    assert np.asarray(x, dtype=np.int64).tolist() == [1, 2]
    assert np.array([x[0], x[1], 3.0]).tolist() == [1.5, 2.5, 3.0]


def test_numpy_functions_leave_the_engine_and_operators_do_not():
    x, array = mg.constant([1.0, 2.0]), np.array([3.0, 4.0])
    for result in (np.sum(x), np.sin(x), np.add(x, x), np.stack([x, x]), np.where(x > 1.0, x, 0.0)):
        assert not mg.is_tensor(result)
    for result in (array * x, array - x, array[None] @ mg.constant([[1.0], [2.0]]), np.float64(2) * x, array > x, array == x, array**x):
        assert isinstance(result, mg.Tensor)
    assert np.shape(x) == (2,)


def test_equality_is_of_elements_and_none_is_never_equal():
    x = mg.constant([1.0, 2.0])
    assert (x == [1.0, 3.0]).numpy().tolist() == [True, False]
    assert (x == mg.constant([1.0, 2.0, 3.0])).numpy() == np.False_
    assert (x != mg.constant([1.0, 2.0, 3.0])).numpy() == np.True_
    assert (x == None) is False
    assert mg.constant(2.0) in [1.0, mg.constant(2.0)]
    with pytest.raises(TypeError, match="Cannot convert 'a'"):
        x == "a"


def test_a_shape_can_be_confirmed():
    x = mg.constant([1.0, 2.0])
    assert x.set_shape([None]) is None
    with pytest.raises(ValueError, match=r"Tensor's shape \(2,\) is not compatible with supplied shape \(3,\)"):
        x.set_shape([3])
    assert (x.shape, x.get_shape(), x.ndim, x.dtype) == ([2], [2], 1, mg.float32)
    assert x.device == "/job:localhost/replica:0/task:0/device:CPU:0"


def test_asking_a_tensor_for_another_dtype_is_an_error():
    x = mg.constant(2.0)
    assert x.__tf_tensor__("float32") is x
    with pytest.raises(ValueError, match=r"Tensor conversion requested dtype int32 for Tensor with dtype float32: .* Write mg.cast"):
        x.__tf_tensor__(mg.int32)


def test_slices_are_not_cast_in_silence():
    rows = mg.IndexedSlices(mg.constant([1.0]), mg.constant([1]), mg.constant([3]))
    assert mg.convert_to_tensor(rows, mg.float32).numpy().tolist() == [0.0, 1.0, 0.0]
    with pytest.raises(ValueError, match="Incompatible tensor conversion requested to `dtype` float64 for IndexedSlices"):
        mg.convert_to_tensor(rows, mg.float64)
