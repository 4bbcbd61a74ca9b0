"""What a user may write for a value, and what becomes of it. The answers are TensorFlow's, up to a fix that may follow."""

import collections

import numpy as np
import pytest

import minigrad as mg

CONSTANTS = r"""
mg.constant(1)                                       -> int32 1
mg.constant(1.5)                                     -> float32 1.5
mg.constant(True)                                    -> bool True
mg.constant(2j)                                      -> complex128 2j
mg.constant('é')                                     -> string b'\xc3\xa9'
mg.constant(np.float16(1.5))                         -> float16 1.5
mg.constant(np.array([1, 2]))                        -> int64 [1, 2]
mg.constant(range(3))                                -> int32 [0, 1, 2]
mg.constant(collections.deque([1, 2]))               -> int32 [1, 2]
mg.constant(bytearray(b'ab'))                        -> int32 [97, 98]
mg.constant([])                                      -> float32 []
mg.constant([[], []])                                -> float32 [[], []]
mg.constant([[], [1]])                               -> float32 [[], []]
mg.constant([1, 2.0])                                -> float32 [1.0, 2.0]
mg.constant([1.5, True])                             -> float32 [1.5, 1.0]
mg.constant([1, True])                               -> int32 [1, 1]
mg.constant([True, 1])                               -> ValueError: Can't convert Python sequence with mixed types to Tensor.
mg.constant([2j, 1])                                 -> complex128 [2j, (1+0j)]
mg.constant([1, 2j])                                 -> ValueError: Can't convert Python sequence with mixed types to Tensor.
mg.constant([1, 'a'])                                -> ValueError: Can't convert Python sequence with mixed types to Tensor.
mg.constant([1, None])                               -> ValueError: Can't convert Python sequence with mixed types to Tensor.
mg.constant([None])                                  -> ValueError: Attempt to convert a value (None) with an unsupported type (<class 'None
mg.constant(['a', b'b'])                             -> string [b'a', b'b']
mg.constant([[1, 2], [3]])                           -> ValueError: Can't convert non-rectangular Python sequence to Tensor.
mg.constant([[1], 2])                                -> ValueError: Can't convert non-rectangular Python sequence to Tensor.
mg.constant([1, [2]])                                -> ValueError: Can't convert Python sequence with mixed types to Tensor.
mg.constant([[1], None])                             -> ValueError: Can't convert non-rectangular Python sequence to Tensor.
mg.constant({'a': 1})                                -> ValueError: Attempt to convert a value ({'a': 1}) with an unsupported type (<class '
mg.constant({1, 2})                                  -> ValueError: Attempt to convert a value ({1, 2}) with an unsupported type (<class 'se
mg.constant(iter([1]))                               -> ValueError: Attempt to convert a value (<list_iterator object at
mg.constant(2**31 - 1)                               -> int32 2147483647
mg.constant(2**31)                                   -> int64 2147483648
mg.constant(2**63)                                   -> ValueError: Can't convert Python sequence with out-of-range integer to Tensor.
mg.constant([1, 2**63])                              -> ValueError: Can't convert Python sequence with out-of-range integer to Tensor.
mg.constant([1.5, 2**63])                            -> float32 [1.5, 9.223372036854776e+18]
mg.constant(1e39)                                    -> ValueError: Can't convert Python sequence with a value out of range for a double-pre
mg.constant([1.0, 1e39])                             -> ValueError: Can't convert Python sequence with a value out of range for a double-pre
mg.constant(1e39, 'float32')                         -> float32 inf
mg.constant(70000.0, 'float16')                      -> float16 inf
mg.constant(300, 'uint8')                            -> uint8 44
mg.constant(-1, 'uint8')                             -> uint8 255
mg.constant(2**40 + 5, 'int32')                      -> int32 5
mg.constant(2**64 - 1, 'uint64')                     -> uint64 18446744073709551615
mg.constant(2**64, 'float64')                        -> float64 1.8446744073709552e+19
mg.constant(1.5, 'int32')                            -> TypeError: Cannot convert 1.5 to EagerTensor of dtype int32
mg.constant(1, 'bool')                               -> TypeError: Cannot convert 1 to EagerTensor of dtype bool
mg.constant(1, 'string')                             -> TypeError: Cannot convert 1 to EagerTensor of dtype string
mg.constant('a', 'float32')                          -> TypeError: Cannot convert 'a' to EagerTensor of dtype float
mg.constant(True, 'float32')                         -> float32 1.0
mg.constant(True, 'int32')                           -> int32 1
mg.constant(True, 'int8')                            -> TypeError: Cannot convert True to EagerTensor of dtype int8
mg.constant([True, 1], 'float32')                    -> float32 [1.0, 1.0]
mg.constant([1, 2j], 'complex128')                   -> complex128 [(1+0j), 2j]
mg.constant([1, 2j], 'complex64')                    -> ValueError: Can't convert Python sequence with mixed types to Tensor.
mg.constant([np.float64(1.5)])                       -> float64 [1.5]
mg.constant([np.float64(1.5), 2])                    -> float64 [1.5, 2.0]
mg.constant([2, np.float64(1.5)])                    -> float32 [2.0, 1.5]
mg.constant([np.float16(1.5)])                       -> float16 [1.5]
mg.constant([np.float32(1.5), np.float64(2.5)])      -> float32 [1.5, 2.5]
mg.constant([np.int64(1), 2])                        -> int32 [1, 2]
mg.constant([np.int64(2**40)])                       -> int64 [1099511627776]
mg.constant([np.bool_(True), False])                 -> bool [True, False]
mg.constant([1, np.bool_(True)])                     -> ValueError: Can't convert Python sequence with mixed types to Tensor.
mg.constant([np.bool_(True)], 'float32')             -> TypeError: Cannot convert [np.True_] to EagerTensor of dtype float
mg.constant([np.array([1.0, 2.0]), np.array([3.0, 4.0])]) -> float64 [[1.0, 2.0], [3.0, 4.0]]
mg.constant([np.array(1.5), 2])                      -> float64 [1.5, 2.0]
mg.constant(np.array([1, 2], '>f4'))                 -> float32 [1.0, 2.0]
mg.constant(np.broadcast_to(np.float32(2), (2,)))    -> float32 [2.0, 2.0]
mg.constant(np.arange(6).reshape(2, 3).T)            -> int64 [[0, 3], [1, 4], [2, 5]]
mg.constant(np.ma.array([1.0, 2.0], mask=[0, 1]))    -> float64 [1.0, 2.0]
mg.constant(np.array([1.9, -1.9]), 'int32')          -> int32 [1, -1]
mg.constant(np.array([1.5]), 'bool')                 -> bool [True]
mg.constant(np.array([2**40]), 'int8')               -> int8 [0]
mg.constant(np.array(['1.5']), 'float32')            -> float32 [1.5]
mg.constant(np.array([1, 2], object), 'float32')     -> float32 [1.0, 2.0]
mg.constant(np.array([1.5]), 'string')               -> ValueError: Failed to convert a NumPy array to a Tensor (Unsupported object type flo
mg.constant(np.array(['a', 'bc']))                   -> string [b'a', b'bc']
mg.constant(np.array(['a', 1], object))              -> ValueError: Failed to convert a NumPy array to a Tensor (Unsupported object type int
mg.constant(np.array([None], object))                -> ValueError: Failed to convert a NumPy array to a Tensor (Unsupported object type Non
mg.constant(np.longdouble(1))                        -> ValueError: Failed to convert a NumPy array to a Tensor (Unsupported numpy type: NPY
mg.constant(np.datetime64('2020'))                   -> ValueError: Failed to convert a NumPy array to a Tensor (Unsupported numpy type: NPY
mg.constant(np.zeros(1, [('a', 'i4')]))              -> ValueError: Failed to convert a NumPy array to a Tensor (Unsupported numpy
mg.constant(f, 'float64')                            -> TypeError: Expected tensor 2.0 with dtype mg.float64, but got dtype mg.float32
mg.constant([f, f])                                  -> ValueError: TypeError: Scalar tensor has no `len()`
mg.constant(5.0, shape=(1, 2))                       -> float32 [[5.0, 5.0]]
mg.constant([1, 2, 3, 4], shape=[2, 2])              -> int32 [[1, 2], [3, 4]]
mg.constant([1, 2], shape=3)                         -> TypeError: Eager execution of tf.constant with unsupported shape. Tensor [1 2] (conv
mg.constant(1, shape=(-1,))                          -> ValueError: Dimension -1 must be >= 0
mg.constant(1, shape=1.5)                            -> TypeError: Dimension value must be integer or None or have an __index__ method, got
mg.constant(1, int)                                  -> TypeError: Cannot convert the argument `type_value`: <class 'int'> to a TensorFlow D
mg.constant(1, float)                                -> float32 1.0
mg.constant(1, 'int')                                -> TypeError: Cannot convert the argument `type_value`: 'int' to a TensorFlow DType.
mg.constant(1, np.dtype('>f8'))                      -> float64 1.0
"""

OPERANDS = r"""
f * 2                                           -> float32 4.0
2 * f                                           -> float32 4.0
f * True                                        -> float32 2.0
f * [1, 2]                                      -> float32 [2.0, 4.0]
[1, 2] * f                                      -> float32 [2.0, 4.0]
f * np.array([1, 2])                            -> float32 [2.0, 4.0]
np.array([1, 2]) * f                            -> float32 [2.0, 4.0]
f * np.float64(1.5)                             -> float32 3.0
np.float64(1.5) * f                             -> float32 3.0
f * np.array([1j])                              -> float32 [0.0]
h * 2.5                                         -> float16 2.5
c * 2                                           -> complex128 (2+4j)
c * 2.5                                         -> complex128 (2.5+5j)
f * 1j                                          -> TypeError: Cannot convert 1j to EagerTensor of dtype float
1j * f                                          -> TypeError: Cannot convert 1j to EagerTensor of dtype float
f + 1j                                          -> InvalidArgumentError: cannot compute AddV2 as input #1(zero-based) was expected to be a f
1j + f                                          -> TypeError: Cannot convert 1j to EagerTensor of dtype float
mg.add(f, 1)                                    -> float32 3.0
mg.add(1, f)                                    -> InvalidArgumentError: cannot compute AddV2 as input #1(zero-based) was expected to be a i
mg.add(1.5, i)                                  -> InvalidArgumentError: cannot compute AddV2 as input #1(zero-based) was expected to be a f
i * 1.5                                         -> TypeError: Cannot convert 1.5 to EagerTensor of dtype int32
1.5 * i                                         -> TypeError: Cannot convert 1.5 to EagerTensor of dtype int32
i + 1.5                                         -> InvalidArgumentError: cannot compute AddV2 as input #1(zero-based) was expected to be a i
i * np.array([1.5])                             -> int32 [3]
i * np.float64(2.5)                             -> int32 6
i + 2**40                                       -> int32 3
u + 300                                         -> uint8 51
u - 8                                           -> uint8 255
f * i                                           -> InvalidArgumentError: cannot compute Mul as input #1(zero-based) was expected to be a flo
i * f                                           -> InvalidArgumentError: cannot compute Mul as input #1(zero-based) was expected to be a int
f + i                                           -> InvalidArgumentError: cannot compute AddV2 as input #1(zero-based) was expected to be a f
d * f                                           -> InvalidArgumentError: cannot compute Mul as input #1(zero-based) was expected to be a dou
f * None                                        -> ValueError: Attempt to convert a value (None) with an unsupported type (<class 'NoneType'
None * f                                        -> ValueError: Attempt to convert a value (None) with an unsupported type (<class 'NoneType'
f - 'a'                                         -> TypeError: Cannot convert 'a' to EagerTensor of dtype float
f * {}                                          -> ValueError: Attempt to convert a value ({}) with an unsupported type (<class 'dict'>) to
f + [1, 'a']                                    -> ValueError: Can't convert Python sequence with mixed types to Tensor.
b + 1                                           -> InvalidArgumentError: Value for attr 'T' of bool is not in the list of allowed values
b + True                                        -> InvalidArgumentError: Value for attr 'T' of bool is not in the list of allowed values
s + 'c'                                         -> string b'abc'
'c' + s                                         -> string b'cab'
s + s                                           -> string b'abab'
mg.multiply(2, 3.0)                             -> TypeError: Cannot convert 3.0 to EagerTensor of dtype int32
mg.multiply(2.0, 3)                             -> float32 6.0
mg.multiply(2, f)                               -> float32 4.0
mg.multiply(True, f)                            -> float32 2.0
mg.subtract(f, [i])                             -> float32 [-1.0]
d * [f, 1.0]                                    -> float64 [4.0, 2.0]
[f, 1] * d                                      -> float64 [4.0, 2.0]
mg.multiply(d, [f, i])                          -> float64 [4.0, 6.0]
mg.multiply(f, [f, i])                          -> InvalidArgumentError: cannot compute Pack as input #1(zero-based) was expected to be a fl
mg.multiply(i, [f, 1.0])                        -> TypeError: Cannot convert 1.0 to EagerTensor of dtype int32
f * [[f, 1.0], [2.0, w]]                        -> float32 [[4.0, 2.0], [4.0, 4.0]]
v * [w, f]                                      -> float32 [2.0, 4.0]
f * [f, [1.0]]                                  -> InvalidArgumentError: Shapes of all inputs must match: values[0].shape = [] != values[1].
mg.convert_to_tensor([f, 1])                    -> float32 [2.0, 1.0]
mg.convert_to_tensor([1, f])                    -> float32 [1.0, 2.0]
mg.convert_to_tensor([f, i])                    -> InvalidArgumentError: cannot compute Pack as input #1(zero-based) was expected to be a fl
mg.convert_to_tensor([f, i], 'float64')         -> float64 [2.0, 3.0]
mg.convert_to_tensor([f, 2.5], 'int32')         -> TypeError: Cannot convert 2.5 to EagerTensor of dtype int32
mg.convert_to_tensor(f, 'int32')                -> ValueError: Tensor conversion requested dtype int32 for Tensor with dtype float32: <mg.Te
mg.convert_to_tensor(v, 'float64')              -> ValueError: Incompatible type conversion requested to type float64 for `tf.Variable of ty
mg.convert_to_tensor(1, dtype_hint='float32')   -> float32 1.0
mg.convert_to_tensor(1.5, dtype_hint='int32')   -> float32 1.5
mg.convert_to_tensor('x', dtype_hint='float32') -> string b'x'
mg.convert_to_tensor(f, dtype_hint='int32')     -> float32 2.0
"""


def names():
    """What the questions speak of."""
    return {
        "mg": mg, "np": np, "collections": collections, "f": mg.constant(2.0), "d": mg.constant(2.0, "float64"),
        "h": mg.constant(1.0, "float16"), "i": mg.constant(3), "u": mg.constant(7, "uint8"), "b": mg.constant(True),
        "c": mg.constant(1 + 2j), "s": mg.constant("ab"), "v": mg.Variable([1.0, 2.0]), "w": mg.Variable(2.0),
    }  # fmt: skip


def answer(question):
    """dtype and value, or the error's class and message."""
    try:
        result = eval(question, names())
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"{result.dtype.name} {np.asarray(result).tolist()}"


def pairs(table):
    return [tuple(part.strip() for part in line.split(" -> ")) for line in table.strip().splitlines()]


@pytest.mark.parametrize(("question", "expected"), pairs(CONSTANTS))
def test_constant_takes_what_tensorflow_takes(question, expected):
    assert answer(question).startswith(expected)


@pytest.mark.parametrize(("question", "expected"), pairs(OPERANDS))
def test_an_operand_becomes_what_it_becomes_in_tensorflow(question, expected):
    assert answer(question).startswith(expected)


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int8", "int32", "int64", "uint8", "complex64", "complex128"])
def test_numpy_scalars_and_arrays_take_the_dtype_of_the_tensor_they_meet(kind):
    x = mg.constant(2, kind)
    for other in (np.float32(3), np.int64(3), np.array([3.0]), np.array([3], "int8"), np.array([3], ">i4"), np.array(3.0)):
        for result in (x * other, other * x, x - other, other - x):
            assert result.dtype == kind
        assert float(abs(np.asarray(other * x).ravel()[0])) == 6.0


def test_an_array_is_copied_wherever_it_comes_in():
    array = np.array([1.0, 2.0], np.float32)
    x, y, v = mg.constant(array), mg.convert_to_tensor(array), mg.Variable(array)
    w = mg.Variable([0.0, 0.0])
    w.assign(array)
    z = mg.identity(array)
    array[0] = 9.0
    for one in (x, y, z, v, w):
        assert one.numpy().tolist() == [1.0, 2.0]


def test_what_comes_out_does_not_lead_back_in():
    x, v = mg.constant([1.0, 2.0]), mg.Variable([1.0, 2.0])
    for one in (x, v):
        copy = one.numpy()
        copy[0] = 9.0
        assert one.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(x)[0] = 9.0
    shared = np.asarray(v)
    v.assign([5.0, 5.0])
    assert shared.tolist() == [1.0, 2.0]


def test_values_inside_lists_stay_connected():
    x = mg.constant(3.0)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        packed = mg.convert_to_tensor([[x, 1.0], [2.0, x * x]])
        wider = mg.constant([1.0, 2.0], "float64") * [x, x * x]
    assert tape.gradient(packed, x).numpy() == 7.0
    slope = tape.gradient(wider, x)
    assert slope.numpy() == 13.0
    assert slope.dtype == "float32"


def test_a_constant_can_be_watched_and_a_tensor_given_stays_the_same_object():
    x = mg.convert_to_tensor([1.0, 2.0])
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]
    assert mg.constant(x) is x
    assert mg.convert_to_tensor(x, "float32") is x


def test_conversions_are_silent_even_if_numpy_is_strict():
    with np.errstate(all="raise"):
        assert np.isinf(mg.constant(1e300, "float32").numpy())
        assert mg.constant(np.array([np.nan, 1e300]), "int32").shape == (2,)
        assert mg.constant(np.array([1e300]), "float16").numpy()[0] == np.inf


class Rows:
    """A sequence of which only `len` and the ways in are known."""

    def __init__(self, *values, length=None):
        self.values, self.length = values, len(values) if length is None else length

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        raise KeyError(i)  # as a series of pandas, whose labels begin elsewhere

    def __iter__(self):
        return iter(self.values)


def test_a_sequence_is_read_by_iterating():
    assert mg.constant(Rows(1, 2)).numpy().tolist() == [1, 2]
    assert mg.constant([Rows(1.0, 2.0), [3, 4]]).numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert (mg.constant([1.0, 2.0]) + Rows(1, 2)).numpy().tolist() == [2.0, 4.0]


@pytest.mark.parametrize("length", [1, 5])
def test_a_sequence_of_another_length_than_it_says_is_no_rectangle(length):
    with pytest.raises(ValueError, match="Can't convert non-rectangular Python sequence to Tensor"):
        mg.constant(Rows(1, 2, 3, length=length))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int64", None])
def test_an_integer_that_is_too_large_is_called_an_integer(dtype):
    for value in (10**310, [10**310, 1]):
        with pytest.raises(ValueError, match="Can't convert Python sequence with out-of-range integer to Tensor"):
            mg.constant(value, dtype)


def test_a_tensor_of_more_axes_than_numpys_arrays_can_have_is_refused_in_these_words():
    with pytest.raises(mg.errors.InvalidArgumentError, match="64 axes at most here, as NumPy's arrays have, but received 70"):
        mg.reshape([[1.0]], [1] * 70)
    assert mg.reshape([[1.0]], [1] * 64).ndim == 64


def test_a_memoryview_is_a_sequence_if_it_has_one_axis():
    assert mg.constant(memoryview(np.arange(3, dtype=np.int16))).numpy().tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="Cannot infer dtype of a memoryview object: NotImplementedError: multi-dim"):
        mg.constant(memoryview(np.ones((2, 3))))
