"""Variables: what they are made of, how they change, and what reading them gives. Expected texts are TensorFlow's."""

import copy
import pickle
import threading

import numpy as np
import pytest

import minigrad as mg


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "shape=() dtype=float32, numpy=1.0"), (1, "shape=() dtype=int32, numpy=1"), (True, "shape=() dtype=bool, numpy=True"),
        ("a", "shape=() dtype=string, numpy=b'a'"), ([], "shape=(0,) dtype=float32, numpy=array([], dtype=float32)"),
        (np.arange(2.0), "shape=(2,) dtype=float64, numpy=array([0., 1.])"), (0.1, "shape=() dtype=float32, numpy=0.10000000149011612"),
        (lambda: 3.0, "shape=() dtype=float32, numpy=3.0"),
        ([[1.0], [2.0]], "shape=(2, 1) dtype=float32, numpy=\narray([[1.],\n       [2.]], dtype=float32)"),
    ],
)  # fmt: skip
def test_what_a_variable_is_made_of_and_how_it_prints(value, text):
    v = mg.Variable(value)
    assert repr(v) == str(v) == f"<mg.Variable 'Variable:0' {text}>"


def test_tensors_variables_and_lists_of_them_are_copied():
    x, v = mg.constant(2.0), mg.Variable(3.0)
    with mg.GradientTape() as tape:
        tape.watch(x)
        w = mg.Variable([x, v, 1.0])
        y = mg.reduce_sum(w * w)
    assert tape.gradient(y, [x, v, w])[:2] == [None, None]
    v.assign(5.0)
    assert w.numpy().tolist() == [2.0, 3.0, 1.0]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: mg.Variable(), ValueError, "The `initial_value` arg to `tf.Variable` must be specified"),
        (lambda: mg.Variable(lambda: None), ValueError, r"Attempt to convert a value \(None\)"),
        (lambda: mg.Variable([1.0, None]), ValueError, "mixed types"),
        (lambda: mg.Variable(1.5, dtype="int32"), TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
        (lambda: mg.Variable(mg.constant(1.0), dtype="float64"), ValueError, "initial_value: Tensor conversion requested dtype float64"),
        (lambda: mg.Variable(mg.Variable(1.0), dtype="float64"), ValueError, "Incompatible type conversion requested to type float64"),
        (lambda: mg.Variable([1.0, 2.0], shape=(3,)), ValueError, r"the initial value's shape \(\(2,\)\) is not compatible"),
        (lambda: mg.Variable(1.0, constraint=3), ValueError, "Argument `constraint` must be None or a callable"),
    ],
)
def test_what_no_variable_is_made_of(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_numpys_values_are_converted_to_the_dtype_asked_for():
    assert mg.Variable(np.array([1.5]), dtype="int32").numpy().tolist() == [1]
    assert mg.Variable(np.float64(1.5), dtype=mg.float32).dtype == "float32"


def test_names_need_not_be_unique_and_end_in_zero():
    assert [mg.Variable(1.0, name=name).name for name in ("x", "x", None, "a b")] == ["x:0", "x:0", "Variable:0", "a b:0"]


@pytest.mark.parametrize("attribute", ["name", "trainable", "constraint", "shape"])
def test_what_is_decided_when_a_variable_is_made_stays(attribute):
    with pytest.raises(AttributeError):
        setattr(mg.Variable(1.0), attribute, None)


def test_a_variable_is_true_and_false_as_its_value_is_but_it_is_no_index():
    assert bool(mg.Variable([1.0]))
    assert not mg.Variable(0)
    assert (int(mg.Variable(2.5)), float(mg.Variable(3)), complex(mg.Variable(1.0))) == (2, 3.0, 1 + 0j)
    with pytest.raises(TypeError, match="list indices must be integers or slices, not Variable"):
        [1, 2][mg.Variable(1)]
    with pytest.raises(TypeError, match=r"has no len\(\)"):
        len(mg.Variable([1.0]))


def test_iteration_gives_connected_tensors():
    v = mg.Variable([2.0, 3.0])
    with mg.GradientTape() as tape:
        a, b = v
        y = a * b
    assert tape.gradient(y, v).numpy().tolist() == [3.0, 2.0]


def test_variables_have_no_hash_but_references_do():
    v = mg.Variable(1.0)
    with pytest.raises(TypeError, match=r"Variable is unhashable. Instead, use variable.ref\(\) as the key. \(Variable: <mg.Variable"):
        hash(v)
    assert {v.ref(): 1}[v.ref()] == 1
    assert v.ref() != v.assign(1.0).ref()


def test_a_copy_is_the_variable_itself_and_a_deep_copy_another():
    v = mg.Variable([1.0, 2.0], name="q", trainable=False, shape=(None,))
    assert copy.copy(v) is v
    for other in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        assert repr(other) == "<mg.Variable 'q:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>"
        assert not other.trainable
        other.assign([5.0, 5.0])
    assert v.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        (lambda v: v.__iadd__(1), "`variable += value` with `tf.Variable`s is not supported. Use `variable.assign_add(value)` to modify"),
        (lambda v: v.__isub__(1), "`variable -= value` with `tf.Variable`s is not supported. Use `variable.assign_sub(value)` to modify"),
        (lambda v: v.__imul__(1), "`var *= value` with `tf.Variable`s is not supported. Use `var.assign(var * value)` to modify"),
        (lambda v: v.__itruediv__(1), "`var /= value` with `tf.Variable`s is not supported. Use `var.assign(var / value)` to modify"),
        (lambda v: v.__ipow__(1), "`var **= value` with `tf.Variable`s is not supported. Use `var.assign(var ** value)` to modify"),
    ],
)
def test_operators_in_place_tell_what_to_write(operation, text):
    with pytest.raises(RuntimeError) as caught:
        operation(mg.Variable([1.0, 2.0]))
    assert str(caught.value).startswith(text)
    assert str(caught.value).endswith("if you need to get a new output Tensor.")


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ([3, 4], [3.0, 4.0]), ((3.5, 4), [3.5, 4.0]), (np.array([3, 4]), [3.0, 4.0]), (np.array([3.5, 4.0]), [3.5, 4.0]),
        (mg.constant([3.0, 4.0]), [3.0, 4.0]), (mg.Variable([3.0, 4.0]), [3.0, 4.0]), ([mg.constant(3.0), 4], [3.0, 4.0]),
        (mg.IndexedSlices(mg.constant([5.0]), mg.constant([1]), mg.constant([2])), [0.0, 5.0]),
    ],
)  # fmt: skip
def test_assign_takes_what_fits(value, result):
    v = mg.Variable([1.0, 2.0])
    v.assign(value)
    assert v.numpy().tolist() == result
    v.assign_sub(value)
    assert v.numpy().tolist() == [0.0, 0.0]
    v.assign_add(value)
    assert v.numpy().tolist() == result


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (1.0, ValueError, r"Cannot assign value to variable ' v:0': Shape mismatch.The variable shape \(2,\), and .* shape \(\)"),
        ([1.0, 2.0, 3.0], ValueError, r"The variable shape \(2,\), and the assigned value shape \(3,\) are incompatible."),
        (mg.constant([1, 2]), ValueError, "Tensor conversion requested dtype float32 for Tensor with dtype int32"),
        (mg.Variable([1, 2]), ValueError, "Incompatible type conversion requested to type float32"),
        ("a", TypeError, "Cannot convert 'a' to EagerTensor of dtype float"),
        (None, ValueError, r"Attempt to convert a value \(None\)"),
        ([1.0, "a"], ValueError, "mixed types"),
    ],
)
def test_assign_refuses_what_does_not(value, error, message):
    v = mg.Variable([1.0, 2.0], name="v")
    with pytest.raises(error, match=message):
        v.assign(value)
    assert v.numpy().tolist() == [1.0, 2.0]


def test_nothing_is_broadcast_into_a_variable():
    v = mg.Variable([1.0, 2.0])
    with pytest.raises(mg.errors.InvalidArgumentError, match=r"\[2\] using a Tensor with shape \[\], shapes must be equal. \[Op:AssignAdd"):
        v.assign_add(1.0)
    with pytest.raises(mg.errors.InvalidArgumentError, match=r"shape \[2\] using a Tensor with shape \[1\], .* \[Op:AssignSub"):
        v.assign_sub([1.0])


@pytest.mark.parametrize("value", [True, "a"])
def test_there_is_nothing_to_add_to_truth_values_and_strings(value):
    with pytest.raises(mg.errors.InvalidArgumentError, match=r"No OpKernel was registered to support Op 'AssignAddVariableOp'"):
        mg.Variable(value).assign_add(value)


def test_integers_wrap_around():
    v = mg.Variable(1, dtype="uint8")
    assert v.assign_add(255).numpy() == 0
    assert v.assign_sub(2).numpy() == 254
    assert v.assign(300).numpy() == 44
    with pytest.raises(TypeError, match=r"Cannot convert 3.5 to EagerTensor of dtype uint8"):
        v.assign(3.5)


def test_what_assign_returns_is_the_variable_under_another_name():
    v = mg.Variable(2.0, name="v")
    with mg.GradientTape() as tape:
        returned = v.assign_add(2.0)
        y = returned * returned
    assert repr(returned) == "<mg.Variable 'UnreadVariable' shape=() dtype=float32, numpy=4.0>"
    assert (type(returned).__name__, isinstance(returned, mg.Variable), returned.trainable) == ("_UnreadVariable", True, True)
    assert tape.gradient(y, v).numpy() == 8.0
    returned.assign(7.0).assign_add(1.0)
    assert (v.numpy(), returned.numpy(), float(returned)) == (8.0, 8.0, 8.0)
    assert v.assign(1.0, read_value=False) is None


def test_what_was_read_stays():
    v = mg.Variable([1.0, 2.0])
    before = [v.value(), v.read_value(), mg.convert_to_tensor(v), mg.identity(v), v + 0.0, v[:], v.numpy(), np.asarray(v)]
    v.assign_add([10.0, 10.0])
    assert [np.asarray(one).tolist() for one in before] == [[1.0, 2.0]] * len(before)


@pytest.mark.parametrize("read", [lambda v: v.value(), lambda v: v.read_value(), mg.identity, mg.convert_to_tensor])
def test_what_is_read_is_a_source_of_its_own(read):
    v = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        value = read(v)
        y = value * value * v
    at_value, at_v = tape.gradient(y, [value, v])
    assert at_value.numpy().tolist() == [2.0, 8.0]
    assert at_v.numpy().tolist() == [3.0, 12.0]


def test_a_shape_may_be_left_open():
    free, rows = mg.Variable([1.0], shape=mg.TensorShape(None)), mg.Variable([1.0], shape=(None,))
    assert repr(free) == "<mg.Variable 'Variable:0' shape=<unknown> dtype=float32, numpy=array([1.], dtype=float32)>"
    assert free.assign(5.0).numpy() == 5.0
    assert (free + 1.0).numpy() == 6.0
    assert rows.assign([1.0, 2.0]).shape == [None]
    assert [part.numpy() for part in rows] == [1.0, 2.0]
    with pytest.raises(ValueError, match="Shape mismatch"):
        rows.assign([[1.0]])


def slices(values, indices):
    return mg.IndexedSlices(mg.constant(values), mg.constant(indices))


@pytest.mark.parametrize(
    ("method", "result"),
    [
        ("add", [1.0, 14.0, 3.0]), ("sub", [1.0, -10.0, 3.0]), ("mul", [1.0, 40.0, 3.0]), ("div", [1.0, 0.1, 3.0]),
        ("max", [1.0, 10.0, 3.0]), ("min", [1.0, 2.0, 3.0]), ("update", [1.0, 2.0, 3.0]),
    ],
)  # fmt: skip
def test_rows_are_changed_by_their_numbers(method, result):
    v = mg.Variable([1.0, 2.0, 3.0])
    returned = getattr(v, f"scatter_{method}")(slices([10.0, 2.0], [1, 1]))
    np.testing.assert_allclose(v.numpy(), np.float32(result))
    assert type(returned).__name__ == "_UnreadVariable"


def test_rows_may_be_long_and_one_value_may_be_for_all():
    v = mg.Variable([[1.0, 2.0], [3.0, 4.0]])
    v.scatter_add(slices([[10.0, 20.0]], [1]))
    assert v.numpy().tolist() == [[1.0, 2.0], [13.0, 24.0]]
    v.scatter_update(slices(0.0, [0]))
    assert v.numpy().tolist() == [[0.0, 0.0], [13.0, 24.0]]


@pytest.mark.parametrize(
    ("delta", "error", "message"),
    [
        ([1.0], TypeError, r"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: \[1.0\]"),
        (slices([1.0], [5]), mg.errors.InvalidArgumentError, r"indices\[0\] = 5 is not in \[0, 3\) \[Op:ResourceScatterAdd\]"),
        (slices([1.0], [-1]), mg.errors.InvalidArgumentError, r"indices\[0\] = -1 is not in \[0, 3\)"),
        (slices([1], [1]), ValueError, "Tensor conversion requested dtype float32 for Tensor with dtype int32"),
        (slices([1.0, 2.0], [1]), mg.errors.InvalidArgumentError, r"The shape of indices \(\[1\]\) must be a prefix of"),
    ],
)
def test_rows_that_are_not_there(delta, error, message):
    with pytest.raises(error, match=message):
        mg.Variable([1.0, 2.0, 3.0]).scatter_add(delta)


@pytest.mark.parametrize(
    ("method", "result"),
    [("add", [6.0, 2.0, 4.0]), ("sub", [-4.0, 2.0, 2.0]), ("update", [5.0, 2.0, 1.0]), ("max", [5.0, 2.0, 3.0]), ("min", [1.0, 2.0, 1.0])],
)
def test_elements_are_changed_by_their_places(method, result):
    v = mg.Variable([1.0, 2.0, 3.0])
    getattr(v, f"scatter_nd_{method}")([[0], [2]], [5.0, 1.0])
    assert v.numpy().tolist() == result
    with pytest.raises(mg.errors.InvalidArgumentError, match=r"indices\[0\] = \[5\] does not index into shape \[3\]"):
        getattr(v, f"scatter_nd_{method}")([[5]], [1.0])


def test_parts_of_a_variable_can_be_read():
    v = mg.Variable([1.0, 2.0, 3.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(v.sparse_read([2, 0, 2])) + mg.reduce_sum(v.gather_nd([[1]]))
    assert mg.convert_to_tensor(tape.gradient(y, v)).numpy().tolist() == [1.0, 1.0, 2.0]
    assert v.is_initialized().numpy()


def test_a_variable_that_is_not_trainable_is_watched_by_hand_alone():
    v = mg.Variable(2.0, trainable=False)
    with mg.GradientTape(persistent=True) as tape:
        y = v * v
    assert tape.gradient(y, v) is None
    with tape:
        tape.watch(v)
        y = v * v
    assert tape.gradient(y, v).numpy() == 4.0


def test_the_habits_of_other_libraries_are_answered():
    for name in ("T", "size", "mean", "backward"):
        with pytest.raises(AttributeError, match=f"'Variable' object has no attribute '{name}'. Write "):
            getattr(mg.Variable(1.0), name)
    with pytest.raises(AttributeError, match="'Variable' object has no attribute 'foo'"):
        mg.Variable(1.0).foo


def test_numpy_takes_variables():
    v = mg.Variable([1.0, 2.0])
    assert np.array([v, v]).tolist() == [[1.0, 2.0], [1.0, 2.0]]
    assert np.array(v, np.int64).dtype == np.int64
    assert isinstance(np.ones(2) * v, mg.Tensor)
    assert not mg.is_tensor(np.sum(v))


def test_a_variable_is_shared_by_threads_and_what_one_tape_hears_is_not():
    v, results = mg.Variable(2.0), []

    def work():
        results.append(v * v)
        v.assign_add(1.0)

    with mg.GradientTape() as tape:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        y = v * 1.0
    assert tape.gradient([y, *results], v).numpy() == 1.0
    assert (v.numpy(), results[0].numpy()) == (3.0, 4.0)


def test_what_assign_returns_is_copied_as_the_variable_is():
    import copy

    v = mg.Variable([1.0])
    assert (v.device, v.get_shape()) == (mg.constant(1.0).device, (1,))
    twin = copy.deepcopy(v.assign([2.0]))
    v.assign([3.0])
    assert twin.numpy().tolist() == [2.0] and twin.name == v.name


def test_truth_values_and_texts_are_not_added():
    for value in ([True], ["a"]):
        for change in (mg.Variable(value).assign_add, mg.Variable(value).assign_sub):
            with pytest.raises(
                mg.errors.InvalidArgumentError, match=r"No OpKernel was registered to support Op 'Assign(Add|Sub)VariableOp'"
            ):
                change(value)


def test_a_change_gives_the_variable_unless_nothing_is_to_be_read():
    v = mg.Variable(1.0, trainable=1)
    assert v.trainable is True
    for change in (v.assign, v.assign_add, v.assign_sub):
        assert change(0.5, read_value=False) is None
        changed = change(0.5)
        assert changed.id == v.id and changed.trainable and isinstance(changed, mg.Variable)
    assert v.numpy() == 0.5 and v.version == 6
    assert v.assign(1.0).assign_add(1.0).numpy() == 2.0 and v.version == 8


def test_a_value_is_asked_for_by_any_name_of_its_dtype():
    v = mg.Variable([1.0, 2.0])
    for dtype in ("float32", np.float32, mg.float32):
        assert mg.convert_to_tensor(v, dtype).dtype == mg.float32
    with pytest.raises(ValueError, match="Incompatible type conversion requested to type float64"):
        mg.convert_to_tensor(v, "float64")


@pytest.mark.parametrize("method", ["assign", "assign_add", "assign_sub"])
def test_what_an_assignment_returned_keeps_a_variables_dtype(method):
    whole, other = mg.Variable(1), mg.Variable(1.0)
    with pytest.raises(ValueError, match="Incompatible type conversion requested to type int32"):
        getattr(whole, method)(other.assign(2.5))
    with pytest.raises(ValueError, match="Incompatible type conversion requested to type int32"):
        getattr(whole, method)(mg.keras.Variable(2.5))
    assert whole.dtype == mg.int32


def test_what_assign_returns_has_the_constraint_of_its_variable():
    v = mg.Variable([1.0], constraint=mg.nn.relu)
    assert v.assign([2.0]).constraint is v.constraint is mg.nn.relu


def test_the_name_of_a_variable_is_a_string():
    with pytest.raises(ValueError, match=r"name for name_scope must be a string\. Got 5"):
        mg.Variable(1.0, name=5)


def test_rows_that_are_picked_from_a_value_that_was_read_stay_rows():
    table = mg.Variable([[1.0], [2.0]])
    with mg.GradientTape() as tape:
        y = mg.gather(table.read_value(), [1])
    rows = tape.gradient(y, table)
    assert isinstance(rows, mg.IndexedSlices)
    assert mg.convert_to_tensor(rows).numpy().tolist() == [[0.0], [1.0]]


def test_a_variable_keeps_how_it_is_synchronized_and_aggregated_and_what_is_read_together_is_not_trained():
    when, how = mg.VariableSynchronization, mg.VariableAggregation
    plain = mg.Variable(1.0)
    assert (plain.synchronization, plain.aggregation, plain.trainable) == (when.AUTO, how.NONE, True)
    v = mg.Variable(1.0, synchronization=when.ON_READ, aggregation=how.MEAN)
    for one in (v, copy.copy(v), copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        assert (one.synchronization, one.aggregation, one.trainable, one.name) == (when.ON_READ, how.MEAN, False, v.name)
    assert pickle.loads(pickle.dumps(v.assign(2.0))).name == v.name
    assert mg.Variable(1.0, synchronization=when.ON_READ, trainable=True).trainable
    assert [(one.name, one.value) for one in when] == [("AUTO", 0), ("NONE", 1), ("ON_WRITE", 2), ("ON_READ", 3)]
    assert [one.name for one in how] == ["NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"]
    with pytest.raises(ValueError, match=r"Invalid variable synchronization mode: foo for variable: v. Write mg.VariableSynchronization"):
        mg.Variable(1.0, synchronization="foo", name="v")
    with pytest.raises(ValueError, match=r"Invalid variable aggregation mode: 7 for variable: None"):
        mg.Variable(1.0, aggregation=7)
