"""Numbers that left and only look as if they were used: they were logged, compared, or stand beside the ones in use. All are healthy."""

import json
import math

import numpy as np

import minigrad as mg

from . import healthy, program


def always_three(v):
    return 3.0 if v == v else 4.0


@healthy
def _a_number_into_a_helper_that_ignores_it():
    """A helper that is given float(x) and returns 3.0: the argument must not be blamed for a constant."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = x * always_three(float(x))
    return tape.explain(y, x)


@healthy
def _the_other_side_of_max():
    """max(float(x), 5.0) that gives 5.0: the smaller argument was not used and must not be blamed."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = x * max(float(x), 5.0)
    return tape.explain(y, x)


@healthy
def _a_norm_below_its_limit():
    """A norm that only a limit is compared with: the 1.0 of the branch that ran must not be traced to 1 / n."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        n = float(mg.norm(x))
        scale = 1 / n if n > 10 else 1.0
        y = mg.reduce_sum(x * scale)
    return tape.explain(y, x)


@healthy
def _sizes_and_forms():
    """NumPy asked for sizes and shapes of x: these do not look at the numbers and must not count as lost paths."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(x * np.ones_like(x)) / np.size(x) * np.shape(x)[0] * np.ndim(x.numpy())
    return tape.explain(y, x)


@healthy
def _a_log_in_the_same_dictionary():
    """A weight and a logged loss under two keys: reading the weight must not be blamed on the loss."""
    x, out = mg.Variable(2.0), {}
    with mg.GradientTape() as tape:
        loss = x * x
        out["loss"] = float(loss)
        out["weight"] = 0.5
        y = loss * out["weight"]
    return tape.explain(y, x)


@healthy
def _a_log_in_the_dictionary_of_settings():
    """A loss logged into a dictionary that was written with a weight: the weight must not be blamed for the later entry."""
    x, settings = mg.Variable(2.0), {"weight": 0.5}
    with mg.GradientTape() as tape:
        loss = x * x
        settings["last"] = float(loss)
        y = loss * settings["weight"]
    return tape.explain(y, x)


@program("untried", "", "", "the replay ended with AssertionError", plain=("untried", "", ""))
def _a_name_given_anew_by_a_loop():
    """A name that a loop gives other values: v in the loop must not be taken for the float above it."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        v = float(x)
        assert v == 2.0
        for v in (0.5, 0.25):
            y = x * v
    return tape.explain(y, x)


@healthy
def _a_number_on_the_left_of_a_tensor_that_was_not_multiplied():
    """A float in a branch that did not run: the 0.0 that the sum begins with must not be traced to it."""
    x, debug = mg.Variable(2.0), False
    with mg.GradientTape() as tape:
        v = float(x)
        total, loss = 0.0, x * x
        if debug:
            loss = loss * v
        total += loss
    return tape.explain(total, x)


@healthy
def _a_counter_in_the_dictionary_of_logs():
    """A counter and the best loss in one dictionary: dividing by the counter must not be blamed on the loss."""
    w, state = mg.Variable(3.0), {"step": 0}
    with mg.GradientTape() as tape:
        loss = w * w
        state["step"] += 1
        state["best"] = float(loss)
        y = loss / state["step"]
    return tape.explain(y, w)


@healthy
def _a_name_used_again_further_down_in_a_loop():
    """A factor whose name holds the loss at the end of each turn: the next turn sets it first, so it must not be blamed."""
    w = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        y = 0.0
        for k in range(3):
            s = 0.5 * (k + 1)
            loss = w * w * s
            y = y + loss
            s = float(loss)
            assert s > 0
    return tape.explain(y, w)


@healthy
def _the_count_of_enumerate_and_the_other_half_of_zip():
    """Loops over x.numpy() that use only the count or the other list: neither may be traced to the array."""
    w = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = 0.0
        for i, v in enumerate(w.numpy()):
            y = y + w[i] * (1 + 0.1 * i)
            assert v > 0
        for s, v in zip((0.5, 0.25), w.numpy()):
            y = y + w[0] * s
            assert v > 0
    return tape.explain(y, w)


def root_mean_square(a):
    return float(np.sqrt(np.mean(np.square(a))))


@healthy
def _a_helper_for_tensors_and_for_constants():
    """One helper called with a tensor to check it and with constants: the result of the second call must not be blamed on w."""
    w = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        assert root_mean_square(w) > 0
        y = mg.reduce_sum(w) / root_mean_square([3.0, 4.0])
    return tape.explain(y, w)


@healthy
def _a_comprehension_with_the_same_variable():
    """A comprehension whose variable has the name of a float outside: the inner v must not be taken for the outer one."""
    w, history = mg.Variable(3.0), []
    with mg.GradientTape() as tape:
        v = float(w * w)
        history.append(v)
        y = mg.add_n([w * v for v in (0.5, 0.25)])
    return tape.explain(y, w)


@healthy
def _a_name_that_every_branch_gives_a_value():
    """A name that every branch of an if sets: the float above it cannot be meant and must not be blamed."""
    w, k = mg.Variable(3.0), 2
    with mg.GradientTape() as tape:
        t = float(w)
        assert t > 0
        if k == 1:
            t = 0.1 * k
        elif k == 2:
            t = 0.2 * k
        else:
            t = 1 / k
        y = w * t
    return tape.explain(y, w)


@healthy
def _counts_and_choices():
    """A count of logged numbers and a choice by a key function: both give other numbers than the floats that they look at."""
    w, history = mg.Variable([1.0, 2.0]), []
    with mg.GradientTape() as tape:
        history.append(float(w[0]))
        n = sum(1 for v in history if v < 100)
        best = max((0.5, 0.25), key=lambda c: float(w[0]) * c)
        y = mg.reduce_sum(w) / n * best
    return tape.explain(y, w)


@healthy
def _one_attribute_of_two_objects():
    """The same attribute of two objects: settings.scale must not be blamed for the float in meter.scale."""

    class Plain:
        pass

    w, meter, settings = mg.Variable(3.0), Plain(), Plain()
    with mg.GradientTape() as tape:
        meter.scale = float(w)
        settings.scale = 0.3 * 2
        y = w * settings.scale
    return tape.explain(y, w)


@healthy
def _same_number_by_chance():
    """A literal 2.5 that equals the number just shown: an equal value alone must not count as a return."""
    x = mg.Variable(2.5)
    with mg.GradientTape() as tape:
        shown = float(x)
        y = x * 2.5 + mg.constant(2.5)
    assert shown == 2.5
    return tape.explain(y, x)


@healthy
def _pi_by_chance():
    """A Variable that holds pi, and math.pi beside it: even an unusual number may be equal without having come from x."""
    x, pi = mg.Variable(math.pi), math.pi
    with mg.GradientTape() as tape:
        float(x)
        y = x * pi
    return tape.explain(y, x)


@healthy
def _name_used_again():
    """A name that held float(x) and holds 2.0 by the time of the product: the first value must not be blamed."""
    x = mg.Variable(3.0)
    with mg.GradientTape() as tape:
        v = float(x)
        f"{v}"
        v = 2.0
        y = x * v
    return tape.explain(y, x)


@healthy
def _printed_beside_an_op():
    """float(x) and a product in one tuple: the factor k must not be taken for the float on the same line."""
    x, k = mg.Variable(3.0), 0.7
    with mg.GradientTape() as tape:
        pair = float(x), x * k
        y = pair[1]
    return tape.explain(y, x)


def log_and_scale(x):
    assert f"{float(x)}"
    return 2.5


@healthy
def _helper_that_logs():
    """A helper that formats x and returns 2.5, which x equals too: its result must not be traced to the text."""
    x = mg.Variable(2.5)
    with mg.GradientTape() as tape:
        y = x * log_and_scale(x)
    return tape.explain(y, x)


@healthy
def _data_in_numpy():
    """Data centred by a mean that NumPy computed before the tape: no number of w is in it, so nothing may be blamed."""
    data, w = np.linspace(-1.0, 1.0, 8, dtype=np.float32), mg.Variable(0.5)
    mean = float(np.mean(mg.constant(data).numpy()))
    with mg.GradientTape() as tape:
        loss = mg.reduce_mean((w * (data - mean) - 3.0 * data) ** 2)
    return tape.explain(loss, w)


@healthy
def _columns_of_rows_that_were_logged():
    """Rows of data with their losses, split by zip(*rows): using the data columns must not be blamed on the third."""
    w, rows, loss = mg.Variable(0.5), [], 0.0
    with mg.GradientTape() as tape:
        for x, y in [(0.11, 1.21), (0.53, 2.31)]:
            err = (w * x - y) ** 2
            rows.append((x, y, float(err)))
            loss += err
        xs, ys, _ = zip(*rows)
        loss = loss + w * xs[0] * ys[1]
    return tape.explain(loss, w)


@healthy
def _the_best_of_some_that_were_tried():
    """The rate out of the least pair of loss and rate: the loss decides, but only the rate is computed with."""
    w, tried = mg.Variable(0.7), []
    with mg.GradientTape() as tape:
        for rate in (0.13, 0.27, 0.31):
            tried.append((float((w - rate) ** 2), rate))
        _, best = min(tried)
        loss = (w - best) ** 2
    return tape.explain(loss, w)


@healthy
def _the_best_of_some_dictionaries():
    """The rate out of the dictionary with the least loss: the key that compares losses must not make it a lost path."""
    w = mg.Variable(0.7)
    with mg.GradientTape() as tape:
        tried = [{"loss": float((w - rate) ** 2), "rate": rate} for rate in (0.13, 0.27)]
        best = min(tried, key=lambda one: one["loss"])
        loss = (w - best["rate"]) ** 2
    return tape.explain(loss, w)


@healthy
def _rates_by_their_losses():
    """Dictionaries from loss to rate and back: the rate that is looked up must not be blamed on losses used as keys."""
    w = mg.Variable(0.7)
    with mg.GradientTape() as tape:
        by_loss = {float((w - rate) ** 2): rate for rate in (0.13, 0.29)}
        by_rate = {rate: loss for loss, rate in by_loss.items()}
        loss = (w - by_loss[min(by_loss)]) ** 2 + (w - min(by_rate, key=by_rate.get)) ** 2
    return tape.explain(loss, w)


@healthy
def _sorted_by_their_losses():
    """The rate out of a sorted list of pairs: the losses give the order, and must not be blamed for it."""
    w = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        scored = sorted((float((w - k) ** 2), k) for k in (0.31, 0.52, 0.73))
        loss = (w - scored[0][1]) ** 3
    return tape.explain(loss, w)


@healthy
def _the_best_so_far_as_a_pair():
    """The best loss and its rate, kept as a pair in a loop: the rate must not be blamed on the loss assigned with it."""
    w, best, rate = mg.Variable(0.5), float("inf"), None
    with mg.GradientTape() as tape:
        for k in (0.31, 0.52, 0.73):
            err = float((w - k) ** 2)
            best, rate = (err, k) if err < best else (best, rate)
        loss = (w - rate) ** 3
    return tape.explain(loss, w)


@healthy
def _a_clip_that_takes_its_limit():
    """np.clip that gives its upper limit: the number outside the limits was not used and must not be blamed."""
    x = mg.Variable(2.7)
    with mg.GradientTape() as tape:
        y = x * np.clip(float(x), 0.0, 1.0)
    return tape.explain(y, x)


@healthy
def _columns_of_a_table_beside_a_log():
    """A table whose third column logs the losses: computing with the first two must not be blamed on it."""
    table, w, total = np.zeros((3, 3)), mg.Variable(0.5), 0.0
    table[:, 0] = np.linspace(0.1, 0.7, 3)
    table[:, 1] = 2 * table[:, 0]
    with mg.GradientTape() as tape:
        for k in range(3):
            err = (w * table[k, 0] - table[k, 1]) ** 2
            table[k, 2] = float(err)
            total = total + err
        total = total / table[:, 0].sum()
    return tape.explain(total, w)


@healthy
def _the_start_is_printed_and_stands_in_a_file():
    """A rate read from JSON that equals w, which is printed: the printout must not be taken for its origin."""
    settings, w = json.loads('{"rate": 0.7312}'), mg.Variable(0.7312)
    with mg.GradientTape() as tape:
        print(float(w))
        loss = w * w * settings["rate"]
    return tape.explain(loss, w)


def loss_with_options(w, **options):
    return options["scale"] * (w - options["target"]) ** 2


@healthy
def _options_beside_a_log():
    """A number logged among **options: the scale and the target beside it must not be blamed on it."""
    w = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        loss = loss_with_options(w, scale=0.25, target=0.75, shown=float(w))
        options = {"scale": 0.5, "target": 0.25, "shown": float(w)}
        loss += loss_with_options(w, **options)
    return tape.explain(loss, w)


@healthy
def _compared_with_a_number_after_a_log():
    """A float kept in a list, then x compared with 1.0: the constants in mg.where must not be traced to the list."""
    x = mg.Variable([0.5, 1.5])
    with mg.GradientTape() as tape:
        shown = [float(x[0])]
        y = mg.reduce_sum(mg.where(x > 1.0, x, 2.0 * x))
    assert shown
    return tape.explain(y, x)


@healthy
def _a_rate_in_a_line_of_a_log():
    """A text with a rate and a loss, from which the rate is read again: the loss in it must not be blamed."""
    w, lines, loss = mg.Variable(0.5), [], 0.0
    with mg.GradientTape() as tape:
        for k, rate in enumerate([0.11, 0.07]):
            err = (w - rate) ** 2
            lines.append(f"{k},{rate},{float(err):.4f}")
            loss += err
        loss = loss * float(lines[0].split(",")[1])
    return tape.explain(loss, w)


@healthy
def _computed_with_a_column_beside_a_log():
    """Sums and means of the rates in rows that also hold losses: they must not be blamed on the column of losses."""
    w, rows, loss = mg.Variable(0.5), [], 0.0
    with mg.GradientTape() as tape:
        for k in (0.1, 0.2):
            err = (w - k) ** 2
            rows.append((k, float(err)))
            loss += err
        rates, _ = zip(*rows)
        for n, (rate, _) in enumerate(rows):
            loss = loss * (n + rate)
        loss = loss / (2 * sum(rates)) * np.array(rows)[:, 0].mean()
    return tape.explain(loss, w)


@healthy
def _computed_with_the_best():
    """The best rate by min, by sort and by sorted, then multiplied: the losses that ordered the pairs must not be blamed."""
    w = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        tried = [(k, float((w - k) ** 2)) for k in (0.1, 0.2)]
        best = min(tried, key=lambda pair: pair[1])
        loss = (w - 2 * best[0]) ** 2
        tried.sort(key=lambda pair: pair[1])
        rate, _ = sorted(tried)[0]
        loss += (w - 2 * tried[0][0]) ** 2 + (w - 3 * rate) ** 2
    return tape.explain(loss, w)


@healthy
def _computed_with_the_best_key():
    """The key with the least value, found by key=tried.get: the values decide, and only the key is computed with."""
    w = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        tried = {k: float((w - k) ** 2) for k in (0.1, 0.2)}
        best = min(tried, key=tried.get)
        loss = (w - 2 * best) ** 2
    return tape.explain(loss, w)


@healthy
def _a_history_in_a_history():
    """Lists of losses and rates in a dictionary in a dictionary: the path through both keys must lead to the rates alone."""
    w, loss, history = mg.Variable(0.5), 0.0, {"train": {"loss": [], "rate": []}}
    with mg.GradientTape() as tape:
        for k in (0.1, 0.2):
            err = (w - k) ** 2
            history["train"]["loss"].append(float(err))
            history["train"]["rate"].append(k)
            loss += err
        loss = loss * (2 * history["train"]["rate"][-1])
    return tape.explain(loss, w)


@healthy
def _appended_to_an_array():
    """Two arrays that grow by np.append on one line: the mean of the rates must not be blamed on the log."""
    w, log, rates, loss = mg.Variable(0.5), np.array([]), np.array([]), 0.0
    with mg.GradientTape() as tape:
        for rate in (0.1, 0.2):
            err = (w - rate) ** 2
            log, rates = np.append(log, float(err)), np.append(rates, rate)
            loss += err
        loss = loss * rates.mean()
    return tape.explain(loss, w)


def summed_down(w, turns):
    if not turns:
        return 0.0
    err = (w - 0.2 * turns) ** 2
    print("turn", turns, float(err))
    return err + summed_down(w, turns - 1)


@healthy
def _losses_that_a_recursion_prints_and_sums():
    """A recursive function that prints each loss: neither its 0.0 nor its turn number may be traced to the printouts."""
    w = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        loss = summed_down(w, 3)
    return tape.explain(loss, w)


@healthy
def _keys_that_are_put_together():
    """Keys made by f-strings: "rate 0" must not be taken for "loss 0", although neither is written out."""
    x, logs, y = mg.Variable(0.5), {}, 0.0
    with mg.GradientTape() as tape:
        for k, rate in enumerate((0.1, 0.3)):
            logs[f"rate {k}"] = rate
            logs[f"loss {k}"] = 3.0 * float(x)
            y = y + x * logs[f"rate {k}"]
    return tape.explain(y, x)


@healthy
def _a_dictionary_updated_with_a_rate_and_a_log():
    """update with a dictionary of a rate and a loss: the rate of the next turn must not be blamed on the loss."""
    x, state, y = mg.Variable(0.5), {"rate": 0.1, "last": 0.0}, 0.0
    with mg.GradientTape() as tape:
        for _ in range(2):
            y = y + x * state["rate"]
            state.update({"rate": state["rate"] * 0.5, "last": 3.0 * float(x)})
    return tape.explain(y, x)


@healthy
def _weights_by_rank():
    """Weights made of ranks of the losses: an index only counts, so the losses must not be named as a lost path."""
    w = mg.Variable([0.5, 1.5, 1.0])
    with mg.GradientTape() as tape:
        losses = w * w
        numbers = losses.numpy().tolist()
        ranks = [sorted(numbers).index(number) for number in numbers]
        y = mg.reduce_sum(losses * np.array(ranks, np.float32))
    return tape.explain(y, w)


@healthy
def _a_seed_from_the_source():
    """A random number whose seed is made of the source: it jumps with each nudge, and has no slope that could be lost."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        noise = np.random.default_rng(int(float(x) * 1e6)).normal()
        y = x * 3.0 + float(noise)
    return tape.explain(y, x)
