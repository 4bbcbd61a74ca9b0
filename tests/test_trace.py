"""The trace hears everything, keeps little, and changes nothing."""

import contextlib
import gc
import re
import sys
import threading
import weakref

import numpy as np
import pytest
from scenarios import SCENARIOS, run

import minigrad as mg
from minigrad.engine.listening import listening
from minigrad.engine.op import made
from minigrad.inspector.arrays import text_of
from minigrad.tracing import checkpoint, values
from minigrad.tracing.log import (
    WIDTH,
    Asked,
    EnteredEngine,
    Failed,
    LeftEngine,
    Ran,
    Refused,
    Stored,
    TapeEvent,
    Trace,
    Watched,
    Wrote,
    newest_trace,
    trace_of,
)
from minigrad.tracing.places import CALLERS, callers_of, leads_to
from minigrad.tracing.values import Summary


def kinds(log):
    return [type(event).__name__ for event in log.events]


def only(log, kind):
    return [event for event in log.events if isinstance(event, kind)]


def test_it_hears_what_happens_in_the_order_of_time():
    x = mg.Variable(3.0)
    with mg.trace() as log:
        with mg.GradientTape() as tape:
            y = x * x
        dx = tape.gradient(y, x)
        x.assign_sub(dx)
        float(x)
        mg.constant(2.0)
    assert kinds(log) == ["TapeEvent", "Ran", "TapeEvent", "Asked", "Wrote", "LeftEngine", "EnteredEngine"]
    assert [event.number for event in log.events] == sorted(event.number for event in log.events)


def test_an_op_is_kept_with_inputs_line_tapes_and_value():
    x, c = mg.Variable([1.0, 2.0]), mg.constant([3.0, 4.0])
    with mg.trace() as log, mg.GradientTape() as tape:
        y = x * c + 1.0
    multiply, add = only(log, Ran)
    assert (multiply.name, multiply.inputs, multiply.recorded) == ("multiply", (x.id, c.id), {tape.number: (x.id,)})
    assert (add.outputs, add.numbers, add.value.sample) == ((y.id,), {1: 1.0}, [4.0, 9.0])
    assert multiply.place.text == "y = x * c + 1.0"
    assert multiply.versions == {x.id: 0} and multiply.kinds == ["f", "f"]


def test_an_op_knows_the_kinds_of_all_its_dtypes():
    with mg.trace() as log:
        mg.where([True, False], mg.constant([1, 2]), mg.constant([3, 4]))
        mg.gather(mg.constant([1.0, 2.0]), [1])
    assert [event.kinds for event in only(log, Ran)] == [["b", "i", "i"], ["f", "i"]]


def test_a_ghost_is_an_op_that_no_tape_recorded():
    c = mg.constant(3.0)
    with mg.trace() as log:
        c * c
        with mg.GradientTape() as tape:
            c * c
            tape.watch(c)
            c * c
    assert [event.recorded for event in only(log, Ran)] == [{}, {tape.number: ()}, {tape.number: (c.id, c.id)}]
    assert [event.source for event in only(log, Watched)] == [c.id]


def test_assignments_are_kept_with_versions_and_values():
    x = mg.Variable(3.0)
    with mg.trace() as log:
        x * 1.0
        x.assign(5.0)
        x.assign_add(x * 2.0)
    first, second = only(log, Wrote)
    assert (first.how, first.version, str(first.before), str(first.value)) == ("assign", 1, "3.0", "5.0")
    assert (second.how, second.version, str(second.before), str(second.value)) == ("assign_add", 2, "5.0", "15.0")
    assert second.source == only(log, Ran)[-1].outputs[0]


@pytest.mark.parametrize(
    ("leave", "door"),
    [
        (lambda x: x.numpy(), "numpy()"), (float, "float()"), (int, "int()"), (bool, "bool()"), (np.mean, "NumPy"), (np.asarray, "NumPy"),
        (lambda x: np.add(x, 1.0), "NumPy"), (complex, "complex()"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("make", [mg.Variable, mg.constant])
def test_every_door_is_watched(leave, door, make):
    x = make(3.0)
    with mg.trace() as log:
        leave(x)
    assert [(event.exit, event.tensor) for event in only(log, LeftEngine)] == [(door, x.id)]


def test_values_that_come_in_are_kept():
    with mg.trace() as log:
        x = mg.constant([1.0, 2.0])
        mg.convert_to_tensor(np.float32(3.0))
        x * np.ones(2, np.float32)
    assert [event.value.sample for event in only(log, EnteredEngine)] == [[1.0, 2.0], [3.0], [1.0, 1.0]]


def test_a_step_of_an_optimizer_lets_no_value_leave():
    v, optimizer = mg.Variable([1.0, 2.0]), mg.keras.optimizers.Adam()
    with mg.trace() as log:
        optimizer.apply_gradients([(mg.constant([0.1, 0.2]), v)])
    assert {event.how for event in only(log, Wrote)} >= {"assign", "assign_sub"}
    assert not only(log, LeftEngine)


def test_state_is_heard():
    x = mg.constant([1.0, 2.0])
    with mg.trace() as log:
        queue = mg.queue.FIFOQueue(2, mg.float32)
        queue.enqueue(x)
        out = queue.dequeue()
        rows = list(mg.data.Dataset.from_tensor_slices(x))
        (batch,) = mg.data.Dataset.from_tensor_slices(x).batch(2)
    stored = only(log, Stored)
    assert (stored[0].where, stored[0].tensor, stored[0].result) == ("FIFOQueue", x.id, out.id)
    assert [event.result for event in stored[2:4]] == [row.id for row in rows]
    assert [event.result for event in stored].count(batch.id) == 2
    with mg.trace() as log:
        queue = mg.queue.FIFOQueue(2, mg.float32, shapes=[()])
        queue.enqueue_many([x])
        out = queue.dequeue_many(2)
    whole, *rows = [(event.tensor, event.result) for event in only(log, Stored)]
    assert whole[0] == x.id and [tensor for tensor, _ in rows[:2]] == [whole[1], whole[1]]
    assert rows[2:] == [(row, out.id) for _, row in rows[:2]]


def test_the_life_of_a_tape():
    x = mg.Variable(1.0)
    with mg.trace() as log, mg.GradientTape() as tape:
        with tape.stop_recording():
            pass
        tape.reset()
        y = x * x
        tape.gradient(y, x)
    happened = [event.what for event in only(log, TapeEvent)]
    assert happened == ["opened", "paused", "closed", "opened", "forgot", "closed", "closed"]


def test_a_question_is_kept_with_its_steps():
    x = mg.Variable(3.0)
    with mg.trace() as log:
        with mg.GradientTape() as tape:
            h = x * x
            y = mg.exp(h) * 2.0
        tape.gradient(y, x)
    (asked,) = only(log, Asked)
    assert (asked.targets, asked.sources, asked.released) == ((y.id,), (x.id,), True)
    steps = log.steps_of([asked])
    assert [step.source for step in steps] == [steps[1].outputs[0], h.id, x.id, x.id]
    assert str(steps[0].upstream) == "1.0"
    assert str(steps[0].sent) == "2.0"
    assert asked.slopes[0].sample == pytest.approx([2 * np.exp(9.0) * 6.0])


def test_it_keeps_no_tensors_and_no_arrays_beyond_its_bytes(monkeypatch):
    monkeypatch.setattr(values, "MOST_HELD", 4_000_000)
    alive = []
    with mg.trace() as log, mg.GradientTape():
        x = mg.ones([1000, 500])
        for _ in range(4):
            y = x * 2.0
            alive.append((weakref.ref(y), weakref.ref(y.value)))
        del x, y
        gc.collect()
    assert [tensor() for tensor, _ in alive] == [None] * 4
    assert [array() is not None for _, array in alive] == [False, False, True, True], "two of 2,000,000 bytes"
    assert all(event.value.kept.size <= 256 for event in only(log, Ran))


def test_it_measures_the_oldest_of_which_a_film_can_be_made_and_no_others(monkeypatch):
    monkeypatch.setattr(values, "MOST_HELD", 50_000)
    monkeypatch.setattr(values, "PAGE", 8_000)
    with mg.trace() as log:
        x = mg.Variable(mg.ones([1000]))
        for _ in range(100):
            x * 2.0
        with mg.GradientTape() as tape:
            for _ in range(100):
                x * 2.0
    large = [event.value for event in only(log, Ran) if not event.value.whole]
    assert [one.array is not None for one in large] == [False] * (len(large) - 12) + [True] * 12, "12 x 4,000 bytes, page by page"
    assert large[1].measures is None and large[1].finite and not large[1].zero, "nobody can make a film of it"
    assert tape.steps and {one.measures.norm for one in large[-97:]} == {2.0 * 1000**0.5}


def test_a_film_of_the_last_tape_can_be_made_when_it_is_gone_and_of_the_one_before_it_only_shapes_are_known(monkeypatch):
    monkeypatch.setattr(values, "MOST_HELD", 100_000)
    monkeypatch.setattr(values, "PAGE", 1)
    w, other = mg.Variable(mg.ones([50, 40])), mg.ones([50, 40])

    def asked():
        with mg.GradientTape() as tape:
            y = mg.sin(w * 2.0)
        tape.gradient(y, w)

    with mg.trace() as log:
        w.assign(w * 3.0)
        asked()
        asked()
        for _ in range(100):
            other * 2.0
    film = mg.inspect(log).plain
    columns = [film["arrays"][film["cols"][one]["value"]] for one in ("s0", "f0")]
    assert [(one["shape"], one["state"], "norm" in one) for one in columns] == [([50, 40], "value", True)] * 2
    before, now = [event.value for event in only(log, Ran) if event.op.__name__ == "sin"]
    assert not before.known and before.measures is None and before.finite and not before.zero
    assert (before.shape, before.dtype, before.sample, str(before)) == ((50, 40), np.float32, [], "[...]")
    assert text_of(before) == "[...]"
    assert now.measures.norm == pytest.approx(2000**0.5 * abs(np.sin(6.0)))


def test_of_a_training_loop_only_what_a_film_of_its_last_step_shows_is_measured(monkeypatch):
    monkeypatch.setattr(values, "MOST_HELD", 900_000)
    monkeypatch.setattr(values, "PAGE", 1)
    w, other = mg.Variable(mg.ones([50, 40])), mg.ones([50, 40])
    with mg.trace() as log:
        for _ in range(3):
            with mg.GradientTape() as tape:
                y = mg.sin(w * 2.0)
            w.assign_sub(tape.gradient(y, w))
        for _ in range(200):
            other * 2.0
    written, asked = only(log, Wrote), only(log, Asked)
    assert [one.value.measures is not None for one in written] == [False, True, True], "from the second step it has its value"
    assert [one.before.measures is not None for one in written] == [False, False, True]
    assert [one.slopes[0].measures is not None for one in asked] == [False, False, True]
    assert all(one.value.finite and one.value.array is None for one in written)


def test_small_values_are_on_no_page_and_let_no_large_one_go(monkeypatch):
    monkeypatch.setattr(values, "MOST_HELD", 8_000)
    monkeypatch.setattr(values, "PAGE", 1)
    with mg.trace() as log, mg.GradientTape():
        large = mg.ones([1000]) * 2.0
        for _ in range(1000):
            mg.constant(1.0) * mg.ones([256])
    assert [event.value.array is not None for event in only(log, Ran) if event.value.shape == (1000,)] == [True]
    assert large.shape == (1000,)


def test_nothing_is_measured_before_somebody_looks(monkeypatch):
    monkeypatch.setattr(values, "measured", lambda arrays: pytest.fail("measured while the program waits"))
    x = mg.Variable(mg.ones([20, 50]))
    with mg.trace() as log, mg.GradientTape() as tape:
        y = mg.sin(x * 2.0)
    tape.gradient(y, x)
    assert [event.value.array is not None for event in only(log, Ran)][-2:] == [True, True]


@pytest.mark.parametrize("count", [2, 3])
def test_arrays_that_are_measured_together_are_measured_as_each_alone(count):
    rng = np.random.default_rng(0)
    for shape in ((300,), (12, 16), (32, 64), (25, 7, 9), (1, 1000), (1000, 1), (13, 17), (3000, 3), (2, 5000)):
        for dtype in (np.float32, np.float64, np.int32, bool, np.complex64, np.float16):
            arrays = [(rng.normal(size=shape) * 3).astype(dtype) for _ in range(count)]
            arrays[1] *= dtype(0)
            for array, found in zip(arrays, values.measured(arrays)):
                sizes = np.abs(array) if array.dtype.kind == "c" else array.astype(float)
                assert (found.low, found.high, found.zeros) == (sizes.min(), sizes.max(), (array == 0).sum())
                assert found.norm == pytest.approx(np.linalg.norm(sizes), rel=1e-5)
                grid = sizes.reshape(-1, shape[-1]) if sum(n > 1 for n in shape) > 1 else sizes.reshape(1, -1)
                rows, columns = ((n, -(-n // most)) for n, most in zip(grid.shape, (12, 16 if len(grid) > 1 else 192)))
                blocks = [
                    [grid[i : i + rows[1], k : k + columns[1]] for k in range(0, columns[0], columns[1])]
                    for i in range(0, rows[0], rows[1])
                ]
                assert np.array_equal(np.abs(found.thumb), [[np.abs(one).max() for one in row] for row in blocks])


def test_what_is_not_finite_is_measured_apart():
    large, one = np.full((20, 30), 1e200), np.ones((20, 30))
    large[0, 0], one[3, 4], one[5, 6], one[7, 8] = 0.0, np.nan, np.inf, -np.inf
    of_large, of_one, of_nothing = values.measured([large, one, np.zeros((20, 30))])
    assert of_large.norm == pytest.approx(1e200 * 599**0.5) and of_large.finite and of_large.zeros == 1
    assert of_one[:7] == (1.0, 1.0, pytest.approx(597**0.5), 0, 1, 1, 1) and not of_one.finite
    assert of_nothing[:4] == (0.0, 0.0, 0.0, 600)


def test_a_part_of_a_large_array_does_not_keep_it_alive():
    with mg.trace() as log:
        x = mg.ones([100_000])
        few, again = x[:1000], mg.reshape(x, [1000, 100])
    held = [event.value.array for event in only(log, Ran)][-2:]
    assert np.shares_memory(few.value, x.value) and not np.shares_memory(held[0], x.value)
    assert np.shares_memory(held[1], x.value) and np.array_equal(held[1], again.value)


def test_an_op_that_raises_is_heard_with_the_shapes_of_its_inputs():
    with mg.trace() as log, mg.GradientTape():
        x, w = mg.Variable(mg.ones((3, 2))), mg.ones((2, 4))
        for bad in (lambda: w @ x, lambda: x + mg.ones(5), lambda: x * mg.ones(1, mg.int32)):
            with pytest.raises(mg.errors.InvalidArgumentError):
                bad()
    failed = only(log, Failed)
    assert [[shape for _, shape in event.given] for event in failed] == [[(2, 4), (3, 2)], [(3, 2), (5,)], [(3, 2), (1,)]]
    assert failed[0].given[1][0] == failed[1].given[0][0] == x.id and failed[0].error.startswith("InvalidArgumentError: ")


def test_a_question_that_raises_is_heard():
    with mg.trace() as log:
        x = mg.Variable(2.0)
        with mg.GradientTape() as tape:
            y = x * x
        tape.gradient(y, x)
        with pytest.raises(RuntimeError):
            tape.gradient(y, x)
        with mg.GradientTape(), pytest.raises(RuntimeError, match="can only be used to compute one set"):
            tape.gradient(y, x)  # another tape listens, and is not disturbed
    assert [(event.tape, event.error.partition(":")[0]) for event in only(log, Refused)] == [(tape.number, "RuntimeError")] * 2


def test_a_tape_that_a_trace_first_hears_as_it_refuses_is_explained_after_the_trace():
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with mg.trace() as log, pytest.raises(RuntimeError):
        tape.gradient(y, x)
    assert trace_of(tape) is log


def test_an_op_knows_the_layer_that_it_ran_in():
    with mg.trace() as log:
        model = mg.keras.Sequential([mg.keras.layers.Dense(2, name="first"), mg.keras.layers.Dense(1, name="second")], name="model")
        model(mg.ones((1, 3)))
    paths = [event.module for event in only(log, Ran)]
    assert {"model/first", "model/second", "model/first/(build)"} <= {*paths} and not any("second" in path for path in paths[:2])


def test_python_need_not_search_the_log_for_garbage():
    x, w = mg.Variable(0.5), mg.Variable([0.5, 1.5])
    with mg.trace() as log:
        with mg.GradientTape() as tape:
            y = x * w
            for _ in range(100):
                y = mg.sin(y * 1.5)
        for one, slope in zip((x, w), tape.gradient(y, (x, w))):
            one.assign_sub(0.1 * slope)
    for _ in range(5):  # what a row is made of is left alone first
        gc.collect()
    assert len(log.cells) >= 200 * WIDTH
    assert not [one for one in log.cells if gc.is_tracked(one) and not isinstance(one, type)]


def test_a_log_lives_as_long_as_a_tape_that_it_heard():
    x = mg.Variable(3.0)
    with mg.trace() as log:
        with mg.GradientTape() as tape:
            y = x * x
        with mg.GradientTape():
            x * 2.0
    log = weakref.ref(log)
    assert log() is not None
    del tape, y
    assert log() is None


def test_a_tape_is_explained_by_its_own_log_whatever_was_traced_later():
    x = mg.Variable(3.0)
    with mg.trace(), mg.GradientTape(persistent=True) as tape:
        y = x * x.numpy()
    for _ in range(10):
        with mg.trace(), mg.GradientTape() as other:
            z = x * x
        other.gradient(z, x)
    assert tape.explain(y, x).codes == ("LEFT_ENGINE",)


def test_a_tape_that_ran_before_its_trace_is_explained_after_it():
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        with mg.trace():
            y = x * x.numpy()
        with mg.trace():
            mg.constant(1.0)
    assert tape.explain(y, x).codes == ("LEFT_ENGINE",)


def test_what_ran_before_the_trace_is_not_said_to_be_proved():
    x, w = mg.Variable(3.0), mg.Variable(2.0)
    with mg.GradientTape() as tape:
        number = (x * 2.0).numpy()
        with mg.trace():
            y = w * number
    answer = tape.explain(y, x)
    assert answer.codes == ("UNUSED",)
    assert answer.causes[0].confidence == "likely"
    assert "was not used in what is known" in str(answer)


def test_it_forgets_the_oldest():
    with mg.trace(limit=10) as log:
        x = mg.constant(1.0)
        for _ in range(50):
            x = x + 1.0
    assert len(log.events) == 10
    assert log.cut
    assert len(log.made) == 10


def test_it_forgets_variables_and_tapes_too():
    with mg.trace(limit=10) as log:
        for _ in range(50):
            x = mg.Variable(np.ones(64, np.float32))
            with mg.GradientTape() as tape:
                y = mg.reduce_sum(x * x)
            tape.gradient(y, x)
    steps = log.steps_of(only(log, Asked))
    assert max(map(len, (log.events, steps, log.made, log.tapes, log.versions, log.first, log.seen))) <= 10
    assert tape.number in log.tapes


def test_it_forgets_variables_where_no_tape_is_opened():
    with mg.trace(limit=10) as log:
        made = [mg.Variable(float(k)) for k in range(50)]
    assert [len(one) for one in (log.versions, log.first, log.seen)] == [10] * 3 and made[-1].id in log.versions


def test_a_trace_that_may_keep_nothing_is_refused():
    with pytest.raises(ValueError, match="at least 1 event, not limit=0"):
        mg.trace(limit=0)


def asked_of_a_network(persistent=False, times=1):
    x, w = mg.constant(np.ones((4, 100), np.float32)), mg.Variable(np.full((100, 3), 0.01, np.float32))
    with mg.GradientTape(persistent) as tape:
        y = mg.reduce_sum(mg.tanh(x @ w))
    for _ in range(times):
        tape.gradient(y, w)
    return tape


def passed_back(log):
    return [[(step.outputs, step.source, step.sent.shape, step.sent.sample, step.upstream.sample) for step in log.steps_of([asked])]
            for asked in only(log, Asked)]  # fmt: skip


def test_of_the_backward_passes_of_tapes_that_are_gone_only_the_last_is_kept():
    with mg.trace() as log:
        for _ in range(5):
            asked_of_a_network()
    assert [len(steps) for steps in passed_back(log)] == [0, 0, 0, 0, 3]


@pytest.mark.parametrize("limit", ["MOST_PASSES", "MOST_HELD"])
def test_of_many_backward_passes_the_oldest_are_noted_and_no_step_is_lost(limit, monkeypatch):
    monkeypatch.setattr("minigrad.tracing.log." + limit, 5 if limit == "MOST_PASSES" else 3_000)
    with mg.trace() as log:
        tape = asked_of_a_network(persistent=True, times=20)
    assert len(log.passes) <= 5 and tape.steps
    first, *others = passed_back(log)
    assert len(first) == 3 and others == [first] * 19
    with mg.trace() as log:
        tape = asked_of_a_network(persistent=True, times=3)
    assert len(log.passes) == (3 if limit == "MOST_PASSES" else 1)


def test_steps_that_keep_large_arrays_are_noted_while_they_run(monkeypatch):
    with mg.trace() as small:
        asked_of_a_network()
    monkeypatch.setattr("minigrad.tracing.log.LARGE_PASS", 4 * 4 * 100)
    with mg.trace() as large:
        asked_of_a_network()
    assert (len(small.passes), len(large.passes)) == (1, 0)
    ((*last,),), ((*noted,),) = passed_back(small), passed_back(large)
    assert [step[2:] for step in last] == [step[2:] for step in noted]


def test_a_gradient_of_ones_own_is_not_run_again_to_see_its_steps():
    calls = []

    @mg.custom_gradient
    def own(x):
        def grad(dy):
            calls.append(dy)
            return dy * 3.0

        return x * 2.0, grad

    x = mg.Variable(1.5)
    with mg.trace() as log:
        with mg.GradientTape() as tape:
            y = own(x) * 2.0
        tape.gradient(y, x)
    assert [step.sent.sample for step in log.steps_of(only(log, Asked))] == [[2.0], [6.0]]
    assert len(calls) == 1


def test_the_steps_of_a_pass_that_raised_are_those_before_the_error():
    x = mg.Variable([1.0, 2.0])
    with mg.trace() as log:
        with mg.GradientTape() as tape:
            y = mg.random.poisson([], x) * 2.0
        with pytest.raises(LookupError):
            tape.gradient(y, x)
    (refused,) = only(log, Refused)
    assert [step.sent.sample for step in log.steps_of([refused])] == [[2.0, 2.0]]


def test_what_the_user_writes_into_an_array_later_is_not_in_the_log():
    for a in (np.ones(5, np.float32), np.ones(1000, np.float32)):
        v = mg.Variable(a)
        with mg.trace() as log:
            mg.constant(a)
            mg.constant(a, mg.float64)
            v.assign(a)
            v.assign_add(a)
            left = v.numpy()
            a[:] = left[:] = 7.0
        given = [event.given.content for event in log.events]
        assert [one.sample[0] for one in given] == [1.0] * (len(given) - 1) + [2.0]
        assert len(given) >= 5 and not any(np.shares_memory(mine, one.array) for one in given for mine in (a, left))


def test_summaries_tell_what_is_not_finite_and_what_is_zero():
    big = np.ones(1000, np.float32)
    assert Summary(big).finite
    assert not Summary(big).zero
    assert Summary(big * 0).zero
    assert Summary(big * np.float32(1e30)).finite  # its square is not
    assert not Summary(big * np.float32(1e-30)).zero  # its square is
    big[777] = np.nan
    assert not Summary(big).finite
    assert str(Summary(big)) == "[1.0 1.0 1.0 1.0 ...]"
    assert str(Summary(np.float32(-0.0))) == "0.0"
    assert Summary(np.array([], np.float32)).finite
    assert str(Summary.of([None, np.ones(1)])) == "[1.0]"
    small, large = Summary(np.ones(3)), Summary(np.ones(1000))
    assert small.is_known_to_be(Summary(np.ones(3))) and not small.is_known_to_be(Summary(np.zeros(3)))
    assert not large.is_known_to_be(large) and not small.is_known_to_be(large) and not small.is_known_to_be(None)
    assert Summary(np.ones(3)).measures.low == 1.0


def test_of_a_large_value_that_was_let_go_the_first_numbers_are_kept_if_it_was_measured(monkeypatch):
    monkeypatch.setattr(values, "MOST_HELD", 0)
    monkeypatch.setattr(values, "PAGE", 1)
    asked = Summary(np.arange(1000.0))
    assert asked.measures.high == 999.0
    with mg.trace() as log:
        mg.range(1000.0) * 2.0
        mg.ones(1000) * 2.0
    found = [event.value for event in only(log, Ran)]
    assert [(one.shape, one.kept.size, one.kept.base) for one in (asked, found[0])] == [((1000,), 8, None), ((1000,), 0, None)]


def test_an_upstream_of_several_inputs_is_summed_up_once():
    x, w = mg.Variable(2.0), mg.Variable(3.0)
    with mg.trace() as log:
        with mg.GradientTape() as tape:
            y = mg.sin(x * w) * mg.cos(w)
        tape.gradient(y, [x, w])
    by = {}
    for step in log.steps_of(only(log, Asked)):
        by.setdefault(step.outputs, set()).add(id(step.upstream))
    assert [len(upstreams) for upstreams in by.values()] == [1, 1, 1, 1]


def test_a_frozen_log_has_the_last_of_all():
    with mg.trace() as log:
        for _ in range(5):
            x = mg.Variable(1.0)
            with mg.GradientTape():
                x * x
    few = log.frozen(3)
    assert [len(one) for one in (few.events, few.first, few.tapes)] == [3] * 3
    assert [*few.made] == [node for event in few.events for node in event.gave] and {*few.tapes} == {*[*log.tapes][-3:]}


def test_a_value_that_leaves_or_comes_in_knows_the_calls_around():
    def given(x):
        return mg.constant(x.numpy())

    x = mg.Variable(2.0)
    with mg.trace() as log:
        given(x)
    left, came = only(log, LeftEngine) + only(log, EnteredEngine)
    assert [event.place.callers[0].code for event in (left, came)] == [sys._getframe().f_code] * 2


def test_as_a_switch_it_can_be_turned_off_and_on():
    try:
        mg.trace(True)
        assert len(listening.now) == 1
        mg.trace(True)
        assert len(listening.now) == 1
    finally:
        mg.trace(False)
    assert listening.now == ()
    mg.trace(False)


@pytest.mark.parametrize("wish", ["off", 0, 1.5])
def test_a_switch_is_on_or_off_and_nothing_else(wish):
    with pytest.raises(TypeError, match=r"mg.trace was given .*: write mg.trace\(True\) to switch it on"):
        mg.trace(wish)
    assert listening.now == ()


def test_it_says_in_one_stable_line_whether_it_listens():
    with mg.trace() as log:
        mg.constant(1.0) + mg.constant(2.0)
        assert repr(log) == "<mg.trace: on, 3 events>"
    assert repr(log) == "<mg.trace: off, 3 events>"


@pytest.mark.variants
@pytest.mark.parametrize("name", SCENARIOS)
def test_nothing_is_different_with_a_trace(name, monkeypatch):
    if name.endswith(".plot"):
        pytest.importorskip("matplotlib")
    found = []
    for block in (contextlib.nullcontext, mg.trace):
        monkeypatch.setattr(mg.config, "eagerly", [True])  # under a trace functions run as Python, so that it hears each op
        monkeypatch.setattr(mg.engine.custom, "GRADIENTS", {**mg.engine.custom.GRADIENTS})
        mg.keras.utils.clear_session()
        mg.keras.utils.set_random_seed(1)
        with block():
            found.append(run(name, mg))
        monkeypatch.undo()
    assert without_addresses(found[0]) == without_addresses(found[1])


def without_addresses(result):
    return re.sub(r"0x[0-9a-f]+|\d+\.\d+ ?(?=ms|us|s\b)", "", repr(result))


def calls_of(work):
    """How many functions run, of ours and of NumPy: unlike times, they are the same on every machine."""
    count = 0

    def heard(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    work()
    sys.setprofile(heard)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_it_costs_a_few_calls_for_each_call_of_the_work():
    rng = np.random.default_rng(0)
    x, labels = mg.constant(rng.normal(size=(32, 64)), mg.float32), mg.constant(rng.integers(0, 10, 32), mg.int32)
    weights = [mg.Variable(rng.normal(size=shape) * 0.1, dtype=mg.float32) for shape in ((64, 64), (64, 64), (64, 10))]

    def step():
        with mg.GradientTape() as tape:
            h = x
            for w in weights[:2]:
                h = mg.nn.relu(h @ w)
            loss = mg.reduce_mean(mg.nn.sparse_softmax_cross_entropy_with_logits(labels, h @ weights[2]))
        for w, dw in zip(weights, tape.gradient(loss, weights)):
            w.assign_sub(0.01 * dw)

    without = calls_of(step)
    with mg.trace():
        assert calls_of(step) < 5.6 * without


def test_it_costs_a_few_calls_for_each_op_on_numbers():
    x = mg.Variable(0.7)

    def chain(length):
        with mg.GradientTape() as tape:
            y = x
            for _ in range(length):
                y = mg.sin(y * x + x)
        tape.gradient(y, x)

    with mg.trace():
        per_op = (calls_of(lambda: chain(50)) - calls_of(lambda: chain(10))) / (3 * 40)
    assert per_op < 30


def test_an_op_is_an_event_only_once_somebody_reads_the_log():
    x = mg.constant(2.0)
    with mg.trace() as log:
        y = x * x
    assert len(log.cells) == WIDTH and not log.parsed
    assert [event.outputs for event in log.events] == [(y.id,)]
    assert log.made[y.id] is log.events[-1]


def test_a_log_is_read_while_another_thread_writes_it():
    x, seen, problems = mg.constant(1.0), [], []
    with mg.trace(limit=5) as log:

        def read():
            try:
                while log.count < 20_000:
                    seen.append([event.number for event in log.events])
            except Exception as problem:
                problems.append(problem)

        reader = threading.Thread(target=read)
        switch = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        try:
            reader.start()
            while reader.is_alive():
                x + 1.0
        finally:
            sys.setswitchinterval(switch)
    assert not problems and all(one == sorted(one) and len(one) <= 5 for one in seen)
    assert len(seen) > 1 and [event.number for event in log.events] == [*range(log.count - 4, log.count + 1)]


def test_a_log_whose_reading_was_interrupted_is_read_the_next_time(monkeypatch):
    x, keep = mg.constant(1.0), Trace.keep
    with mg.trace() as log:
        for _ in range(5):
            x = x + 1.0

    def interrupted(log, event):
        keep(log, event)
        raise KeyboardInterrupt

    monkeypatch.setattr(Trace, "keep", interrupted)
    for done in range(1, 5):
        with pytest.raises(KeyboardInterrupt):
            log.events
        assert len(log.parsed) == done
    monkeypatch.undo()
    assert [event.number for event in log.events] == [1, 2, 3, 4, 5] and len(log.made) == 5


def test_a_log_is_read_again_and_again_while_it_grows():
    x = mg.constant(1.0)
    with mg.trace(limit=700) as log:
        for count in (1, 5, 700, 600, 3, 1500, 0, 699, 701):
            for _ in range(count):
                x + 1.0
            assert [event.number for event in log.events] == [*range(max(1, log.count - 699), log.count + 1)]


@pytest.fixture
def tight(monkeypatch):
    """Arrays that no film can show are let go at once."""
    monkeypatch.setattr(values, "MOST_HELD", 900_000)
    monkeypatch.setattr(values, "PAGE", 1)
    return mg.Variable(mg.ones([50, 40]) * 0.5)


def sines(v, count=8):
    y = v
    for _ in range(count):
        y = mg.sin(y)
    return mg.reduce_sum(y * y)


def shown(film):
    return [film.plain["arrays"][column["value"]].get("norm") for column in film.plain["cols"].values()]


def test_a_film_shows_the_arrays_of_a_tape_that_was_opened_before_the_trace(tight):
    with mg.GradientTape() as tape, mg.trace():
        y = sines(tight)
        with tape.stop_recording():
            sines(tight, 100)
        tape.gradient(y, tight)
    norms = shown(mg.inspect(tape, y, tight))
    assert len(norms) == 11 and None not in norms


def test_a_trace_hears_a_tape_that_was_entered_by_hand_before_it():
    x, tape = mg.Variable(3.0), mg.GradientTape()
    tape.__enter__()
    with mg.trace():
        y = x * x
        tape.__exit__(None, None, None)
        assert tape.gradient(y, x).numpy() == 6.0 and tape.traces


def test_a_film_of_the_tape_asked_last_shows_its_arrays_though_another_tape_was_opened_since(tight):
    def ask():
        with mg.GradientTape() as tape:
            y = sines(tight)
        tape.gradient(y, tight)

    def measure():
        with mg.GradientTape():
            sines(tight, 100)

    with mg.trace() as log:
        ask(), measure()
    assert None not in shown(mg.inspect(log))


def test_a_film_shows_what_stands_before_its_tape_as_long_as_it_is_there(tight):
    with mg.trace():
        x, factor = mg.ones([50, 40]) * 0.5, mg.ones([50, 40]) * 2.0
        sines(tight, 100)
        with mg.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = mg.reduce_sum(mg.sin(x) * factor)
            sines(tight, 100)
    film = mg.inspect(tape, y, x)
    assert film.models[0].value_of(x.id).measures.norm == pytest.approx(0.5 * 2000**0.5)
    assert film.models[0].value_of(factor.id).measures.norm == pytest.approx(2.0 * 2000**0.5)


def test_a_value_is_that_of_its_version():
    v, log = mg.Variable([0.0, 5.0]), mg.trace()
    with log, mg.GradientTape(persistent=True) as tape:
        y = mg.reduce_sum(mg.sqrt(v))
    v.assign([30.0, 50.0])
    v.assign([300.0, 500.0])
    with log:
        v * 1.0
    assert log.value_of(v.id, 0) is None and log.value_of(v.id, 2).sample == [300.0, 500.0]
    assert "300" not in str(tape.explain(y, v))


def test_a_log_may_have_any_limit():
    with mg.trace(limit=sys.maxsize) as log:
        mg.ones(2) + 1.0
    assert [event.name for event in log.events] == ["add"] and not log.cut


def test_the_calls_around_a_loop_are_kept_once():
    def grown(x):
        for _ in range(3):
            x = x * 1.5
        return x

    with mg.trace() as log:
        grown(mg.constant(2.0))
    around = [event.around for event in log.events if isinstance(event, Ran)]
    assert around[0][0][0] is sys._getframe().f_code
    assert len({id(one) for one in around}) == 1


def test_calls_from_other_places_are_told_apart():
    program = """
def half(x): return x * 0.5
def first(x): return half(x)
def second(x): return half(x)
for one in (first, second): one(x)
half(x), half(x)
"""
    with mg.trace() as log:
        exec(compile(program, "cell", "exec"), {"x": mg.constant(2.0)})
    around = [event.around for event in log.events if isinstance(event, Ran)]
    assert [[code.co_name for code, _ in calls] for calls in around] == [
        ["first", "<module>"],
        ["second", "<module>"],
        ["<module>"],
        ["<module>"],
    ]
    assert around[0][1] == around[1][1]
    assert around[2] != around[3]


def test_only_all_the_calls_lead_to_a_frame():
    def asked():
        frame = sys._getframe()
        around = callers_of(frame)
        return len(around), [leads_to(frame, around[:k]) for k in range(3)]

    space = {"asked": asked}
    exec(compile("def outer(): return asked()\nanswer = outer()", "cell", "exec"), space)
    assert space["answer"] == (2, [False, False, True])


def test_of_many_calls_the_nearest_lead_to_a_frame():
    def deep(calls):
        frame = sys._getframe()
        return deep(calls - 1) if calls else (len(callers_of(frame)), leads_to(frame, callers_of(frame)))

    assert deep(20) == (CALLERS, True)


def test_nobody_hands_numbers_to_a_module():
    with mg.trace() as log:
        exec(compile("import minigrad as mg; mg.constant(2.0) * 1.5", "cell", "exec"), {})
    assert [event.around for event in log.events if isinstance(event, Ran)] == [()]


def test_a_switch_that_is_entered_too_hears_everything_once():
    with mg.trace(True) as log:
        mg.constant(2.0) + mg.constant(3.0)
    assert [type(event).__name__ for event in log.events].count("Ran") == 1
    assert listening.now == ()


def test_a_trace_in_its_own_block_goes_on_until_the_outer_one_ends():
    with mg.trace() as log:
        with log:
            mg.constant(2.0) + mg.constant(3.0)
        mg.constant(2.0) * mg.constant(3.0)
    assert [event.op.kernel for event in only(log, Ran)] == ["AddV2", "Mul"]
    assert listening.now == ()


def test_what_is_kept_of_the_past_is_bounded():
    x = mg.Variable(1.0)
    with mg.trace(limit=10) as log:
        for _ in range(100):
            with mg.GradientTape() as tape:
                y = x * x
            tape.gradient(y, x)
    assert len(log.made) <= 20


def test_no_large_array_is_kept_alive_by_having_been_read(monkeypatch):
    monkeypatch.setattr(values, "MOST_HELD", 4_000_000)
    large = mg.Variable(np.zeros(1_000_000))
    array = weakref.ref(large._now.value)
    with mg.trace():
        large * 2.0
        del large
        assert array() is None


def test_a_gradient_that_was_none_does_not_stand_for_numbers():
    x, z, total = mg.Variable(3.0), mg.Variable(1.0), mg.Variable(0.0)
    with mg.trace():
        with mg.GradientTape() as tape:
            y = x * 1.0
        tape.gradient(y, z)
        total.assign(x * 2.0)
        with mg.GradientTape() as tape:
            y = total * total
        assert "UNUSED" not in tape.explain(y, x).codes


def test_the_answer_of_rows_is_the_whole_gradient():
    table = mg.Variable([[1.0], [2.0], [3.0], [4.0]])
    with mg.trace() as log:
        with mg.GradientTape() as tape:
            y = mg.reduce_sum(mg.gather(table, [2])) + mg.reduce_sum(mg.gather(table, [0]))
        tape.gradient(y, table)
    assert log.events[-1].slopes[0].sample == [1.0, 0.0, 1.0, 0.0]


def test_the_film_of_rows_shows_the_whole_gradient():
    v = mg.Variable([[1.0, 2.0], [3.0, 4.0]])
    with mg.trace() as log:
        with mg.GradientTape(persistent=True) as tape:
            y = mg.reduce_sum(mg.gather(-v, [1, 1]))
        tape.gradient(y, v)
    assert [step.sent.sample for step in log.steps_of(only(log, Asked))][-2:] == [[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, -2.0, -2.0]]


def test_no_garbage_is_collected_while_objects_are_looked_for(monkeypatch):
    seen = []
    monkeypatch.setattr(checkpoint.gc, "get_referrers", lambda *kinds: seen.append(gc.isenabled()) or [])
    assert checkpoint.instances(mg.Variable) == [] and seen == [False] and gc.isenabled()


def test_each_thread_has_a_switch_of_its_own():
    heard = []

    def work():
        mg.trace(True)
        heard.append(newest_trace())
        mg.trace(False)
        heard.append(newest_trace())

    mg.trace(True)
    here = newest_trace()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert newest_trace() is here and heard[0] not in (None, here) and heard[1] is None
    mg.trace(False)
    assert newest_trace() is None


def test_an_op_has_its_name_from_its_first_call_on():
    def one(x):
        return x + 1.0

    def two(x):
        return x + 2.0

    ops = [made(forward, "Fresh", "f", {"dx": lambda dz: dz}) for forward in (one, two)]
    with mg.trace() as log:
        for op in (*ops, *ops):
            op(mg.constant(1.0))
    assert [e.called for e in log.events if isinstance(e, Ran)] == ["one", "two"] * 2


def test_a_trace_that_has_ended_is_told_nothing_by_other_threads():
    x = mg.Variable(2.0)
    with mg.trace() as within:
        (x * x).numpy()
    switched = mg.trace(True)
    mg.trace(False)
    thread = threading.Thread(target=lambda: float(x * x))
    thread.start()
    thread.join()
    assert (within.unseen, switched.unseen) == (0, 0)


def test_the_backward_steps_of_a_forward_accumulator_are_heard():
    x = mg.Variable(3.0)
    with mg.trace() as log:
        with mg.autodiff.ForwardAccumulator(x, mg.constant(2.0)) as accumulator:
            y = x * x
        assert float(accumulator.jvp(y)) == 12.0
    assert [step.upstream.kept.item() for step in log.backward] == [1.0, 1.0]
