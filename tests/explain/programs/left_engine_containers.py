"""A number comes back out of a list, a dictionary, an array or a text, to which it went after it had left."""

import copy
import json
import random

import numpy as np

import minigrad as mg

from . import program


@program("none", "broken", "LEFT_ENGINE", "losses.append(float(loss))")
def _floats_in_a_list():
    """Numbers appended in a loop and averaged: the append must be named, and not the reduce_mean of the list."""
    w = mg.Variable(2.0)
    losses = []
    with mg.GradientTape() as tape:
        for k in range(3):
            loss = w * w * float(k)
            losses.append(float(loss))
        total = mg.reduce_mean(losses)
    return tape.explain(total, w)


@program("none", "broken", "LEFT_ENGINE", "(tried)")
def _the_first_of_several_numbers_in_a_list():
    """Floats of a and b in one comprehension: asked about a, the answer must not see only b, which left last."""
    a, b = mg.Variable(1.0), mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.constant([float(v) for v in (a, b)]))
    return tape.explain(y, a)


@program("none", "broken", "LEFT_ENGINE", "total += float(w)")
def _the_second_of_several_numbers_in_a_sum():
    """Numbers of three Variables added by +=: asked about the second, the answer must not see only the first or the last."""
    ws = [mg.Variable(1.0), mg.Variable(2.0), mg.Variable(3.0)]
    with mg.GradientTape() as tape:
        total = 0.0
        for w in ws:
            total += float(w)
        y = ws[0] * mg.sqrt(total)
    return tape.explain(y, ws[1])


@program("partial", "", "LEFT_ENGINE", "leaves out 1 of 2 paths")
def _a_number_that_left_in_a_generator():
    """sum over a generator of floats: its path must be counted, although the generator runs in a frame of its own."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = x + sum(float(v * v) for v in [x])
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "decay")
def _weight_decay_in_numpy():
    """A penalty on the weights computed in NumPy: the live path beside it must not hide that its slope is missing."""
    w = mg.Variable([2.0, 3.0])
    with mg.GradientTape() as tape:
        decay = 0.01 * sum(np.sum(v.numpy() ** 2) for v in [w])
        y = mg.reduce_sum(w * w) + decay
    return tape.explain(y, w)


@program("none", "broken", "LEFT_ENGINE")
def _list_of_items():
    """Floats of all the items of x, squared in a list: the squares must not hide from which tensor the numbers came."""
    x = mg.Variable([1.0, 2.0, 3.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(mg.constant([float(v) ** 2 for v in x]))
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE")
def _floats_in_an_array():
    """A float written into an array by index: the fix must not put a tensor into the array, which would make it a number again."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        kept = np.zeros(2)
        kept[0] = float(x[0])
        y = mg.reduce_sum(x * kept)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE")
def _sum_in_a_python_loop():
    """A loop that adds up x.numpy() in a plain number: the total must be traced through the loop, and not to its 0.0."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        total = 0.0
        for value in x.numpy():
            total += value
        y = mg.reduce_sum(x * total)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE")
def _a_sum_over_a_generator():
    """sum of floats over the items of x: that each was taken out of x first must not break the trace to x."""
    x = mg.Variable([1.0, 2.0])
    with mg.GradientTape() as tape:
        y = mg.reduce_sum(sum(float(one) for one in x) * x)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE")
def _rows_that_a_loop_changes():
    """A row reached by two loops and changed by *=: its number is no longer the one that left, and must be traced to it."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        table = {"rows": [[1.0, float(x)]]}
        for rows in table.values():
            for row in rows:
                row[1] *= 3.0
        y = x * table["rows"][0][1]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE")
def _an_array_under_another_name():
    """An array changed under a second name: that it has other numbers now must not hide that it is the array of x."""
    x = mg.Variable([0.5, 1.5])
    with mg.GradientTape() as tape:
        here = x.numpy()
        other = here
        other *= 2.0
        y = mg.reduce_sum(x * here)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _an_item_of_an_item():
    """A float written to table[0][1]: two indices must be followed to the item that is read."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        table = [[0.0, 0.0], [0.0, 0.0]]
        table[0][1] = float(x * 3.0)
        y = x * table[0][1]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _a_row_that_grows():
    """A row of rows that gets a constant and then a float: index 1 must lead to the float, and not to the constant 0.25."""
    x, rows = mg.Variable(0.5), [[], []]
    with mg.GradientTape() as tape:
        rows[0].append(0.25)
        rows[0].append(float(x * 3.0))
        y = x * rows[0][1]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "table[k, 2] = 2.0 * float(err)")
def _a_column_that_is_used():
    """A column of an array that holds the losses and is used: the columns of data beside it must not hide the loss."""
    table, w = np.zeros((3, 3)), mg.Variable(0.5)
    table[:, 0] = np.linspace(0.1, 0.7, 3)
    table[:, 1] = 2 * table[:, 0]
    with mg.GradientTape() as tape:
        total = 0.0
        for k in range(3):
            err = (w * table[k, 0] - table[k, 1]) ** 2
            table[k, 2] = 2.0 * float(err)
            total = total + err * table[k, 2]
    return tape.explain(total, w)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _a_number_from_get():
    """A number read by dict.get and increased: it must be traced to the entry, and not to the default 0.25."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        logs = {"here": float(x)}
        y = x * (logs.get("here", 0.25) + 1.0)
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _a_dictionary_that_is_updated():
    """A number put there by dict.update with keywords: its own keyword must be found, and not the rate."""
    x, logs = mg.Variable(0.5), {}
    with mg.GradientTape() as tape:
        logs.update(here=float(x), rate=0.25)
        y = x * logs["here"]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _a_number_through_json():
    """A number written as JSON and read again: that functions of the library stand in between must not hide it."""
    x = mg.Variable(0.7312)
    with mg.GradientTape() as tape:
        y = x * json.loads(json.dumps({"here": float(x)}))["here"]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _a_number_read_from_a_text():
    """A number printed into a text that is split and read again: it must be recognised by its value."""
    x = mg.Variable(0.7312)
    with mg.GradientTape() as tape:
        line = f"here={float(x):.7f}"
        y = x * float(line.split("=")[1])
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "leaves out 1 of 2 paths")
def _a_number_through_a_text():
    """A number formatted with three digits and read at once: float around a text must not count as a new number."""
    x = mg.Variable(2.25)
    with mg.GradientTape() as tape:
        y = x * float(f"{float(x):.3f}")
    return tape.explain(y, x)


@program("none", "broken", "LEFT_ENGINE", "keep x a tensor here, without float")
def _a_float_that_went_through_text():
    """A number rounded through a text, the only path there is: explain must propose no line, since a text cannot hold a tensor."""
    x = mg.Variable(2.0)
    with mg.GradientTape() as tape:
        y = mg.sqrt(float(f"{float(x):.3f}"))
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _the_least_of_some_pairs():
    """The loss itself, taken out of the least pair: it is computed with, and must not be taken for a mere comparison."""
    x = mg.Variable(0.7)
    with mg.GradientTape() as tape:
        tried = [(float((x - k) ** 2), k) for k in (0.1, 0.2)]
        y = x * min(tried)[0]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _a_half_in_a_row():
    """A number rounded to float16 in an array: that it differs in the fourth digit must not make it another number."""
    x = mg.Variable(0.7312)
    with mg.GradientTape() as tape:
        rows = np.array([[1.0, float(x)]], np.float16)
        y = x * float(rows[0, 1])
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _rows_that_have_names():
    """Rows with names of their own in a list: a loop over the list must be followed into the tuples behind the names."""
    x, y = mg.Variable(0.5), 0.0
    with mg.GradientTape() as tape:
        first, second = (0.2, 0.3), (2.0 * float(x), 0.4)
        rows = [first, second]
        for a, _ in rows:
            y += x * a
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _an_index_of_a_slice():
    """kept[1:][1] is the third item: it must not be taken for kept[1], which is a constant."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        kept = [0.3, 0.1, 2.0 * float(x)]
        y = x * kept[1:][1]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _a_list_turned_around():
    """kept[::-1][0] is the last item: it must not be taken for kept[0], which is a constant."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        kept = [0.3, 2.0 * float(x)]
        y = x * kept[::-1][0]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _a_list_sorted_in_its_place():
    """A list that sort() has put in another order: its first item must not be taken for the constant written first."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        kept = [3.0, 2.0 * float(x)]
        kept.sort()
        y = x * kept[0]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _the_rest_of_a_list():
    """An item of a starred target: rest[1] must be traced to the end of the list, and not to its second item."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        _, *rest = [0.1, 0.2, 2.0 * float(x)]
        y = x * rest[1]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _an_array_of_rows_turned():
    """Columns unpacked from the transpose of an array of rows: the mean of the second must be traced to the appended floats."""
    x, rows = mg.Variable(0.5), []
    with mg.GradientTape() as tape:
        for k in (0.1, 0.2):
            rows.append((k, k * float(x)))
        rates, values = np.array(rows).T
        y = x * values.mean() * rates[0]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _a_comprehension_in_a_comprehension():
    """A list of lists made by nested comprehensions: the float in the inner one must be found from outside both."""
    x = mg.Variable([0.5, 0.25])
    with mg.GradientTape() as tape:
        table = [[k * float(v) for v in x] for k in (1.0, 2.0)]
        y = x * table[1][0]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _the_largest_of_the_items():
    """A value unpacked from max over dict.items: it is computed with, although the key function only compares."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        logs = {"a": 2.0 * float(x), "b": 0.1}
        _, value = max(logs.items(), key=lambda pair: pair[1])
        y = x * value
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _a_sample_of_what_was_kept():
    """A pair drawn by random.sample: that it was drawn must not hide that its second part is float(x)."""
    x, kept, y = mg.Variable(0.5), [], 0.0
    with mg.GradientTape() as tape:
        kept.append((0.1, float(x)))
        for k, value in random.sample(kept, 1):
            y += (x * k - 3.0 * value) ** 2
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _terms_weighted_by_themselves():
    """Terms multiplied by their own numbers out of a dictionary: these must be named, although every term is live itself."""
    w = mg.Variable(0.25)
    with mg.GradientTape() as tape:
        terms = {"data": (w - 1.0) ** 2, "size": w**2}
        parts = {name: float(term) for name, term in terms.items()}
        loss = sum(terms[name] * (parts[name] / 2.0) for name in terms)
    return tape.explain(loss, w)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _a_copy_of_a_dictionary():
    """A number read from a copy of a dictionary: it must be traced through copy.copy to the entry of the original."""
    x = mg.Variable(0.5)
    with mg.GradientTape() as tape:
        logs = {"here": 3.0 * float(x)}
        y = x * copy.copy(logs)["here"]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)", 'logs.setdefault("loss", []).append(float(x) * 3.0)')
def _a_list_that_setdefault_begins():
    """A list begun by setdefault: what is appended to the result of that call must be found under its key."""
    x, logs = mg.Variable(0.5), {}
    with mg.GradientTape() as tape:
        logs.setdefault("loss", []).append(float(x) * 3.0)
        y = x * logs["loss"][-1]
    return tape.explain(y, x)


@program("partial", "", "LEFT_ENGINE", "(tried)")
def _a_number_that_is_printed_and_kept():
    """print around an append: it must not pass for a mere printout, since the number is kept and used."""
    x, kept = mg.Variable(0.7312), []
    with mg.GradientTape() as tape:
        print(kept.append(float(x)))
        y = x * json.loads(json.dumps(kept))[0]
    return tape.explain(y, x)


@program("none", "broken", "LEFT_ENGINE", "(tried)", "np.copyto(buffer, x.numpy())")
def _copied_into_a_buffer():
    """np.copyto into a buffer that was there before the tape: the buffer must not count as data of its own."""
    x, buffer = mg.Variable([2.0, 3.0]), np.zeros(2, np.float32)
    with mg.GradientTape() as tape:
        np.copyto(buffer, x.numpy())
        y = mg.reduce_sum(mg.constant(buffer) ** 2)
    return tape.explain(y, x)


@program("none", "broken", "LEFT_ENGINE", "(tried)", "np.multiply(x.numpy(), 2.0, out=buffer)")
def _computed_into_a_buffer():
    """NumPy's out=: a result written into a buffer must be found, although nothing is assigned."""
    x, buffer = mg.Variable([2.0, 3.0]), np.zeros(2, np.float32)
    with mg.GradientTape() as tape:
        np.multiply(x.numpy(), 2.0, out=buffer)
        y = mg.reduce_sum(mg.sqrt(buffer))
    return tape.explain(y, x)
