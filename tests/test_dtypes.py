"""How dtypes are named, what they tell, and what they equal."""

import copy
import pickle

import numpy as np
import pytest

import minigrad as mg

NAMES = {
    "float16": mg.half, "half": mg.float16, "float": mg.float32, "double": mg.float64, "string": mg.string, "uint8": mg.uint8,
    float: mg.float32, bool: mg.bool, object: mg.string, np.float32: mg.float32, np.longlong: mg.int64, np.str_: mg.string,
    np.dtype(">f4"): mg.float32, np.dtype("U3"): mg.string, np.dtype("S3"): mg.string,
}  # fmt: skip
NAMELESS = ["int", "f4", "object", int, complex, str, list, np.longdouble, np.generic, np.dtype("M8[s]"), 1.5, None, b"float32"]


@pytest.mark.parametrize(("name", "dtype"), NAMES.items())
def test_a_dtype_is_known_by_many_names(name, dtype):
    assert mg.as_dtype(name) is dtype
    assert dtype == name


@pytest.mark.parametrize("name", NAMELESS)
def test_what_names_no_dtype_is_a_type_error(name):
    with pytest.raises(TypeError, match=r"Cannot convert the argument `type_value`: .* to a TensorFlow DType."):
        mg.as_dtype(name)
    assert mg.float32 != name


def test_int_is_answered_with_a_choice():
    with pytest.raises(TypeError, match=r"Write mg.int32 or mg.int64."):
        mg.constant(1, int)


def test_an_array_names_its_own_dtype():
    assert mg.as_dtype(np.array([1, 2], ">i2")) is mg.int16
    assert mg.as_dtype(np.float64(1)) is mg.float64


#            name          size  min, max, limits                                            floating integer unsigned complex bool
PROPERTIES = {
    mg.float16: (2, -65504.0, 65504.0, None, "floating"),
    mg.float32: (4, np.float32(-3.4028235e38), np.float32(3.4028235e38), (0, 1), "floating"),
    mg.float64: (8, -1.7976931348623157e308, 1.7976931348623157e308, (0, 1), "floating"),
    mg.int32: (4, -(2**31), 2**31 - 1, (0, 2**31 - 1), "integer"),
    mg.uint8: (1, 0, 255, (0, 255), "integer unsigned"),
    mg.bool: (1, None, None, (0, True), "bool"),
    mg.complex64: (8, None, None, None, "complex"),
    mg.string: (0, None, None, None, ""),
}


@pytest.mark.parametrize("dtype", PROPERTIES, ids=str)
def test_a_dtype_tells_its_size_its_kind_and_its_range(dtype):
    size, least, greatest, limits, kinds = PROPERTIES[dtype]
    assert dtype.size == size
    for kind in ("floating", "integer", "unsigned", "complex", "bool"):
        assert getattr(dtype, f"is_{kind}") == (kind in kinds.split())
    if least is None:
        with pytest.raises(TypeError, match="Cannot find minimum value of"):
            dtype.min
        with pytest.raises(TypeError, match="Cannot find maximum value of"):
            dtype.max
    else:
        assert (dtype.min, dtype.max) == (least, greatest)
    if limits is None:
        with pytest.raises(ValueError, match="does not have defined limits"):
            dtype.limits
    else:
        assert dtype.limits == limits


def test_the_parts_of_complex_numbers_are_floats():
    assert (mg.complex64.real_dtype, mg.complex128.real_dtype, mg.int8.real_dtype) == (mg.float32, mg.float64, mg.int8)
    assert mg.complex64.is_numeric
    assert not mg.bool.is_numeric


def test_numpy_takes_a_dtype_of_ours():
    assert np.zeros(2, mg.int8.as_numpy_dtype).dtype == mg.int8 == np.zeros(2, mg.int8).dtype
    assert (mg.float32.as_numpy_dtype, mg.string.as_numpy_dtype) == (np.float32, object)


def test_a_dtype_prints_as_in_tensorflow():
    assert (str(mg.float32), repr(mg.bool), f"{mg.string}") == ("<dtype: 'float32'>", "mg.bool", "<dtype: 'string'>")


def test_there_is_one_object_for_each_dtype():
    assert pickle.loads(pickle.dumps(mg.int8)) is mg.int8
    assert copy.deepcopy(mg.int8) is mg.int8
    assert {mg.float32: 1}[mg.as_dtype("float32")] == 1
    assert mg.float32.is_compatible_with("float32")
    assert not mg.float32.is_compatible_with("float64")


def test_the_namespace_has_the_casts_too():
    assert mg.dtypes.cast is mg.cast
    assert mg.dtypes.saturate_cast is mg.saturate_cast
    assert mg.dtypes.complex is mg.complex
