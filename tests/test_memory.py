"""What is kept, for how long, and what is left after something failed. Everything is counted, nothing is timed."""

import contextlib
import gc
import itertools
import os
import signal
import subprocess
import sys
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import minigrad as mg
from minigrad.engine.listening import listening

MEGABYTE = 2**20
LARGE = MEGABYTE // 4  # elements of float32 that take a megabyte


@pytest.fixture
def without_gc():
    """No garbage collector: what is freed is freed because nothing refers to it any more."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def large(value=1.0):
    return mg.Tensor.of(np.full(LARGE, value, np.float32))


@contextlib.contextmanager
def traced():
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


def megabytes_kept(make):
    """How many megabytes a function's result keeps alive, and the result."""
    with traced():
        before = tracemalloc.get_traced_memory()[0]
        result = make()
        return round((tracemalloc.get_traced_memory()[0] - before) / MEGABYTE, 1), result


# ---- no leaks ------------------------------------------------------------------------------------------------------


def use_everything(n):
    x = mg.Variable([float(n), 2.0])
    c = mg.constant([1.5, n + 0.5])
    with mg.GradientTape(persistent=n % 2 == 0) as tape:
        tape.watch(c)
        y = mg.reduce_sum(mg.gather(x, [0, 1]) * c) + mg.reduce_max(x) * 2.0
        x.assign_add([0.0, 1.0])
    tape.gradient(y, [x, c])


def fails_inside(n):
    x = mg.Variable(float(n))
    with contextlib.suppress(ZeroDivisionError), mg.GradientTape():
        x * x / mg.constant(1.0)
        1 / 0


def slope(f, value):
    x = mg.Variable(value)
    with mg.GradientTape() as tape:
        y = f(x)
    return tape.gradient(y, x)


def jacobian(x):
    with mg.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.jacobian(y, x)


def second_order(x):
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = x * x * x
        dx = inner.gradient(y, x)
    return outer.gradient(dx, x)


def refused(op, *inputs):
    with contextlib.suppress(mg.errors.InvalidArgumentError):
        op(*inputs)


def traced_slope(n):
    with mg.trace():
        slope(mg.sin, float(n))


def objects_left(action, times):
    for n in range(times):
        action(n)
    gc.collect()
    return len(gc.get_objects())


def grown(action, times):
    """How many objects more are there after doing it so often than after a few times? And how many bytes, after a tenth of it?"""
    few = objects_left(action, times // 10)
    objects = objects_left(action, times) - few
    with traced():
        few = objects_left(action, 10), tracemalloc.get_traced_memory()[0]
        return objects, (objects_left(action, times // 10), tracemalloc.get_traced_memory()[0])[1] - few[1]


@pytest.mark.variants
@pytest.mark.parametrize(
    ("what", "times", "action"),
    [
        ("tapes, Variables and Tensors", 3_000, use_everything),
        ("tapes that fail", 1_000, fails_inside),
        ("custom gradients", 1_000, lambda n: slope(mg.custom_gradient(lambda x: (x * 2.0, lambda dy: dy * 3.0)), float(n + 1))),
        ("jacobians", 500, lambda n: jacobian(mg.constant([1.0, n + 2.0]))),
        ("gradients of gradients", 500, lambda n: second_order(mg.Variable(n + 1.0))),
        ("traces", 120, traced_slope),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nothing_leaks(what, times, action):
    objects, size = grown(action, times)
    assert objects < 60, f"{what}: {objects} objects more after {times} times"
    assert size < 60_000, f"{what}: {size} bytes more after {times} times"


# ---- freed at once, without the garbage collector ------------------------------------------------------------------


def test_a_tensor_dies_with_its_last_name(without_gc):
    x = large()
    y = weakref.ref(x * x + x)
    assert y() is None


@pytest.mark.parametrize("persistent", [False, True])
def test_a_tape_that_is_forgotten_frees_all_it_kept(without_gc, persistent):
    def use():
        x = mg.Variable(np.ones(LARGE, np.float32))
        with mg.GradientTape(persistent=persistent) as tape:
            y = mg.reduce_sum(mg.exp(mg.sin(x)) * x)
        tape.gradient(y, x)
        if not persistent:
            return
        with tape:
            mg.cos(x)

    use()
    assert megabytes_kept(use)[0] == 0


@pytest.mark.parametrize(
    "use",
    [
        lambda x: jacobian(mg.reshape(x, [1, -1])[:, :2]),
        lambda x: slope(mg.custom_gradient(lambda x: (x * 2.0, lambda dy: dy * 3.0)), x),
        lambda x: second_order(mg.Variable(x)),
        lambda x: slope(lambda v: mg.gather(v, [0, 1]), x),
        lambda x: refused(mg.matmul, x, x),
    ],
    ids=["jacobian", "custom gradient", "second order", "rows", "error"],
)
def test_no_large_array_waits_for_the_garbage_collector(without_gc, use):
    use(large())
    x = large()

    def once():
        use(x)

    assert megabytes_kept(once)[0] == 0


def test_an_unfinished_block_frees_all_it_kept(without_gc):
    def use():
        x = mg.Variable(np.ones(LARGE, np.float32))
        with contextlib.suppress(KeyError), mg.GradientTape():
            mg.sin(x) * x
            raise KeyError

    use()
    assert megabytes_kept(use)[0] == 0


def test_what_explain_answered_from_frees_the_tape_and_the_checkpoint(without_gc):
    def ask():
        x = mg.Variable([4.0, 9.0])
        with mg.trace(), mg.GradientTape() as tape:
            y = mg.reduce_sum(np.sqrt(x) + mg.floor(x))
        kept.append(weakref.ref(tape.checkpoint))
        return str(tape.explain(y, x))

    kept = []
    assert "np.sqrt(x)" in ask() and kept[0]() is None


def test_a_one_shot_tape_keeps_nothing_once_it_was_asked(without_gc):
    x = mg.Variable(np.ones(LARGE, np.float32))

    def use():
        with mg.GradientTape() as tape:
            y = mg.reduce_sum(mg.exp(mg.sin(x)) * x)
        tape.gradient(y, x)
        return tape, y

    assert megabytes_kept(use)[0] == 0


def test_a_persistent_tape_keeps_what_it_has_until_it_is_deleted(without_gc):
    x = mg.Variable(np.ones(LARGE, np.float32))

    def use():
        with mg.GradientTape(persistent=True) as tape:
            y = mg.reduce_sum(mg.exp(mg.sin(x)))
        tape.gradient(y, x)
        return [tape]

    kept, holder = megabytes_kept(use)
    assert kept == 1  # exp's output, which exp keeps; sin keeps the Variable's own array
    with traced():
        held = weakref.ref(holder[0])
        del holder[0]
        assert held() is None


def test_reset_frees_what_was_recorded(without_gc):
    x = mg.Variable(np.ones(LARGE, np.float32))
    with traced(), mg.GradientTape() as tape:
        before = tracemalloc.get_traced_memory()[0]
        mg.exp(mg.exp(x))
        assert round((tracemalloc.get_traced_memory()[0] - before) / MEGABYTE) == 2
        tape.reset()
        assert round((tracemalloc.get_traced_memory()[0] - before) / MEGABYTE) == 0


# ---- a tape keeps only what its VJPs need -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keeps", "f"),
    [
        (0, lambda x: x + 1.0),  # the gradient of a sum needs neither
        (0, lambda x: x - x),
        (0, lambda x: -x),
        (0, mg.reduce_sum),
        (0, lambda x: mg.reshape(x, [-1, 2])),
        (0, lambda x: mg.cast(x, mg.float64)),
        (0, lambda x: mg.broadcast_to(x, [3, LARGE])),
        (0, lambda x: x * 2.0),  # a constant is not recorded, and what it is multiplied by is not needed
        (0, lambda x: x[1:]),
        (0, lambda x: mg.exp(mg.stop_gradient(x))),
        (0, mg.floor),
        (1, mg.nn.relu),  # the output, which tells where x was positive
        (1, mg.exp),
        (1, mg.tanh),
        (1, mg.sigmoid),
        (1, lambda x: mg.exp(x) + mg.sin(mg.constant(1.0)) * 3.0),
        (2, lambda x: mg.nn.relu(mg.exp(x))),
        (1, lambda x: mg.square(x + 1.0)),
        (1, lambda x: mg.sin(x + 1.0)),
        (2, lambda x: (x + 1.0) * (x + 2.0)),
    ],
)
def test_what_a_tape_keeps_is_counted_in_bytes(without_gc, keeps, f):
    x = mg.Variable(np.ones(LARGE, np.float32))

    def record():
        with mg.GradientTape() as tape:
            f(x)
        return tape

    record()
    assert megabytes_kept(record)[0] == keeps


def test_what_depends_on_nothing_watched_is_not_recorded():
    x, c = mg.Variable(1.0), mg.constant(2.0)
    with mg.GradientTape() as tape:
        for _ in range(100):
            c = mg.sin(c) * c
        x * c
    assert len(tape.steps) == 1


# ---- long chains ---------------------------------------------------------------------------------------------------


def test_the_backward_pass_frees_as_it_goes(without_gc):
    """50 steps keep 50 megabytes; during the backward pass memory only falls."""
    x, marks = mg.Variable(np.ones(LARGE, np.float32)), []

    @mg.custom_gradient
    def mark(x):
        def grad(dy):
            marks.append(tracemalloc.get_traced_memory()[0] / MEGABYTE)
            return dy

        return mg.identity(x), grad

    with traced():
        with mg.GradientTape() as tape:
            y = x
            for _ in range(5):
                for _ in range(10):
                    y = mg.tanh(y)
                y = mark(y)
        recorded = tracemalloc.get_traced_memory()[0] / MEGABYTE
        assert 49 < recorded < 52
        tape.gradient(y, x)
        peak = tracemalloc.get_traced_memory()[1] / MEGABYTE
    assert peak < recorded + 5  # a few gradients, and not one for each step
    assert all(later < sooner - 8 for sooner, later in itertools.pairwise(marks)), marks


def test_a_long_chain_needs_no_recursion():
    x = mg.Variable(1.0)
    with mg.GradientTape() as tape:
        y = x
        for _ in range(200_000):
            y = y + 1.0
    assert float(tape.gradient(y, x)) == 1.0


def test_a_long_chain_is_dropped_without_recursion():
    x = mg.constant(1.0)
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x
        for _ in range(50_000):
            y = mg.sin(y)
    del tape, y


# ---- what failed leaves nothing behind -----------------------------------------------------------------------------


class Boom(BaseException):
    """Neither an Exception nor expected, as KeyboardInterrupt is."""


@mg.custom_gradient
def bomb(x):
    def grad(dy):
        raise Boom

    return mg.identity(x), grad


def raising_vjp(kind):
    def f(x):
        @mg.custom_gradient
        def inner(x):
            def grad(dy):
                raise kind("in the backward pass")

            return mg.identity(x), grad

        return inner(x)

    return f


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, Boom])
def test_an_error_in_the_backward_pass_leaves_no_active_tape_and_no_half_state(kind, persistent):
    x = mg.Variable(3.0)
    with mg.GradientTape(persistent=persistent) as tape:
        y = raising_vjp(kind)(x * x)
        z = x * x
    for _ in range(2):
        with pytest.raises(kind if persistent or tape.steps is not None else RuntimeError):
            tape.gradient(y, x)
        assert listening.now == ()
    if persistent:
        assert float(tape.gradient(z, x)) == 6.0  # what is sound can still be asked
    with tape:  # and the tape can be used again
        y = x * x * x
    assert float(tape.gradient(y, x)) == 27.0


@pytest.mark.parametrize("ask", ["gradient", "jacobian", "batch_jacobian"])
def test_an_error_in_any_question_leaves_the_outer_tape_recording(ask):
    x = mg.Variable([[3.0, 1.0]])
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = bomb(x * x)
        with pytest.raises(Boom):
            getattr(inner, ask)(y, x)
        assert listening.now == (outer,)
        z = x * x
    assert listening.now == ()
    assert outer.gradient(z, x).numpy().tolist() == [[6.0, 2.0]]


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, Boom])
def test_an_error_in_a_block_leaves_no_active_tape(kind):
    x = mg.Variable(3.0)
    tape = mg.GradientTape()
    with pytest.raises(kind), tape:  # noqa: PT012
        y = x * x
        raise kind
    assert listening.now == ()
    assert float(tape.gradient(y, x)) == 6.0  # TensorFlow too gives what was recorded until then


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x: mg.matmul(x, x),
        lambda x: x + mg.constant([1.0, 2.0, 3.0]),
        lambda x: x + mg.constant([1, 2]),
        lambda x: x + object(),
        lambda x: mg.reduce_sum(x, axis=7),
        lambda x: mg.gather(x, [9]),
        lambda x: mg.custom_gradient(lambda x: 1 / 0)(x),
        lambda x: mg.while_loop(lambda i: True, lambda i: 1 / 0, [x]),
    ],
)
def test_an_op_that_fails_is_not_recorded(wrong):
    x = mg.Variable([3.0, 4.0])
    with mg.GradientTape() as tape:
        y = x * x
        steps = len(tape.steps)
        with pytest.raises(Exception):  # noqa: B017, PT011 - which one is tested elsewhere
            wrong(x)
        assert (len(tape.steps), listening.now) == (steps, (tape,))
        z = y + x
    assert tape.gradient(z, x).numpy().tolist() == [7.0, 9.0]


def test_stop_recording_goes_on_recording_after_an_error():
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        with pytest.raises(Boom), tape.stop_recording():
            raise Boom
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0


def test_a_refused_question_leaves_the_tape_as_it_was():
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * x
    for target, sources, options in ((None, x, {}), (y, 3.0, {}), (y, x, {"unconnected_gradients": "zeros"})):
        with pytest.raises((TypeError, AttributeError, ValueError)):
            tape.gradient(target, sources, **options)
    assert float(tape.gradient(y, x)) == 6.0


def test_a_variable_that_refuses_a_value_keeps_its_own():
    v = mg.Variable([1.0, 2.0])
    version = v.version
    for wrong in ([1.0], "a", None, mg.constant([1, 2]), [[1.0, 2.0]]):
        with pytest.raises((ValueError, TypeError)):
            v.assign(wrong)
        with pytest.raises((ValueError, TypeError, mg.errors.InvalidArgumentError)):
            v.assign_add(wrong)
    assert v.numpy().tolist() == [1.0, 2.0] and v.version == version


def test_a_trace_that_is_left_by_an_error_listens_no_longer():
    with pytest.raises(Boom), mg.trace():
        raise Boom
    assert listening.now == ()


@pytest.fixture
def interruptible():
    """A process that was started in the background may ignore interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_from_outside_in_the_middle_of_a_backward_pass_leaves_nothing_behind(interruptible):
    """A real one, sent to the main thread during a backward pass."""
    import _thread

    x = mg.Variable(1.0)

    @mg.custom_gradient
    def sending(x):
        def grad(dy):
            sender = threading.Thread(target=_thread.interrupt_main)
            sender.start()
            sender.join()
            return dy

        return mg.identity(x), grad

    with mg.GradientTape() as tape:
        y = sending(x)
        for _ in range(1000):
            y = mg.sin(y)
        y = sending(y)
        for _ in range(1000):
            y = mg.sin(y)
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        tape.gradient(y, x)
        for _ in range(10_000):  # where it arrives is up to Python
            pass
    assert listening.now == ()
    with tape:
        y = x * x
    assert float(tape.gradient(y, x)) == 2.0


@pytest.mark.parametrize(
    ("setting", "raised"), [({}, "True"), ({"MINIGRAD_KEEP_HEAP": "1"}, "True"), ({"MINIGRAD_KEEP_HEAP": "0"}, "False")]
)
def test_a_setting_leaves_the_heap_as_it_is(setting, raised):
    noted = "sizes, empty = [], np.empty\nnp.empty = lambda size, *more: (sizes.append(size), empty(size, *more))[1]\n"
    program = f"import numpy as np\n{noted}import minigrad\nprint(any(size == 2**25 - 2**13 for size in sizes))"
    rest = {name: value for name, value in os.environ.items() if name != "MINIGRAD_KEEP_HEAP"}
    ran = subprocess.run([sys.executable, "-c", program], env={**rest, **setting}, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == raised
