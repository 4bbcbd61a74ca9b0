"""Several threads, several processes, and copies."""

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import minigrad as mg
from minigrad.engine.listening import listening

MANY = 16


def in_threads(function, count=MANY):
    """What a function of a number returns in each of so many threads, which all begin at once. An error is raised here."""
    start, results = threading.Barrier(count), [None] * count

    def run(i):
        start.wait()
        try:
            results[i] = function(i)
        except BaseException as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


@pytest.fixture(autouse=True)
def switching_often():
    """Threads take turns as often as Python allows, so that a race has every chance."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


# ---- threads -------------------------------------------------------------------------------------------------------


def test_a_tape_in_each_of_many_threads_hears_its_own_thread_alone():
    shared = mg.Variable([1.0, 2.0])

    def work(i):
        for n in range(20):
            x = mg.constant([float(i), float(n)])
            with mg.GradientTape() as tape:
                tape.watch(x)
                y = mg.reduce_sum(mg.sin(x) * shared * x)
            assert len(tape.steps) == 6
            dx, dv = tape.gradient(y, [x, shared])
        return dx.numpy().tolist(), dv.numpy().tolist()

    assert in_threads(work) == [work(i) for i in range(MANY)]
    assert listening.now == ()


def test_what_another_thread_computes_is_not_recorded():
    x, found = mg.Variable(3.0), {}
    with mg.GradientTape() as tape:
        thread = threading.Thread(target=lambda: found.update(y=x * x, listens=listening.now))
        thread.start()
        thread.join()
        z = x * 1.0
    assert found["listens"] == ()
    assert tape.gradient([found["y"], z], x).numpy() == 1.0


def test_a_gradient_can_be_asked_for_in_another_thread():
    x = mg.Variable(3.0)
    tapes = []
    for _ in range(MANY):
        with mg.GradientTape() as tape:
            y = x * x
        tapes.append((tape, y))
    assert [float(dx) for dx in in_threads(lambda i: tapes[i][0].gradient(tapes[i][1], x))] == [6.0] * MANY


def test_a_persistent_tape_answers_many_threads_at_once():
    x = mg.constant([1.0, 2.0])
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = mg.reduce_sum(mg.sin(x) * x)
    expected = tape.gradient(y, x).numpy().tolist()
    assert [dx.numpy().tolist() for dx in in_threads(lambda i: tape.gradient(y, x))] == [expected] * MANY


def test_who_reads_a_variable_while_another_assigns_sees_one_value_or_the_other():
    v = mg.Variable(np.zeros(1000, np.float32))

    def work(i):
        for n in range(50):
            if i % 2:
                v.assign(np.full(1000, n, np.float32))
            else:
                read = v.numpy()
                assert (read == read[0]).all()
                with mg.GradientTape() as tape:
                    once = v.read_value()
                    y = mg.reduce_sum(once * once)
                seen = tape.gradient(y, v).numpy()
                assert (seen == seen[0]).all()
                assert float(y) == (seen[0] / 2) ** 2 * 1000

    in_threads(work)


def test_the_first_call_of_an_op_may_come_from_many_threads_at_once():
    code = """
        import sys, threading
        import minigrad as mg
        sys.setswitchinterval(1e-6)
        start, results = threading.Barrier(16), []
        def work():
            start.wait()
            x = mg.Variable([1.0, 2.0, 3.0])
            with mg.GradientTape() as tape:
                y = mg.reduce_sum(mg.tanh(mg.nn.softmax(mg.exp(x) / 2.0)) * mg.cumsum(x) - mg.sin(x) ** 2)
            results.append(tape.gradient(y, x).numpy().tobytes())
        threads = [threading.Thread(target=work) for _ in range(16)]
        for t in threads: t.start()
        for t in threads: t.join()
        assert len(results) == 16 and len(set(results)) == 1, results
    """
    for _ in range(2):
        subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, env={**os.environ, "PYTHONPATH": root()})


def test_numbers_of_tensors_are_never_given_twice():
    ids = in_threads(lambda i: [mg.constant(1.0).id for _ in range(500)])
    assert len({n for some in ids for n in some}) == 500 * MANY


def test_a_trace_and_custom_gradients_in_threads_do_not_mix():
    def work(i):
        @mg.custom_gradient
        def times(x):
            return x * (i + 1.0), lambda dy: dy * (i + 1.0)

        x = mg.Variable(2.0)
        with mg.trace() as trace, mg.GradientTape() as tape:
            y = times(x)
        assert float(tape.gradient(y, x)) == i + 1
        return len(trace.events)

    assert len(set(in_threads(work))) == 1


def test_a_trace_that_two_threads_are_in_ends_for_each_at_the_end_of_its_own_block():
    entered, done = threading.Event(), threading.Event()

    def work():
        with log:
            entered.set()
            assert done.wait(10)
        assert listening.now == ()

    log = mg.trace()
    worker = threading.Thread(target=work)
    with log:
        worker.start()
        assert entered.wait(10)
    assert listening.now == ()
    done.set()
    worker.join()
    assert listening.blocks == {}


def test_a_random_number_is_drawn_once_for_each_call_however_many_threads_draw():
    mg.random.set_seed(1)
    drawn = in_threads(lambda i: [float(mg.random.uniform([])) for _ in range(20)])
    mg.random.set_seed(1)
    expected = [float(mg.random.uniform([])) for _ in range(20 * MANY)]
    assert sorted(x for some in drawn for x in some) == sorted(expected)


# ---- processes -----------------------------------------------------------------------------------------------------


def root():
    return os.path.dirname(os.path.dirname(mg.__file__))


def in_another_process(queue, variable, tensor):
    with mg.GradientTape() as tape:
        tape.watch(tensor)
        y = variable * tensor
    queue.put([dx.numpy().tolist() for dx in tape.gradient(y, [variable, tensor])])


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_tapes_work_in_another_process(method, monkeypatch):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([root(), os.path.dirname(__file__)]))
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=in_another_process, args=(queue, mg.Variable([2.0, 3.0]), mg.constant([4.0, 5.0])))
    process.start()
    assert queue.get(timeout=60) == [[4.0, 5.0], [2.0, 3.0]]
    process.join(60)
    assert process.exitcode == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_inside_a_block_goes_on_recording_on_both_sides():
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
        child = os.fork()
        y = y * x
    right = float(tape.gradient(y, x)) == 27.0
    if child == 0:
        os._exit(0 if right else 1)
    assert right
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# ---- copies --------------------------------------------------------------------------------------------------------

copies = pytest.mark.parametrize(
    "copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, copy.copy], ids=["pickle", "deepcopy", "copy"]
)


@copies
@pytest.mark.parametrize(
    "value",
    [1.5, [1.0, 2.0], [[True, False]], ["a", "bc"], "text", 3 + 4j, [], np.float64(2.0), np.arange(6, dtype=np.uint8).reshape(2, 3)],
    ids=repr,
)
def test_a_tensor_that_is_copied_has_the_same_value(copied, value):
    x = mg.constant(value)
    y = copied(x)
    assert type(y) is mg.Tensor and y.dtype == x.dtype and y.shape == x.shape
    assert np.array_equal(y.numpy(), x.numpy())


def test_a_tensor_that_was_pickled_is_another_one_to_a_tape():
    x = mg.constant(3.0)
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = pickle.loads(pickle.dumps(x)) * 2.0
    assert tape.gradient(y, x) is None


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy], ids=["pickle", "deepcopy"])
def test_a_variable_that_is_copied_goes_its_own_way(copied):
    v = mg.Variable([1.0, 2.0], name="v", trainable=False)
    w = copied(v)
    v.assign([8.0, 9.0])
    assert w.numpy().tolist() == [1.0, 2.0] and (w.name, w.trainable, w.dtype) == (v.name, False, v.dtype) and w.id != v.id
    with mg.GradientTape() as tape:
        tape.watch(w)
        y = w * v
    assert [tape.gradient(y, [w, v])[0].numpy().tolist(), v.id in tape.tracked_ids] == [[8.0, 9.0], False]


class Layer(mg.Module):
    def __init__(self):
        super().__init__(name="layer")
        self.w = mg.Variable([[2.0]], name="w")
        self.parts = [mg.Variable(1.0, name="b"), {"deep": mg.Variable(0.5, name="c")}]
        self.same = self.w

    def __call__(self, x):
        return mg.matmul(x, self.w) + self.parts[0] * self.parts[1]["deep"]


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy], ids=["pickle", "deepcopy"])
def test_a_module_that_is_copied_learns_on_its_own(copied):
    layer = Layer()
    twin = copied(layer)
    assert [v.name for v in twin.variables] == [v.name for v in layer.variables]
    assert twin.same is twin.w and not {v.id for v in twin.variables} & {v.id for v in layer.variables}
    x = mg.constant([[3.0]])
    with mg.GradientTape() as tape:
        y = twin(x)
    gradients = tape.gradient(y, twin.trainable_variables)
    for v, dv in zip(twin.trainable_variables, gradients):
        v.assign_sub(dv)
    assert layer(x).numpy().tolist() == [[6.5]] and twin(x).numpy().tolist() != [[6.5]]


@pytest.mark.parametrize(
    "one", [mg.float32, mg.string, mg.TensorShape([2, None]), mg.TensorShape(None), mg.UnconnectedGradients.ZERO], ids=repr
)
def test_names_of_dtypes_and_shapes_survive_a_pickle(one):
    for y in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
        assert y == one and type(y) is type(one)


def test_slices_survive_a_pickle():
    table = mg.Variable([[1.0], [2.0]])
    with mg.GradientTape() as tape:
        y = mg.gather(table, [1, 1])
    rows = tape.gradient(y, table)
    back = pickle.loads(pickle.dumps(rows))
    assert np.array_equal(mg.convert_to_tensor(back), [[0.0], [2.0]])


def test_names_are_each_threads_own():
    names = []
    with mg.name_scope("outer"):
        other = threading.Thread(target=lambda: names.append(mg.Variable(1.0, name="v").name))
        other.start()
        other.join()
    assert names == ["v:0"]
