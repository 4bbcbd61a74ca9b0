"""A value leaves or comes back in a function that the program calls. A healthy one stands beside the one whose helper it shares."""

import functools

import numpy as np

import minigrad as mg

from . import healthy, program


def length_of(t):
    return np.linalg.norm(t)


def two_lengths():
    """The length of a is used, that of b only logged."""
    a, b = mg.Variable([1.5, 1.0]), mg.Variable([2.5, 2.0])
    with mg.GradientTape() as tape:
        of_a = length_of(a)
        of_b = length_of(b)
        y = mg.reduce_sum(a / of_a + b * 2.0)
    assert of_b > 0
    return [tape.explain(y, one) for one in (a, b)]


@program("partial", "", "LEFT_ENGINE", "(tried)", "np.linalg.norm")
def _the_call_of_a_helper_whose_number_was_used():
    """One helper called for two tensors: asked about a, whose length is used, the answer must not say complete."""
    return two_lengths()[0]


@healthy
def _the_call_of_a_helper_whose_number_was_only_logged():
    """One helper called for two tensors: b, whose length is only logged, must not be blamed for the other call."""
    return two_lengths()[1]


def squared(v):
    return v**2


@program("partial", "", "LEFT_ENGINE", "(tried)", "squared(float(x))")
def _a_number_through_a_helper():
    """float(x) squared in a helper: the 4.0 that came back must be traced through the call to float(x)."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = x * squared(float(x))
    return tape.explain(y, x)


def mean_and_deviation(t):
    v = t.numpy()
    return v.mean(), v.std()


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _statistics_of_a_helper():
    """Mean and deviation that a helper computes in NumPy: both must be traced to x.numpy() inside it, as two lost paths."""
    x = mg.Variable([2.0, 3.0])
    with mg.GradientTape() as tape:
        m, s = mean_and_deviation(x)
        y = mg.reduce_sum(((x - m) / s) ** 3)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "factor=float(x)")
def _a_number_as_a_default():
    """float(x) as the default of a parameter: a call that leaves the parameter out must not hide the loss."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:

        def scaled(t, factor=float(x)):
            return t * factor

        y = scaled(x)
    return tape.explain(y, x)


def product_of(*values):
    return values[0] * values[1]


@program("partial", "", "LEFT_ENGINE", "product_of(x, float(x))")
def _a_number_among_many_arguments():
    """float(x) as one of *values: the item that the function takes by its index must be matched with the argument."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = product_of(x, float(x))
    return tape.explain(y, x)


def times_keyword(t, **options):
    return t * options["factor"]


@program("partial", "", "LEFT_ENGINE", "factor=float(x)")
def _a_number_as_a_keyword():
    """float(x) given by keyword to a function with **options: the item taken by that name must be traced to it."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = times_keyword(x, factor=float(x))
    return tape.explain(y, x)


def store_globally(t):
    global stored_globally
    stored_globally = float(t)


@program("partial", "", "LEFT_ENGINE", "stored_globally = float(t)")
def _a_number_in_a_global():
    """A number that a function stores in a global name: the value read outside that function must be traced into it."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        store_globally(x)
        y = x * stored_globally
    return tape.explain(y, x)


def noisy(a):
    a = np.asarray(a)
    return a * 0.5


@program("partial", "", "LEFT_ENGINE", "noisy(w.numpy())")
def _a_helper_that_gives_its_parameter_a_new_value():
    """A helper that reassigns its own parameter: the argument of the call must still be followed through it."""
    w = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = w * noisy(w.numpy())
    return tape.explain(y, w)


def loss_and_logs(w):
    loss = w * w
    return loss, float(loss), {"loss": float(loss), "count": 8}


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _one_of_the_values_that_a_function_returns():
    """A helper returns the loss and its number, and the number is used: it must be named lost beside the live loss."""
    w = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        loss, value, _ = loss_and_logs(w)
        y = loss * value
    return tape.explain(y, w)


@healthy
def _the_other_values_that_a_function_returns():
    """A helper returns a loss, its number and a dictionary: taking the count of 8 must not be blamed on the numbers beside it."""
    w = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        loss, value, logs = loss_and_logs(w)
        y = loss / logs["count"]
    assert value > 0
    return tape.explain(y, w)


def numpy_norm(values):
    return np.sqrt(np.sum(np.square(values)))


@program("none", "broken", "LEFT_ENGINE", "values")
def _helper_of_numpy():
    """A helper made of nested calls of NumPy: the line inside it must be shown, which speaks of values, and not of w."""
    w = mg.Variable([3.0, 4.0])
    with mg.GradientTape() as tape:
        y = mg.constant(numpy_norm(w)) * 2.0
    return tape.explain(y, w)


def scaled(factor, x):
    return factor * x


@program("partial", "", "LEFT_ENGINE", "y = scaled(float(x), x)")
def _float_as_an_argument():
    """float(x) given to a helper that multiplies: the line with the call must be named, not the product inside the helper."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = scaled(float(x), x)
    return tape.explain(y, x)


def counted_down(x, turns):
    return float(x) if not turns else counted_down(x, turns - 1) + 0.1


@program("partial", "", "LEFT_ENGINE")
def _a_number_out_of_a_deep_recursion():
    """A number that comes back through 30 calls of one function: so many calls must not make the answer say complete."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        y = x * counted_down(x, 30)
    return tape.explain(y, x)


def double(v):
    v *= 2
    return v


@program("partial", "", "LEFT_ENGINE", "y = x * double(float(x))")
def _a_parameter_that_is_doubled():
    """A helper that doubles its parameter by *=: since the number has changed, it must not be ruled out as another one."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        y = x * double(float(x))
    return tape.explain(y, x)


def normalize(values):
    total = sum(values)
    for k in range(len(values)):
        values[k] /= total


def normalize_later(values):
    normalize(values)


@program("partial", "", "LEFT_ENGINE")
def _a_list_that_two_helpers_change():
    """A list that a helper of a helper divides in place: its new numbers must still be traced to those that left."""
    x = mg.Variable([0.5, 1.5])
    with mg.GradientTape() as tape:
        parts = [float(x[0]), float(x[1])]
        normalize_later(parts)
        y = x[0] * parts[1]
    return tape.explain(y, x)


def amplified(value, gain=1.0):
    return value * gain


def hand_on(*args, **options):
    return amplified(*args, **options)


@program("partial", "", "LEFT_ENGINE", "hand_on(float(x))")
def _a_number_through_stars():
    """A number handed on by *args and **options: the call that gives it must be named, although the middle function names nothing."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        y = x * hand_on(float(x))
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "hand_on(0.5, gain=float(x))")
def _a_number_through_two_stars():
    """A keyword handed on by **options: gain must be found two calls further up, and not the 0.5 beside it."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        y = x * hand_on(0.5, gain=float(x))
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _options_from_a_dictionary():
    """A call with **options from a dictionary: the number must be traced to its entry there."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        options = {"value": 0.25, "gain": float(x)}
        y = x * amplified(**options)
    return tape.explain(y, x)


def numbers_of(x):
    for value in x.numpy():
        yield float(value)


@program("partial", "", "LEFT_ENGINE", "for value in x.numpy()")
def _numbers_of_a_generator():
    """Numbers that a generator function yields: the loop inside it must be named, although it runs where its values are taken."""
    x, y = mg.Variable([0.5, 1.5]), 0.0
    with mg.GradientTape() as tape:
        for k, value in enumerate(numbers_of(x)):
            y += x[k] * value
    return tape.explain(y, x)


def note(logs, name, value):
    logs[name] = value


@program("partial", "", "LEFT_ENGINE", "(tried)", 'note(logs, "loss", 3.0 * float(x))')
def _a_helper_that_writes_into_a_dictionary():
    """A helper that writes into a dictionary under a key it is given: the entry read later must be traced to the call."""
    x, logs = mg.Variable(0.5), {}
    with mg.GradientTape() as tape:
        note(logs, "loss", 3.0 * float(x))
        note(logs, "rate", 0.25)
        y = x * logs["loss"]
    return tape.explain(y, x)


def keep_in(history, value):
    history.append(value)


@program("partial", "", "LEFT_ENGINE", "(tried)", "keep_in(losses, 3.0 * float(x))")
def _a_helper_that_appends_to_a_list():
    """A helper that appends to the list it is given: of its two calls the one for losses must be named."""
    x, losses, rates = mg.Variable(0.5), [], []
    with mg.GradientTape() as tape:
        keep_in(losses, 3.0 * float(x))
        keep_in(rates, 0.25)
        y = x * losses[-1]
    return tape.explain(y, x)


@healthy
def _a_helper_that_writes_a_log_beside_a_rate():
    """Helpers that store a log and a rate by the same code: reading the rate must not be blamed on the log."""
    x, logs, losses, rates = mg.Variable(0.5), {}, [], []
    with mg.GradientTape() as tape:
        note(logs, "loss", 3.0 * float(x))
        note(logs, "rate", 0.25)
        keep_in(losses, 3.0 * float(x))
        keep_in(rates, 0.25)
        y = x * logs["rate"] * rates[-1]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "scaled = functools.partial(amplified, gain=x)", "multiply was given the number 0.5, not x")
def _a_number_that_partial_has_given_before():
    """float(x) bound by functools.partial: the call that uses it shows no argument, and must still be traced there."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        scaled = functools.partial(amplified, gain=float(x))
        y = scaled(x)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "np.mean(t.numpy())")
def _the_second_of_two_functions_on_a_line():
    """Two lambdas on one line: the one that uses NumPy must be found, and the fix must leave the other one alone."""
    x, means = mg.Variable([0.5, 1.5]), {"here": lambda t: mg.reduce_mean(t), "numpy": lambda t: np.mean(t.numpy())}
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(x) * means["numpy"](x * x)
    return tape.explain(y, x)


def first_of(rows, factor):
    return rows[0] * factor


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _rows_through_a_star():
    """A call with *given from a tuple: the item of its first row must be traced to the float inside the tuple."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        given = ([3.0 * float(x), 0.1], 2.0)
        y = x * first_of(*given)
    return tape.explain(y, x)
