"""The tape where the scenarios do not go: questions that are refused, rows and zeros in jacobians, slices that meet."""

import subprocess
import sys

import numpy as np
import pytest

import minigrad as mg
from minigrad.engine.listening import Listener


def test_every_question_to_a_spent_tape_is_refused():
    x = mg.Variable([[1.0, 2.0]])
    with mg.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    for ask in (tape.gradient, tape.jacobian, tape.batch_jacobian):
        with pytest.raises(RuntimeError, match="can only be used to compute one set of gradients"):
            ask(y, x)


@pytest.mark.parametrize("ask", ["gradient", "jacobian", "batch_jacobian"])
def test_a_spent_tape_is_refused_before_the_question_is_looked_at(ask):
    x = mg.Variable([[1.0, 2.0]])
    with mg.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="can only be used to compute one set of gradients"):
        getattr(tape, ask)(None, None, unconnected_gradients="nothing")


def test_stop_recording_of_a_tape_that_never_ran_is_refused():
    with pytest.raises(RuntimeError, match="not recording"), mg.GradientTape().stop_recording():
        pass


def test_explain_answers_and_leaves_the_tape_as_it_was():
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
    assert tape.explain(y, x).status == "untried"
    assert float(tape.gradient(y, x)) == 6.0


def test_a_trace_hears_each_step_of_the_backward_pass():
    x = mg.Variable(3.0)
    with mg.trace() as log:
        with mg.GradientTape() as tape:
            y = x * x + x
        tape.gradient(y, x)
    assert len(log.steps) == 4


@pytest.mark.parametrize("nested", [False, True])
def test_a_jacobian_row_that_nothing_reaches_is_zero(nested):
    """Row by row (the backward pass is recorded), a row may find nothing where another does."""
    x = mg.constant([1.0, 2.0])
    outer = mg.GradientTape()

    def ask():
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = mg.stack([mg.stop_gradient(x[0]) * 0.0 + 1.0, x[1] * x[1]])
        return tape.jacobian(y, x)

    if nested:
        with outer:
            found = ask()
    else:
        found = ask()
    assert found.numpy().tolist() == [[0.0, 0.0], [0.0, 4.0]]


@pytest.mark.parametrize("function", [mg.cumsum, mg.custom_gradient(lambda x: (x * 2.0, lambda dy: dy * 2.0))], ids=["op", "custom"])
def test_the_jacobian_of_nothing_is_empty_and_not_none(function):
    x = mg.Variable(np.zeros(0, np.float32))
    with mg.GradientTape(), mg.GradientTape(persistent=True) as tape:
        y = function(x)
        assert tape.jacobian(y, x).shape == (0, 0)
    assert tape.jacobian(y, x).shape == (0, 0)


def test_a_jacobian_that_is_the_same_for_all_rows_of_a_gather():
    table = mg.Variable([[1.0, 2.0], [3.0, 4.0]])
    with mg.GradientTape(persistent=True) as tape:
        y = mg.gather(table, [1])
    assert tape.jacobian(y, table).numpy().tolist() == [[[[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]]]


def test_slices_meet_slices_and_whole_gradients():
    table = mg.Variable([[1.0], [2.0], [3.0]])
    with mg.GradientTape(persistent=True) as tape:
        twice = mg.reduce_sum(mg.gather(table, [0]) * 2.0) + mg.reduce_sum(mg.gather(table, [0, 2]))
        mixed = mg.reduce_sum(mg.gather(table, [1])) + mg.reduce_sum(table * table)
        turned = mg.reduce_sum(table * table) + mg.reduce_sum(mg.gather(table, [1]))
    rows = tape.gradient(twice, table)
    assert rows.dtype == mg.float32 and rows.shape == (3, 1) and sorted(rows.indices.numpy().tolist()) == [0, 0, 2]
    assert mg.convert_to_tensor(rows).numpy().ravel().tolist() == [3.0, 0.0, 1.0]
    assert mg.convert_to_tensor(-rows).numpy().ravel().tolist() == [-3.0, 0.0, -1.0]
    for y in (mixed, turned):
        assert tape.gradient(y, table).numpy().ravel().tolist() == [2.0, 5.0, 6.0]


def test_slices_without_a_dense_shape_are_no_tensor():
    rows = mg.IndexedSlices(mg.constant([[1.0]]), mg.constant([0]))
    assert rows.shape.rank is None
    with pytest.raises(ValueError, match="without dense_shape"):
        mg.convert_to_tensor(rows)


def test_the_advice_about_a_recorded_backward_pass_is_given_once(caplog, monkeypatch):
    monkeypatch.setitem(mg.engine.questions.warned, "recorded", 0)
    x = mg.Variable(3.0)
    with caplog.at_level("WARNING"), mg.GradientTape(persistent=True) as tape:
        y = x * x
        for _ in range(3):
            tape.gradient(y, x)
            assert sum("significantly less efficient" in record.message for record in caplog.records) == 1


def test_a_watched_integer_is_warned_of_five_times(caplog, monkeypatch):
    monkeypatch.setitem(mg.engine.questions.warned, "dtype", 0)
    with caplog.at_level("WARNING"), mg.GradientTape() as tape:
        for n in range(8):
            tape.watch(mg.constant(n))
    assert len(caplog.records) == 5


def test_a_gradient_is_never_larger_than_its_source_whatever_was_broadcast():
    x = mg.constant(np.ones((1, 3, 1), np.float32))
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = x * np.ones((4, 3, 2), np.float32)
    assert tape.gradient(y, x).numpy().tolist() == [[[8.0], [8.0], [8.0]]]


def test_a_seed_is_broadcast_to_its_target():
    x = mg.Variable([[1.0, 2.0]])
    with mg.GradientTape(persistent=True) as tape:
        y = x + 1.0
    for seed in (3.0, [3.0], [3.0, 3.0], [[3.0, 3.0]]):
        assert tape.gradient(y, x, output_gradients=mg.constant(seed)).numpy().tolist() == [[3.0, 3.0]]


def test_zeros_for_the_unconnected_can_be_a_source_themselves():
    v, w = mg.Variable([1.0, 2.0]), mg.Variable([3.0, 4.0])
    with mg.GradientTape(persistent=True) as outer:
        with mg.GradientTape() as inner:
            y = v * 2.0
        slope = inner.gradient(y, w, unconnected_gradients="zero")
        z = slope * 3.0
    assert outer.gradient(z, slope).numpy().tolist() == [3.0, 3.0]
    assert outer.gradient(z, [v, w]) == [None, None]


def test_what_to_give_for_the_unconnected_is_known_or_refused():
    x = mg.Variable([[1.0, 2.0]])
    with mg.GradientTape(persistent=True) as tape:
        y = x * x
    for ask in (tape.gradient, tape.jacobian, tape.batch_jacobian):
        with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'nothing'"):
            ask(y, x, unconnected_gradients="nothing")


def test_to_watch_after_the_block_changes_nothing():
    x = mg.constant(3.0)
    with mg.GradientTape(persistent=True) as tape:
        y = x * x
    tape.watch(x)
    assert tape.gradient(y, x) is None


def test_of_two_questions_at_the_same_time_a_one_shot_tape_answers_one():
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x

    class Other(Listener):
        def asking(self, tape):
            self.stop()
            self.answer = tape.gradient(y, x)

    other = Other()
    other.start()
    with pytest.raises(RuntimeError, match="can only be used to compute one set of gradients"):
        tape.gradient(y, x)
    assert other.answer.numpy() == 6.0


def test_a_spent_tape_has_no_second_jacobian():
    x = mg.Variable([[1.0, 2.0]])
    for first, second in (("gradient", "jacobian"), ("jacobian", "batch_jacobian"), ("batch_jacobian", "gradient")):
        with mg.GradientTape() as tape:
            y = x * x
        getattr(tape, first)(y, x)
        with pytest.raises(RuntimeError, match="A non-persistent GradientTape can only be used to compute one set"):
            getattr(tape, second)(y, x)
        assert tape.refused


def test_an_output_of_many_can_be_a_source_besides():
    x = mg.Variable([1.0, 2.0, 3.0, 4.0])
    with mg.GradientTape() as tape:
        first, last = mg.split(x * 2.0, 2)
        y = mg.reduce_sum(first * first) + 3.0 * mg.reduce_sum(last)
    dx, dfirst, dlast = tape.gradient(y, [x, first, last])
    assert [g.numpy().tolist() for g in (dx, dfirst, dlast)] == [[8.0, 16.0, 6.0, 6.0], [4.0, 8.0], [3.0, 3.0]]


def test_a_jacobian_of_rows_that_were_picked_is_whole():
    table = mg.Variable([[1.0, 2.0], [3.0, 4.0]])
    with mg.GradientTape(persistent=True) as outer, mg.GradientTape() as tape:
        y = mg.gather(table, [1, 1])
        whole = tape.jacobian(y, table)
    assert whole.shape == (2, 2, 2, 2)
    assert whole.numpy()[0].tolist() == whole.numpy()[1].tolist() == [[[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]]
    assert outer.gradient(whole, table) is None


@pytest.mark.parametrize("persistent", [False, True])
def test_a_tape_that_was_never_entered_has_no_answer(persistent):
    x, tape = mg.Variable([[1.0, 2.0]]), mg.GradientTape(persistent=persistent)
    for ask in (tape.gradient, tape.jacobian, tape.batch_jacobian):
        with pytest.raises(RuntimeError, match="A non-persistent GradientTape can only be used to compute one set"):
            ask(x, x)


def test_a_batch_jacobian_can_be_explained_like_any_answer():
    x = mg.Variable([[1.0, 2.0]])
    with mg.GradientTape() as tape:
        y = x * x
    tape.batch_jacobian(y, x)
    assert tape.explain(y, x).status == "untried"


@pytest.mark.parametrize("seed", [mg.constant([1.0, 2.0, 3.0]), mg.constant([1, 2]), "abc", object()])
def test_seeds_that_do_not_fit_do_not_use_the_tape_up(seed):
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = x * x
    with pytest.raises((mg.errors.InvalidArgumentError, ValueError)):
        tape.gradient(y, x, output_gradients=seed)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]


def test_batch_jacobian_has_the_axes_of_its_target():
    x = mg.Variable([[1.0, 2.0], [3.0, 4.0]])
    with mg.GradientTape() as tape:
        y = mg.reshape(mg.concat([x, x * x, x], 1), (2, 3, 2))
    found = tape.batch_jacobian(y, x).numpy()
    assert found.shape == (2, 3, 2, 2)
    assert found[1].tolist() == [[[1.0, 0.0], [0.0, 1.0]], [[6.0, 0.0], [0.0, 8.0]], [[1.0, 0.0], [0.0, 1.0]]]


def test_batch_jacobian_of_a_variable_by_itself():
    v = mg.Variable([[1.0, 2.0], [3.0, 4.0]])
    with mg.GradientTape() as tape:
        tape.watch(v)
    assert tape.batch_jacobian(v, v).numpy().tolist() == [[[1.0, 0.0], [0.0, 1.0]]] * 2


@pytest.mark.parametrize("ask", ["jacobian", "batch_jacobian"])
def test_a_recorded_jacobian_begins_with_what_ops_can_take_and_so_it_passes_where(ask):
    x = mg.Variable([[1.0], [3.0]])
    with mg.GradientTape() as outer:
        with mg.GradientTape() as tape:
            y = mg.where(x > 2.0, x**3, x)
        slopes = getattr(tape, ask)(y, x)
    assert outer.gradient(slopes, x).numpy().tolist() == [[0.0], [18.0]]


def test_a_recorded_jacobian_has_a_gradient_and_none_for_what_is_not_connected():
    x, other = mg.Variable([1.0, 2.0]), mg.Variable([3.0])
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = x * x
        rows, none = inner.jacobian(y, [x, other])
    assert rows.numpy().tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert none is None
    assert outer.gradient(rows, x).numpy().tolist() == [2.0, 2.0]


@pytest.mark.parametrize("watched", [mg.constant([1.0, 2.0]), mg.Variable([1.0, 2.0], trainable=False)])
def test_the_jacobian_of_what_nobody_watches_by_itself_is_none(watched):
    with mg.GradientTape() as tape:
        pass
    assert tape.jacobian(watched, watched) is None


def test_rows_that_no_seed_changes_are_all_alike():
    @mg.custom_gradient
    def stubborn(x):
        return x * 1.0, lambda dy: mg.constant([5.0, 6.0])

    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = stubborn(x)
    assert tape.jacobian(y, x).numpy().tolist() == [[5.0, 6.0], [5.0, 6.0]]


def test_rows_that_arrive_at_one_of_many_outputs_are_made_whole():
    x = mg.Variable([1.0, 2.0, 3.0, 4.0])
    with mg.GradientTape() as tape:
        first, second = mg.split(x, 2)
        y = mg.reduce_sum(mg.gather(first, [0, 0])) + mg.reduce_sum(mg.gather(second * 1.0, [1]))
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 0.0, 0.0, 1.0]


def test_watching_needs_a_tape_that_runs():
    v = mg.Variable(1.0, trainable=False)
    tape = mg.GradientTape()
    with pytest.raises(AttributeError, match="not running"):
        tape.watch(v)
    with mg.trace():
        with tape:
            pass
        tape.watch(v)  # without effect, though a trace listens
    assert tape.watched_variables() == ()


WARNED = """
import minigrad as mg
x = mg.Variable(1.0)
with mg.GradientTape(persistent=True) as tape:
    for _ in range(7):
        tape.watch(mg.constant(1))
    y = x * x
    for _ in range(3):
        tape.gradient(y, x)
"""


def test_warnings_are_said_as_often_as_tensorflow_says_them():
    said = subprocess.run([sys.executable, "-c", WARNED], capture_output=True, text=True, check=True).stderr.splitlines()
    assert len([line for line in said if "must be floating" in line]) == 5
    assert len([line for line in said if "significantly less efficient" in line]) == 1


def test_who_listens_hears_of_every_question():
    class Hears(Listener):
        def __init__(self):
            self.heard = []

        def asked(self, tape, targets, sources, results):
            self.heard.append((targets[0].shape, [source.id for source in sources], [result.shape for result in results]))

    x = mg.Variable([[1.0, 2.0]])
    hears = Hears()
    hears.start()
    with mg.GradientTape(persistent=True) as tape:
        y = x * x
    for ask in (tape.gradient, tape.jacobian, tape.batch_jacobian):
        ask(y, x)
    hears.stop()
    assert hears.heard == [((1, 2), [x.id], [shape]) for shape in ((1, 2), (1, 2, 1, 2), (1, 2, 2))]


def test_the_jacobian_of_a_variable_by_itself():
    v = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        tape.watch(v)
    assert tape.jacobian(v, v).numpy().tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_a_variable_as_target_takes_seeds_too():
    v = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        tape.watch(v)
    assert tape.gradient(v, v, output_gradients=mg.constant([3.0, 4.0])).numpy().tolist() == [3.0, 4.0]


ROWS_PASS = {  # what a table goes through before its rows are gathered
    "value": lambda v: v.value(), "identity": mg.identity, "convert": mg.convert_to_tensor, "negative": lambda v: -v,
    "cast": lambda v: mg.cast(v, mg.float64), "ensure_shape": lambda v: mg.ensure_shape(v, (2, 2)), "add_n": lambda v: mg.add_n([v, v]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS_PASS)
def test_rows_stay_rows_where_tensorflow_keeps_them(name):
    v = mg.Variable([[1.0, 2.0], [3.0, 4.0]])
    with mg.GradientTape(persistent=True) as outer:
        with mg.GradientTape() as tape:
            y = mg.gather(ROWS_PASS[name](v), [1, 1]) ** 2.0
        rows = tape.gradient(y, v)
        whole = mg.reduce_sum(mg.convert_to_tensor(rows))
    assert isinstance(rows, mg.IndexedSlices)
    assert rows.values.dtype == mg.float32
    times = 2.0 if name == "add_n" else 1.0
    np.testing.assert_allclose(mg.convert_to_tensor(rows), [[0.0, 0.0], [12.0 * times**2, 16.0 * times**2]])
    np.testing.assert_allclose(mg.convert_to_tensor(outer.gradient(whole, v)), [[0.0, 0.0], [4.0 * times**2] * 2])


def test_rows_become_whole_where_something_is_computed_from_them():
    v = mg.Variable([[1.0, 2.0], [3.0, 4.0]])
    with mg.GradientTape() as tape:
        y = mg.gather(v * 2.0, [0])
    assert tape.gradient(y, v).numpy().tolist() == [[2.0, 2.0], [0.0, 0.0]]


def test_what_stretches_a_seed_is_heard_by_the_tape_outside():
    x, seed = mg.constant([1.0, 3.0]), mg.constant(5.0)
    with mg.GradientTape() as outer:
        outer.watch(seed)
        with mg.GradientTape() as inner:
            inner.watch(x)
            y = x * x
        dx = inner.gradient(y, x, output_gradients=seed)
    assert outer.gradient(dx, seed).numpy() == 8.0


def test_a_seed_that_is_a_variable_is_not_watched():
    x, seed = mg.Variable(3.0), mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = x * x
        slope = tape.gradient(y, x, output_gradients=seed)
    assert slope.numpy() == 12.0
    assert [v is x for v in tape.watched_variables()] == [True]


@pytest.mark.parametrize(
    "use",
    [
        lambda v: v.assign(3.0), lambda v: v.assign_add(1.0), lambda v: v.numpy(), float, bool, repr, str, np.array, mg.constant,
        lambda v: f"{v}",
    ],
)  # fmt: skip
def test_whatever_uses_a_variable_is_watched(use):
    v, constant = mg.Variable(2.0), mg.Variable(1.0, trainable=False)
    with mg.GradientTape() as tape:
        use(v)
        use(constant)
        mg.Variable(5.0)
        constant.shape, v.dtype, v.name
    assert [one is v for one in tape.watched_variables()] == [True]


@pytest.mark.parametrize("use", [mg.stop_gradient, mg.Variable, lambda v: mg.Variable(lambda: v * 2.0)], ids=["stop", "copy", "made of it"])
def test_what_becomes_a_constant_is_not_watched(use):
    v = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = use(v) * 3.0
    assert tape.gradient(y, v) is None
    assert v is not next(iter(tape.watched_variables()), None)


@pytest.mark.parametrize("seed", [[[1.0, 2.0]], [[[1.0, 2.0]]], [1.0, 2.0]])
def test_a_seed_may_have_leading_axes_of_length_1(seed):
    x = mg.Variable([3.0, 4.0])
    with mg.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x, output_gradients=mg.constant(seed)).numpy().tolist() == [6.0, 16.0]


@pytest.mark.parametrize("seed", [[[1.0, 2.0], [1.0, 2.0]], [1.0, 2.0, 3.0], [[1.0], [2.0]], [[]]])
def test_a_seed_of_another_shape_is_refused(seed):
    x = mg.Variable([3.0, 4.0])
    with mg.GradientTape() as tape:
        y = x * x
    with pytest.raises(mg.errors.InvalidArgumentError, match="Incompatible shapes"):
        tape.gradient(y, x, output_gradients=mg.constant(seed))


def test_a_variable_of_keras_is_watched_by_its_value():
    v = mg.keras.Variable(2.0)
    with mg.GradientTape() as tape:
        with pytest.raises(ValueError, match=r"of type 'Variable', not tf.Tensor or tf.Variable.*tape.watch\(v.value\)"):
            tape.watch(v)
        tape.watch(v.value)


def test_jacobians_row_by_row_need_a_persistent_tape():
    x = mg.Variable([[1.0, 2.0]])
    for persistent in (True, False):
        for what in ("jacobian", "batch_jacobian"):
            with mg.GradientTape(persistent=persistent) as tape:
                y = x * x
            if persistent:
                assert getattr(tape, what)(y, x, experimental_use_pfor=False).shape[-1] == 2
            else:
                with pytest.raises(RuntimeError, match=f"persistent=True to compute the {what} with eager execution"):
                    getattr(tape, what)(y, x, experimental_use_pfor=False)


@pytest.mark.parametrize("wrong", [(v for v in ()), {1, 2}, object(), len, mg.Module()], ids=lambda wrong: type(wrong).__name__)
def test_what_is_no_tensor_and_no_number_has_no_dtype(wrong):
    x = mg.Variable(1.0)
    with mg.GradientTape(persistent=True) as tape:
        y = x * x
    for question in ((y, wrong), (wrong, x)):
        with pytest.raises(TypeError, match=r"to a TensorFlow DType. A (source|target) must be a Tensor"):
            tape.gradient(*question)


def test_a_single_number_has_no_batch():
    x = mg.Variable(1.0)
    with mg.GradientTape() as tape:
        y = x * x
    with pytest.raises(IndexError, match="the target is one number, and has no batch"):
        tape.batch_jacobian(y, x)


def test_a_string_has_no_gradient_not_even_to_itself():
    s, x = mg.constant("a"), mg.Variable(2.0)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(s)
        y = x * x
    for missing in ("none", "zero"):
        assert tape.gradient(s, s, unconnected_gradients=missing) is None
        assert tape.gradient([s], [s], unconnected_gradients=missing) == [None]
        of_x, of_s = tape.gradient([y, s], [x, s], unconnected_gradients=missing)
        assert (of_x.numpy(), of_s) == (4.0, None)
    assert tape.gradient(y, s, unconnected_gradients="zero").numpy() == b""
    assert tape.gradient(s, s, mg.constant("b")).numpy() == b"b"


def test_a_late_watch_reaches_nothing_that_ran_before_and_the_answer_says_why():
    x, w = mg.constant([[1.0, 2.0]]), mg.Variable([[1.0], [2.0]])
    with mg.trace(), mg.GradientTape(persistent=True) as tape:
        y = mg.matmul(x, w)  # TensorFlow keeps x as well, since w is watched, and gives dy/dx
        tape.watch(x)
        z = x * x
    assert tape.gradient(y, x) is None
    assert tape.gradient(z, x).numpy().tolist() == [[2.0, 4.0]]
    assert "watched later: for a constant the tape kept nothing" in str(tape.explain(y, x))


@pytest.mark.parametrize("persistent", [False, True])
def test_a_jacobian_of_sparse_rows_is_that_of_the_whole_array(persistent):
    table = mg.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with mg.GradientTape(persistent) as outer:
        with mg.GradientTape() as inner:
            y = mg.reduce_sum(mg.gather(table, [0, 2, 2]) ** 3)
        rows = inner.gradient(y, table)
        if persistent:
            assert outer.jacobian(rows, table).numpy().sum() == 150
    assert isinstance(rows, mg.IndexedSlices)
    expected = np.diag([6.0, 12.0, 0.0, 0.0, 60.0, 72.0]).reshape(3, 2, 3, 2)
    assert outer.jacobian(rows, table).numpy().tolist() == expected.tolist()
    if persistent:
        assert outer.batch_jacobian(rows, table).numpy().tolist() == expected[range(3), :, range(3)].tolist()
