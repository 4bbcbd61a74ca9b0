"""Modules find their Variables; functions, specs, devices and name scopes are accepted."""

import collections
import copy
import pickle

import numpy as np
import pytest

import minigrad as mg

Pair = collections.namedtuple("Pair", "q p")


class Inner(mg.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.z = mg.Variable(1.0, name="z")
        self.b = mg.Variable(2.0, name="b", trainable=False)
        self.table = {"y": mg.Variable(3.0, name="dy"), "a": mg.Variable(4.0, name="da")}
        self.listed = [mg.Variable(5.0, name="l0"), (mg.Variable(6.0, name="l1"),)]
        self._hidden = mg.Variable(7.0, name="_hidden")
        self.same = self.z
        self.named = Pair(mg.Variable(8.0, name="q"), mg.Variable(9.0, name="p"))
        self.other = {1, 2}


class Outer(mg.Module):
    def __init__(self):
        super().__init__(name="outer")
        self.m = Inner()
        self.a = mg.Variable(0.0, name="a")
        self.modules = [Inner("x1"), {"k": Inner("x2")}]
        self.again = self.m

    @mg.Module.with_name_scope
    def __call__(self, x):
        if not hasattr(self, "w"):
            self.w = mg.Variable(1.0, name="w")
        return x * self.w


INNER = ["_hidden:0", "b:0", "l0:0", "l1:0", "q:0", "p:0", "z:0", "da:0", "dy:0"]


def names(variables):
    return [v.name for v in variables]


def test_variables_come_by_attribute_name_and_inner_modules_last():
    assert names(Inner().variables) == INNER
    assert isinstance(Inner().variables, tuple)
    assert names(Outer().variables) == ["a:0", *INNER, *INNER, *INNER]


def test_trainable_and_other_variables():
    assert names(Inner().trainable_variables) == [n for n in INNER if n != "b:0"]
    assert names(Inner().non_trainable_variables) == ["b:0"]


def test_submodules_are_found_once_at_any_depth():
    module = Outer()
    assert [m.name for m in module.submodules] == ["inner", "x1", "x2"]
    module.m.me = module.m
    assert [m.name for m in module.submodules] == ["inner", "x1", "x2"]


def test_names_come_from_classes():
    made = {name: type(name, (mg.Module,), {})().name for name in ("MyDenseLayer", "HTTPServer", "Conv2DNet", "_Hid")}
    assert made == {"MyDenseLayer": "my_dense_layer", "HTTPServer": "http_server", "Conv2DNet": "conv2_d_net", "_Hid": "__hid"}


@pytest.mark.parametrize("name", ["bad name", "1a", "a/b", ""])
def test_a_name_must_be_an_identifier(name):
    with pytest.raises(ValueError, match=r"is not a valid module name\. Module names must be valid Python identifiers"):
        mg.Module(name)


def test_a_module_that_skips_init_still_finds_its_variables():
    class Careless(mg.Module):
        def __init__(self):
            self.v = mg.Variable(1.0)

    assert len(Careless().variables) == 1
    with pytest.raises(AttributeError, match="_name"):
        _ = Careless().name


def test_name_scopes_stand_before_the_names_of_variables():
    module = Outer()
    module(2.0)
    assert module.w.name == "outer/w:0"
    with mg.name_scope("foo") as scope:
        assert scope == "foo/"
        assert mg.Variable(1.0, name="q").name == "foo/q:0"
        inner = Inner("x")
        assert inner.name_scope.name == "foo/x/"
        assert inner.name_scope is inner.name_scope
        with mg.name_scope("") as top:
            assert top == ""
            assert mg.Variable(1.0, name="q").name == "q:0"
            assert Inner("x").name_scope.name == "x/"
    assert mg.Variable(1.0, name="q").name == "q:0"


@pytest.mark.parametrize("name", [3, None, True, b"a"])
def test_the_name_of_a_scope_is_a_string(name):
    with pytest.raises(ValueError, match="name for name_scope must be a string"):
        mg.name_scope(name)
    if name is not None:
        with pytest.raises(TypeError, match="must be a string"):
            mg.Module(name)


def test_copies_are_independent_and_keep_what_is_shared():
    module = Outer()
    module(2.0)
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert names(other.variables) == names(module.variables)
        assert other.m is other.again
        other.a.assign(5.0)
        assert module.a.numpy() == 0.0


def test_modules_train():
    class Line(mg.Module):
        def __init__(self):
            super().__init__()
            self.w, self.b = mg.Variable(5.0), mg.Variable(0.0)

        def __call__(self, x):
            return self.w * x + self.b

    line, x = Line(), mg.constant([1.0, 2.0])
    with mg.GradientTape() as tape:
        loss = mg.reduce_sum(mg.square(line(x) - [3.0, 5.0]))
    gradients = tape.gradient(loss, line.trainable_variables)
    assert [g.numpy() for g in gradients] == [14.0, 24.0]  # b, w


def test_function_runs_a_function_as_it_is():
    @mg.function
    def double(x):
        """Twice x."""
        return x * 2

    assert double(mg.constant(2.0)).numpy() == 4.0
    assert (double.__name__, double.__doc__) == ("double", "Twice x.")
    assert double.get_concrete_function(mg.constant(1.0))(mg.constant(3.0)).numpy() == 6.0


FLOATS = mg.TensorSpec([None], mg.float32)


def test_a_concrete_function_has_its_other_arguments_bound():
    power, three = mg.function(lambda x, n=1: x**n), mg.constant([3.0])
    for square in (power.get_concrete_function(FLOATS, 2), power.get_concrete_function(x=three, n=2)):
        for y in (square(three), square(x=three), square(three, 2), square(three, n=2)):
            assert y.numpy() == 9.0
        with pytest.raises(TypeError, match=r"Can not cast 3 to Literal\[2\]"):
            square(three, 3)
    of_number = mg.function(lambda n, x: n * x).get_concrete_function(2.0, FLOATS)
    assert of_number(three).numpy() == 6.0
    with pytest.raises(TypeError, match="missing a required argument: 'n'"):
        of_number()
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'c'"):
        power.get_concrete_function(FLOATS, c=4)


def test_a_concrete_function_makes_tensors_of_the_dtype_of_its_spec():
    double = mg.function(lambda x: x * 2.0)
    for concrete in (double.get_concrete_function(FLOATS), mg.function(lambda x: x * 2, [FLOATS]).get_concrete_function()):
        for x in ([1.0, 2.0], (1, 2), np.array([1.0, 2.0]), mg.Variable([1.0, 2.0])):
            y = concrete(x)
            assert y.dtype == mg.float32 and y.numpy().tolist() == [2.0, 4.0]
        with pytest.raises(mg.errors.InvalidArgumentError, match=r"cannot compute .* was expected to be a float tensor but is a int32"):
            concrete(mg.constant([1, 2]))
        with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(\), "):
            concrete(1.0)


def test_a_concrete_function_is_made_once_for_each_signature():
    class Scaled(mg.Module):
        @mg.function
        def __call__(self, x):
            return x * 2.0

    power, one, other = mg.function(lambda x, n=1: x), Scaled(), Scaled()
    two, things = mg.TensorSpec([2]), [object(), object()]
    concrete, bound, method = (
        power.get_concrete_function(two),
        power.get_concrete_function(two, things[0]),
        one.__call__.get_concrete_function(two),
    )
    for args in ((two,), (mg.constant([1.0, 2.0]),), (two, 1)):
        assert power.get_concrete_function(*args) is concrete
    for args in ((two, 2), (FLOATS,), (mg.TensorSpec([2], mg.int32),), (two, things[0])):
        assert power.get_concrete_function(*args) is not concrete
    assert power.get_concrete_function(two, things[0]) is bound and power.get_concrete_function(two, things[1]) is not bound
    assert one.__call__.get_concrete_function(two) is method and other.__call__.get_concrete_function(two) is not method


def test_a_concrete_function_takes_variables_and_dicts():
    step = mg.function(lambda v, d: v.assign_sub(d["dx"]))
    v, w = mg.Variable(3.0), mg.Variable(5.0)
    concrete = step.get_concrete_function(v, {"dx": mg.TensorSpec([])})
    concrete(w, {"dx": 1})
    assert (v.numpy(), w.numpy()) == (3.0, 4.0)


def test_what_a_function_returns_becomes_tensors():
    v = mg.Variable(2.0)
    kept = [v, mg.keras.Variable(3.0), np.array([1, 2]), None, "a", {"b": True, "a": range(2)}, Pair(1.5, ()), mg.TensorShape([4])]
    found = mg.function(lambda: kept)()
    assert [x.__class__ for x in found] == [*[mg.Tensor] * 3, type(None), mg.Tensor, dict, Pair, mg.Tensor]
    assert found[5]["a"].__class__ is list and found[6].p == ()
    leaves = [x for x in mg.nest.flatten(found) if x is not None]
    assert [x.numpy().tolist() for x in leaves[:3]] == [2.0, 3.0, [1, 2]]
    assert [x.dtype for x in leaves] == [
        mg.float32, mg.float32, mg.int64, mg.string, mg.int32, mg.int32, mg.bool, mg.float32, mg.int32,
    ]  # fmt: skip
    v.assign(5.0)
    assert found[0].numpy() == 2.0
    assert mg.function(lambda x: x + 1)(1).numpy() == 2


def test_what_a_function_returns_stays_connected():
    v = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y, same = mg.function(lambda: (v * v, v))()
        z = y * same
    assert tape.gradient(z, v).numpy() == 12
    two = mg.function(lambda: 2.0)()
    with mg.GradientTape() as tape:
        tape.watch(two)
        y = two * two
    assert tape.gradient(y, two).numpy() == 4


def test_rows_and_datasets_are_returned_as_they_are():
    rows, data = mg.IndexedSlices(mg.ones([1]), mg.constant([0]), mg.constant([3])), mg.data.Dataset.range(3)
    assert mg.function(lambda: [rows])()[0] is rows
    assert mg.function(lambda: data)() is data


@pytest.mark.parametrize(
    "value",
    [object(), {1, 2}, print, int, mg.float32, 2**70, slice(2), mg.TensorSpec([2]), mg.TensorShape([None]), mg.Module()],
    ids=lambda value: type(value).__name__,
)
def test_a_function_returns_nothing_that_cannot_be_a_tensor(value):
    for returned in (value, [1.0, {"a": value}]):
        with pytest.raises(TypeError, match="functions must return zero or more Tensors or ExtensionTypes or None values") as caught:
            mg.function(lambda returned=returned: returned)()
        assert f"found return value of type {type(value).__name__}, which is not a Tensor" in str(caught.value)


def add(a, b=2, *, c=3):
    return a + b + c


@pytest.mark.parametrize(("args", "kwargs", "reason"), [
    ((), {}, "missing a required argument: 'a'"), ((1, 2, 3), {}, "too many positional arguments"),
    ((1,), {"d": 1}, "got an unexpected keyword argument 'd'"), ((1,), {"a": 1}, "multiple values for argument 'a'"),
])  # fmt: skip
def test_arguments_that_a_function_does_not_take_are_named(args, kwargs, reason):
    with pytest.raises(TypeError) as caught:
        mg.function(add)(*args, **kwargs)
    assert str(caught.value) == (
        f"Binding inputs to tf.function failed due to `{reason}`. Received args: {args} and kwargs: {kwargs} "
        "for signature: (a, b=2, *, c=3)."
    )
    assert mg.function(add)(1, c=4).numpy() == 7


def test_methods_are_told_of_their_arguments_without_self():
    class Model(mg.Module):
        @mg.function
        def same(self, x: float) -> float:
            return x

    with pytest.raises(TypeError, match=r"`missing a required argument: 'x'`. Received args: \(\) and kwargs: {} for signature: \(x\)\."):
        Model().same()
    with pytest.raises(TypeError, match="3 is not a callable object"):
        mg.function(3)


def test_what_goes_wrong_inside_a_function_is_told_as_it_is():
    with pytest.raises(TypeError, match=r"add\(\) missing 1 required positional argument: 'a'"):
        mg.function(lambda: add())()


@pytest.mark.parametrize(("dtype", "given"), [(mg.float64, 1.5), (mg.float32, 3), (mg.int64, 3)])
def test_an_input_signature_gives_pythons_numbers_its_dtype(dtype, given):
    same = mg.function(lambda x: x, input_signature=[mg.TensorSpec([], dtype)])
    assert (same(given).dtype, same(given).numpy()) == (dtype, given)


def test_an_input_signature_makes_tensors_and_checks_them():
    @mg.function(input_signature=[mg.TensorSpec([None], mg.float32)])
    def double(x):
        return x * 2

    assert repr(double([1, 2]).numpy()) == "array([2., 4.], dtype=float32)"
    assert double(x=[1.0]).numpy().tolist() == [2.0]
    for wrong in (1.0, mg.constant(1.0), mg.constant([1])):
        with pytest.raises(TypeError, match=r"Binding inputs to tf.function failed due to `Can not cast TensorSpec\(shape="):
            double(wrong)
    with pytest.raises(TypeError, match="too many positional arguments"):
        double([1.0], 2.0)
    with pytest.raises(TypeError, match=r"for signature: \(x: TensorSpec\(shape=\(None,\), dtype=mg.float32, name=None\)\)\."):
        double()


def test_functions_decorate_methods_too():
    class Model(mg.Module):
        @mg.function(input_signature=[mg.TensorSpec(None)])
        def triple(self, x):
            return 3 * x

    assert Model().triple(2.0).numpy() == 6.0


def test_specs_compare_and_print():
    assert mg.TensorSpec([2], mg.float32) == mg.TensorSpec((2,), "float32")
    assert mg.TensorSpec([2]) != mg.TensorSpec([3])
    assert mg.TensorSpec([]).is_compatible_with(mg.constant(1.0))
    assert not mg.TensorSpec([]).is_compatible_with(mg.constant(1))
    assert repr(mg.TensorSpec([None, 2], mg.int32, name="x")) == "TensorSpec(shape=(None, 2), dtype=mg.int32, name='x')"
    assert repr(mg.TensorSpec(None)) == "TensorSpec(shape=<unknown>, dtype=mg.float32, name=None)"


@pytest.mark.parametrize("name", ["CPU:0", "/cpu:0", "GPU:0", "/job:localhost/device:CPU:0", None])
def test_devices_are_accepted(name):
    with mg.device(name):
        assert mg.constant(1.0).device.endswith("CPU:0")


def test_what_is_no_device_is_refused():
    with pytest.raises(ValueError, match="Unknown attribute 'foo' is encountered while parsing the device spec"), mg.device("foo"):
        pass
    with pytest.raises(ValueError, match="Unknown attribute 0 is encountered"), mg.device(0):
        pass


def test_the_machine_has_one_cpu():
    assert [d.device_type for d in mg.config.list_physical_devices()] == ["CPU"]
    assert mg.config.list_physical_devices("GPU") == []
    assert mg.executing_eagerly()


def test_variables_take_initializers():
    assert mg.Variable(lambda: mg.ones([2])).numpy().tolist() == [1.0, 1.0]
    drawn = mg.Variable(mg.keras.initializers.GlorotUniform(seed=1)((2, 2)))
    np.testing.assert_allclose(drawn.numpy(), [[0.9271029, -0.09802794], [0.24566245, -0.2630809]], rtol=1e-6)


def test_specs_are_pickled_and_functions_are_found_on_classes():
    spec = mg.TensorSpec([None, 2], mg.float64, "x")
    assert pickle.loads(pickle.dumps(spec)) == spec

    class Doubler:
        @mg.function
        def double(self, x):
            return x * 2.0

    assert Doubler.double(None, 3.0) == 6.0 and Doubler().double(3.0) == 6.0


def test_an_argument_that_does_not_fit_its_signature_is_refused():
    function = mg.function(lambda x: x, input_signature=[mg.TensorSpec([], mg.int32)])
    assert function(3).dtype == mg.int32
    with pytest.raises(TypeError, match=r"due to `Cannot convert 1.5 to EagerTensor of dtype int32`"):
        function(1.5)


@pytest.mark.parametrize("given", [None, {}, [None], np.array(["a"]), [mg.constant("a")]], ids=repr)
def test_what_cannot_be_a_tensor_is_refused_as_all_that_does_not_fit_a_signature(given):
    with pytest.raises(TypeError, match=r"Binding inputs to tf.function failed due to"):
        mg.function(lambda x: x, input_signature=[mg.TensorSpec(None, mg.float32)])(given)
    with pytest.raises(TypeError, match=r"Binding inputs to tf.function failed due to"):
        mg.function(lambda x: x, input_signature=[[mg.TensorSpec(None)]])(given)


def test_a_signature_casts_arrays_and_lists_of_tensors_and_keeps_their_gradient():
    triple = mg.function(lambda x: x * 3, input_signature=[mg.TensorSpec([None], mg.float32)])
    assert triple(np.array([1.0])).dtype == triple([mg.constant(1)]).dtype == mg.float32
    v = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = triple([v, v * v])
    assert tape.gradient(y, v).numpy() == 15


@pytest.mark.parametrize(("signature", "text"), [
    (mg.TensorSpec([]), "must be either a tuple or a list"), ({"x": mg.TensorSpec([])}, "must be either a tuple or a list"),
    ([mg.float32], "must be a possibly nested sequence of TensorSpec"), ([[mg.TensorSpec([])], [3]], r"got invalid args \[3\]"),
])  # fmt: skip
def test_a_signature_that_is_none_is_refused_when_it_is_given(signature, text):
    with pytest.raises(TypeError, match=text):
        mg.function(lambda x: x, input_signature=signature)


def test_variables_in_a_dict_whose_keys_have_no_order_are_found():
    module = mg.Module()
    module.parts = {1: mg.Variable(1.0), "a": mg.Variable(2.0), 2: "text"}
    assert [v.numpy() for v in module.variables] == [1.0, 2.0]
    assert not mg.config.functions_run_eagerly()


def test_variables_in_a_dict_within_a_list_are_found_whatever_its_keys():
    module = mg.Module()
    module.parts = [{1: mg.Variable(1.0), "a": mg.Variable(2.0)}]
    assert [v.numpy() for v in module.variables] == [1.0, 2.0]
