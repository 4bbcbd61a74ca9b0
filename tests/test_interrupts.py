"""An interrupt may come at any instruction: once a block is left, its tape or trace listens no longer.

python -m tests.test_interrupts

raises KeyboardInterrupt at every instruction of these programs in turn, at every line, call and return, and sends
thousands of real signals. Here, in the tests, it is every seventh line, some of the instructions, and hundreds of signals.
"""

import asyncio
import contextlib
import gc
import itertools
import random
import signal
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import minigrad as mg
from minigrad.engine import backward, custom, listening, questions, tape
from minigrad.program import python_functions, recompute
from minigrad.tracing import log

WATCHED = mg.autodiff, mg.errors, backward, custom, listening, questions, tape, python_functions, recompute, log, contextlib
FILES = {__file__, np.seterr.__code__.co_filename, *(module.__file__ for module in WATCHED)}
STRIDE, LINES = 53, 7  # of so many instructions, and of so many lines, the tests take one
SIGNALS = 200
NUMPY_WARNS = np.geterr()

# ---- programs ------------------------------------------------------------------------------------------------------

x = mg.Variable(3.0)
vector = mg.constant([[1.0, 2.0], [3.0, 4.0]])
begun_in = []  # what other threads have of `listening`


def plain():
    with mg.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    mg.constant([1.0, 2.0])


def nested():
    with mg.GradientTape() as outer:
        with mg.GradientTape() as inner:
            y = x * x
        slope = inner.gradient(y, x)
    outer.gradient(slope, x)


def crossed():
    with mg.GradientTape() as tape:
        steps = three_blocks()
        next(steps)
        y = x * x
    steps.close()
    tape.gradient(y, x)


def persistent():
    with mg.GradientTape(persistent=True) as tape:
        y = x * x
    tape.gradient(y, x)
    with tape:
        z = y * x
    tape.gradient(z, x)


def asked_inside():
    with mg.GradientTape() as tape:
        y = x * x
        tape.gradient(y, x, output_gradients=2.0)
        x * x


def rows():
    with mg.GradientTape(persistent=True) as tape:
        tape.watch(vector)
        y = vector * vector
    tape.jacobian(y, vector)
    tape.batch_jacobian(y, vector)


def paused():
    with mg.GradientTape() as tape:
        y = x * x
        with tape.stop_recording():
            y * y
        tape.reset()
    tape.gradient(y, x)


def asked_in_a_pause():
    with mg.GradientTape() as tape:
        y = x * x
        with tape.stop_recording():
            tape.gradient(y, x)
        x * x


def own_gradient():
    @mg.custom_gradient
    def twice(y):
        return y * x, lambda dy, variables: (dy * x, [dy])

    with mg.GradientTape() as tape:
        y = twice(x * 2.0)
    tape.gradient(y, x)


def run_again():
    with mg.GradientTape() as tape:
        y = mg.recompute_grad(mg.sin)(x)
    tape.gradient(y, x)


def python_inside():
    with mg.GradientTape() as tape:
        y = mg.py_function(lambda one: one * one, [x], mg.float32) + mg.Variable(1.0)
    tape.gradient(y, x)


def traced():
    with mg.trace() as log, mg.GradientTape() as tape:
        with log:
            y = x * x
        tape.gradient(y, x)


def forward():
    with mg.autodiff.ForwardAccumulator(x, mg.constant(1.0)) as forward:
        y = x * x
    forward.jvp(y)


def entered_by_hand():
    with contextlib.ExitStack() as stack:
        tape = stack.enter_context(mg.GradientTape())
        y = x * x
    tape.gradient(y, x)


def three_blocks():
    tape = mg.GradientTape()
    with mg.trace(), tape:
        x * x
        with tape.stop_recording():
            yield


def closed_on_another_thread():
    steps = three_blocks()
    next(steps)
    on_another_thread(steps.close)


def begun_on_another_thread():
    steps = three_blocks()
    on_another_thread(lambda: next(steps))
    steps.close()


def collected_on_another_thread():
    held = [three_blocks()]
    next(held[0])
    on_another_thread(held.clear)


def in_threads():
    for _ in range(2):
        on_another_thread(plain)


def in_tasks():
    async def task():
        with mg.GradientTape() as tape:
            y = x * x
            await asyncio.sleep(0)
        tape.gradient(y, x)

    async def tasks():
        await task()
        with mg.trace():
            await task()

    asyncio.run(tasks())


PROGRAMS = [
    plain, nested, crossed, persistent, asked_inside, rows, paused, asked_in_a_pause, own_gradient, run_again,
    python_inside, traced, forward, entered_by_hand, closed_on_another_thread, begun_on_another_thread,
    collected_on_another_thread, in_threads, in_tasks,
]  # fmt: skip
HOLDING = [  # something of their own holds a block, and a traceback holds that
    crossed, entered_by_hand, closed_on_another_thread, begun_on_another_thread, collected_on_another_thread, in_tasks,
]  # fmt: skip


def on_another_thread(action):
    """Run it there, under the same interrupts; what it raises is raised here."""
    errors, tracing = [], sys.gettrace()

    def run():
        begun_in.append(listening.listening.__dict__)
        sys.settrace(tracing)
        try:
            action()
        except BaseException as error:
            errors.append(error)
        finally:
            sys.settrace(None)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    while errors:
        raise errors.pop()


# ---- interrupts ----------------------------------------------------------------------------------------------------


def interrupt(program, place, every_instruction):
    """Run a program with an interrupt at one place, counted from 1. Returns whether there was such a place."""
    places = itertools.count(1)

    def tracing(frame, event, argument):
        if frame.f_code.co_filename not in FILES:
            return None
        frame.f_trace_opcodes = every_instruction
        if next(places) == place:
            raise KeyboardInterrupt
        return tracing

    with only_interrupts_are_ignored():
        sys.settrace(tracing)
        try:
            program()
        except KeyboardInterrupt:
            sys.settrace(None)
            if program not in HOLDING:
                nobody_listens()  # though the traceback still holds all frames
        finally:
            sys.settrace(None)
    nothing_is_left(program)
    return next(places) > place


@contextlib.contextmanager
def only_interrupts_are_ignored():
    """In a generator that is collected, and in what Python calls around a fork, an exception has nowhere to go."""
    ignored, before = [], sys.unraisablehook
    sys.unraisablehook = lambda error: ignored.append(error.exc_type)
    try:
        yield
    finally:
        sys.unraisablehook = before
    assert set(ignored) <= {KeyboardInterrupt, ResourceWarning}


def nobody_listens():
    assert np.geterr() == NUMPY_WARNS
    for thread in threading.enumerate():  # the interrupt may have fallen into `thread.join`
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    for here in (listening.listening.__dict__, *begun_in):
        assert (here["now"], here["hidden"]) == ((), ())
    with mg.GradientTape() as tape:
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0


def nothing_is_left(program):
    """After a program, and after its traceback."""
    if program in HOLDING:
        gc.collect(1)  # a traceback can hold itself
    nobody_listens()
    assert not any([here["blocks"] for here in (listening.listening.__dict__, *begun_in)])
    begun_in.clear()


def inject(program, every_instruction, stride=1):
    """Interrupt a program at each place in turn; returns how many there were."""
    program()  # the ops are written out, and asyncio loads what it needs
    place = random.Random(program.__name__).randrange(stride) + 1
    count = 0
    while interrupt(program, place, every_instruction):
        place, count = place + stride, count + 1
    return count


def send_signals(count):
    """Send real signals at random moments; returns how many fell into a program."""
    randomly, fell = random.Random(0), 0
    programs = [one for one in PROGRAMS if "thread" not in one.__name__ and one is not in_tasks]  # they wait for locks

    def handler(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handler)
    try:
        for program in itertools.islice(itertools.cycle(programs), count):
            finished = False
            with only_interrupts_are_ignored():
                try:
                    signal.setitimer(signal.ITIMER_REAL, randomly.uniform(1e-6, 3e-4))
                    program()
                    finished = True
                    time.sleep(1)
                except KeyboardInterrupt:
                    fell += not finished
                    if program not in HOLDING:
                        nobody_listens()
                nothing_is_left(program)
    finally:
        signal.signal(signal.SIGALRM, before)
    return fell


def in_memory():
    """How many things with a block there are."""
    gc.collect()
    kinds = mg.GradientTape, tape.Pause, mg.trace, custom.Reads, listening.listeners_only, mg.autodiff.ForwardAccumulator
    return sum([issubclass(type(one), kinds) for one in gc.get_objects()])  # objects may refuse to say their __class__


@pytest.fixture(autouse=True, scope="module")
def nothing_grows():
    before = in_memory()
    yield
    assert in_memory() == before


@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.variants
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_an_interrupt_at_any_line_leaves_nobody_listening(program):
    assert inject(program, False, LINES) > 20 / LINES


@pytest.mark.variants
@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_an_interrupt_at_any_instruction_leaves_nobody_listening(program):
    if sys.version_info[:2] == (3, 12) and "thread" in program.__name__:
        pytest.skip("Python 3.12 crashes where it traces the instructions of one function on two threads")
    assert inject(program, True, STRIDE) > 10


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer of microseconds")
def test_a_signal_at_any_moment_leaves_nobody_listening():
    assert send_signals(SIGNALS) > SIGNALS / 4


# ---- blocks that end elsewhere, or not by `with` -------------------------------------------------------------------


def slope_of(tape, y):
    return float(tape.gradient(y, x))


def test_a_tape_that_was_entered_by_hand_listens_as_long_as_somebody_holds_it():
    tape = mg.GradientTape(persistent=True)
    tape.__enter__()
    y = x * x
    assert slope_of(tape, y) == 6.0 and tape in listening.listening.now
    with pytest.raises(ValueError, match="still recording"):
        tape.__enter__()
    del tape
    assert listening.listening.now == ()
    mg.GradientTape().__enter__()
    assert listening.listening.now == ()
    tape = mg.GradientTape()
    with mg.GradientTape() as inner:
        tape.__enter__()
        y = x * x
    assert len(listening.listening.now) == 1 and slope_of(inner, y) == 6.0
    tape.__exit__(None, None, None)
    assert listening.listening.now == () and slope_of(tape, y) == 6.0


def test_what_was_entered_by_hand_can_be_asked_before_it_ends():
    tape, forward = mg.GradientTape(), mg.autodiff.ForwardAccumulator(x, mg.constant(1.0))
    tape.__enter__()
    with mg.trace() as trace:
        y = x * x
        assert float(tape.gradient(y, x, output_gradients=mg.Variable(2.0))) == 12.0
    assert sum([isinstance(event, log.Ran) for event in trace.events]) == 1  # the backward pass is not recorded
    assert len(tape.watched_variables()) == 1
    forward.__enter__()
    y = x * x
    steps = len(forward._tape.steps)
    assert (float(forward.jvp(y)), len(forward._tape.steps)) == (6.0, steps)
    forward.__exit__(None, None, None)
    assert listening.listening.now == ()


def test_a_trace_hears_a_tape_that_was_entered_by_hand():
    tape = mg.GradientTape(persistent=True)
    tape.__enter__()
    with mg.trace():
        y = x * x.numpy()
    with tape.stop_recording():
        z = x * x
    tape.__exit__(None, None, None)
    assert tape.explain(y, x).status == "partial" and tape.gradient(z, x) is None
    assert listening.listening.now == ()


def test_asking_for_exit_inside_the_block_changes_nothing_and_calling_it_stops_the_tape():
    with mg.GradientTape() as tape:
        assert hasattr(tape, "__exit__") and callable(mg.GradientTape.__exit__)
        y = x * x
        assert tape in listening.listening.now
        tape.__exit__(None, None, None)
        assert listening.listening.now == ()
        z = x * x
    assert tape.gradient([y, z], x).numpy() == 6.0


def test_asking_for_the_exit_of_any_other_block_changes_nothing_either():
    with mg.autodiff.ForwardAccumulator(x, mg.constant(1.0)) as forward:
        assert hasattr(forward, "__exit__")
        assert forward._tape is listening.listening.now[0]
        y = x * x
    assert float(forward.jvp(y)) == 6.0


def test_a_tape_listens_on_one_thread_at_a_time():
    tape = mg.GradientTape()
    with tape:
        with pytest.raises(ValueError, match="still recording"):
            on_another_thread(lambda: tape.__enter__())
        y = x * x
    assert slope_of(tape, y) == 6.0


def test_a_pause_that_another_thread_ends_goes_on_where_the_tape_was():
    def pausing():
        with tape.stop_recording():
            yield

    with mg.GradientTape() as tape:
        pause = pausing()
        next(pause)
        on_another_thread(pause.close)
        y = x * x
    assert slope_of(tape, y) == 6.0


def test_a_tape_that_was_entered_by_hand_and_cannot_pause_does_not_go_on_too_early():
    tape = mg.GradientTape()
    tape.__enter__()
    with tape.stop_recording():
        with pytest.raises(ValueError, match="not recording"), tape.stop_recording():
            pass
        assert listening.listening.now == ()
    tape.__exit__(None, None, None)


def test_a_tape_that_cannot_pause_does_not_go_on_too_early():
    with mg.GradientTape() as tape:
        y = x * x
        with tape.stop_recording():
            with pytest.raises(ValueError, match="not recording"), tape.stop_recording():
                pass
            z = x * x
            with tape:
                y = y + x
            assert tape not in listening.listening.now
        y = y + x
    assert tape.gradient([y, z], x).numpy() == 8.0


def test_a_block_that_ends_while_it_is_hidden_stays_ended():
    steps, by_hand = three_blocks(), mg.GradientTape()
    next(steps)
    by_hand.__enter__()
    with listening.listeners_only():
        steps.close()
        del by_hand
        assert listening.listening.now == ()
    assert listening.listening.now == ()
    steps = three_blocks()
    next(steps)
    with listening.without_tapes():
        assert len(listening.listening.now) == 1
        steps.close()
    assert listening.listening.now == ()


def test_a_tape_that_is_used_up_while_others_are_hidden_stays_silent():
    with mg.GradientTape() as tape:
        y = x * x
        with listening.listeners_only(tape):
            assert slope_of(tape, y) == 6.0
        assert listening.listening.now == ()


def test_what_another_thread_changes_meanwhile_is_not_lost():
    first, second, third = custom.Reads(), custom.Reads(), custom.Reads()
    here = {"now": (first, second), "hidden": ()}

    def same(one, other):
        if third not in here["now"]:  # at the first comparison
            here["now"] = (*here["now"], third)
        return one is other

    listening.end(here, first, same)
    assert here["now"] == (second, third)


def test_what_hides_others_may_end_in_any_order():
    def hidden(*listeners):
        with listening.listeners_only(*listeners):
            yield

    with mg.GradientTape() as tape:
        first, second = hidden(), hidden(tape)
        next(first), next(second)
        first.close()
        assert listening.listening.now == (tape,)
        second.close()
        y = x * x
    assert slope_of(tape, y) == 6.0


def test_blocks_that_other_threads_close_do_not_disturb_those_of_this_one():
    def close_all():
        while not done or waiting:
            if waiting:
                waiting.pop().close()

    before, waiting, done = sys.getswitchinterval(), [], []
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=close_all) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(100):
            steps = three_blocks()
            next(steps)
            with mg.GradientTape() as outer, listening.listeners_only(outer), mg.GradientTape() as tape:
                waiting.append(steps)
                y = x * x
                with outer.stop_recording():
                    z = mg.Variable(1.0) * y
            assert (slope_of(tape, z), slope_of(outer, y)) == (6.0, 6.0)
    finally:
        done.append(True)
        for thread in threads:
            thread.join()
        sys.setswitchinterval(before)
    assert listening.listening.now == () and not listening.listening.blocks


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "coroutine")
    total, before = 0, in_memory()
    for program in PROGRAMS:
        counts = inject(program, False), inject(program, True)
        total += sum(counts)
        print(f"{program.__name__:30} {counts[0]:5} lines, calls and returns  {counts[1]:6} instructions", flush=True)
    print(f"{total} interrupts, and nobody listened afterwards")
    print(f"5000 real signals, {send_signals(5000)} in the middle of a program: nobody listened afterwards")
    print(f"{in_memory() - before} tapes and traces are left in memory")
