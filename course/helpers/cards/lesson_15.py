"""The exercises of lesson 15, Written out."""

import numpy as np

from ..card import Card, Reply, alike, contains, pause, says, stops

# ---- 15.1: the last layer ----------------------------------------------------------------------------------------------


def drawn(*shapes):
    """Arrays with these shapes, always the same."""
    rng = np.random.default_rng(len(shapes) + shapes[0][0])
    return tuple(rng.normal(size=shape).round(2) for shape in shapes)


LAST = """
def last_layer(derrors, h, W2):
    return [h.T @ derrors, derrors.sum(0), derrors @ W2.T]
"""


def last_slopes(derrors, h, W2):
    return [h.T @ derrors, derrors.sum(0), derrors @ W2.T]


last = Card(
    points=(drawn((8, 1), (8, 4), (4, 1)), drawn((3, 2), (3, 5), (5, 2)), drawn((4, 4), (4, 4), (4, 4))),
    right=last_slopes,
    yes="Three lines for one layer, with any number of rows and units. None of them needs b2.",
    options=("h.T @ derrors", "derrors.T @ h", "h @ derrors"),
    came_out="h.T @ derrors was the slope by W2.",
    miss="For derrors {0}, h {1} and W2 {2} it gave {seen}.",
    hints=(
        "Each slope has the shape of what it is the slope by. Which product of two arrays has the shape of h?",
        "b2 is added to each row, so its slope is the sum of all rows, .sum(0). The other two are products with one array transposed.",
        "h.T @ derrors is the first. The third is derrors @ ..., with W2 transposed.",
    ),
    solution=LAST,
    replies=(
        Reply(LAST.replace("derrors.sum(0)", "derrors"), lambda d, h, W2: [h.T @ d, d, d @ W2.T],
              "The slope by b2 still has one row for each reading. b2 was added to all of them, so add them up."),
        Reply(LAST.replace("derrors.sum(0)", "derrors.mean(0)"), lambda d, h, W2: [h.T @ d, d.mean(0), d @ W2.T],
              "The slope by b2 is divided by the number of rows. The mean is in derrors already; here the rows are added."),
        Reply(LAST.replace("derrors.sum(0)", "derrors.sum()"), lambda d, h, W2: [h.T @ d, d.sum(), d @ W2.T],
              "For b2 you added up everything. It has one number for each column, so add up the rows, not the columns."),
        Reply(LAST.replace("W2.T", "W2"),
              lambda d, h, W2: [h.T @ d, d.sum(0), d @ W2] if d.shape[1] == len(W2) else stops(ValueError),
              "The slope by h is a product with W2 as it stands. On the way back the matrix is transposed; with square arrays no error says so."),
        Reply(LAST.replace("h.T @ derrors", "derrors.T @ h"), lambda d, h, W2: [d.T @ h, d.sum(0), d @ W2.T],
              "The slope by W2 has the right numbers, but is transposed. What went in comes first, transposed."),
        Reply("def last_layer(derrors, h, W2): return [h.T @ derrors, derrors.sum(0)]", lambda d, h, W2: [h.T @ d, d.sum(0)],
              "The slopes by W2 and b2 are right. The third one, by h, is what the next layer waits for."),
    ),
)  # fmt: skip

# ---- 15.2: the hidden layer --------------------------------------------------------------------------------------------

FIRST = """
def first_layer(dh, h, x):
    d = dh * (1.0 - h * h)
    return [x.T @ d, d.sum(0)]
"""


def first_slopes(through):
    """The slopes by W1 and b1 if this comes back through tanh."""

    def both(dh, h, x):
        d = dh * through(h)
        return [x.T @ d, d.sum(0)]

    return both


def values(dh, h, x):
    """The same arrays, with an h that tanh can give."""
    return dh, np.tanh(h), x


first = Card(
    points=(values(*drawn((8, 4), (8, 4), (8, 1))), values(*drawn((3, 2), (3, 2), (3, 5))), values(*drawn((2, 3), (2, 3), (2, 2)))),
    right=first_slopes(lambda h: 1.0 - h * h),
    yes="With the three lines of the last layer, this is the whole backward pass.",
    options=("0.01", "0.02", "0.99"),
    came_out="the factor was 0.0199.",
    miss="It gave {seen}. That is not [x.T @ d, d.sum(0)] with the d that comes back through tanh.",
    hints=(
        "What comes back through tanh, before it reaches any weight?",
        "Multiply dh, entry by entry, by the slope of tanh, 1 - h * h. Call it d.",
        "From d on it is the last layer again: what went in, transposed, times d; and the sum of the rows of d.",
    ),
    solution=FIRST,
    replies=(
        Reply(FIRST.replace("dh * (1.0 - h * h)", "dh"), first_slopes(lambda h: 1.0),
              "This is the hidden layer without its tanh. What arrives has to be multiplied by the slope of tanh first."),
        Reply(FIRST.replace("1.0 - h * h", "1.0 - np.tanh(h) ** 2"), first_slopes(lambda h: 1.0 - np.tanh(h) ** 2),
              "Here tanh is taken twice. h is what tanh gave, so the slope is 1 - h * h."),
        Reply(FIRST.replace("1.0 - h * h", "1.0 - h"), first_slopes(lambda h: 1.0 - h),
              "The factor is 1 - h here. It is the square of h that is subtracted."),
        Reply(FIRST.replace("(1.0 - h * h)", "h * (1.0 - h)"), first_slopes(lambda h: h * (1.0 - h)),
              "h (1 - h) is the slope of a sigmoid. This layer has a tanh."),
        Reply(FIRST.replace("d.sum(0)]", "dh.sum(0)]"), lambda dh, h, x: [x.T @ (dh * (1.0 - h * h)), dh.sum(0)],
              "The slope by W1 is right. The slope by b1 has not come through tanh; b1 is added inside tanh, like x @ W1."),
    ),
)  # fmt: skip

# ---- 15.3: the line that differs ---------------------------------------------------------------------------------------

TRIALS = tuple(values(*drawn((rows, 3), (rows, 3), (1, 1)))[:2] for rows in (4, 2))


def computes(through):
    """Wanted: a function that multiplies dh by this."""
    return lambda f: callable(f) and all(alike(np.asarray(f(dh, h)), dh * through(h)) for dh, h in TRIALS)


REPORT = """
def mended(dh, h):
    return dh * (1.0 - h * h)

report = {"line": "E", "mended": mended}
"""

report = Card(
    right=lambda: {"line": says("e"), "mended": computes(lambda h: 1.0 - h * h)},
    yes="With two programs side by side, you find a fault as a line that differs.",
    options=("dW1", "dW1 and db1", "all four"),
    came_out="dW1 and db1 were off.",
    hints=(
        "The program that minigrad wrote has a line for each letter. Read both lists from the top.",
        "Four of the letters are B, C, F and G: two agree with the tape, and the other two are off only because of what they are given.",
        "The line is E. `mended` returns dh times the slope of tanh, as in the program.",
    ),
    solution=REPORT,
    replies=(
        Reply(REPORT.replace("h * h", "h"), lambda: {"line": says("e"), "mended": computes(lambda h: 1.0 - h)},
              "You found the line. `mended` still computes what the line computed; look again at what is subtracted from 1."),
        Reply(REPORT.replace('"E"', '"D"'), lambda: {"line": says("d"), "mended": computes(lambda h: 1.0 - h * h)},
              "`mended` is right, but belongs to another letter. D makes dh, which is what your function is given."),
        Reply(REPORT.replace('"E"', '"F"'), lambda: {"line": says("f"), "mended": computes(lambda h: 1.0 - h * h)},
              "`mended` is right, but belongs to another letter. F is off only because of the d that it adds up."),
        Reply(REPORT.replace('"E"', '"G"'), lambda: {"line": says("g"), "mended": computes(lambda h: 1.0 - h * h)},
              "`mended` is right, but belongs to another letter. G is off only because of the d in it."),
        Reply('report = {"line": "E", "mended": 0}', lambda: {"line": says("e"), "mended": 0},
              "You found the line. Now the function: what should it compute?"),
    ),
)  # fmt: skip

# ---- 15.4: which lines are needed --------------------------------------------------------------------------------------

LINES = ("derrors", "db2", "dW2", "dh", "d", "db1", "dW1")


def only(*names):
    """Of the seven lines, these."""
    return lambda: {name: name in names for name in LINES}


def needing(*names):
    return f"needed = {only(*names)()}"


needed = Card(
    right=only("derrors", "dh", "d", "db1"),
    yes="The path from the loss to b1, and no other line.",
    options=("3", "5", "7"),
    came_out="3 lines were left.",
    hints=(
        "Begin at the end: what does db1 need?",
        "db1 is a sum of d. What does d need, and what does that need?",
        "Four of them: db1, d, dh and derrors.",
    ),
    solution=needing("derrors", "dh", "d", "db1"),
    replies=(
        Reply(needing(*LINES), only(*LINES), "With all of them you also get three gradients that nobody asked for."),
        Reply(needing("derrors", "dh", "d", "db1", "dW1"), only("derrors", "dh", "d", "db1", "dW1"),
              "dW1 too comes from d, and nothing comes from dW1. It is dead here."),
        Reply(needing("derrors", "db2", "dh", "d", "db1"), only("derrors", "db2", "dh", "d", "db1"),
              "db2 belongs to the other bias, and no line uses it."),
        Reply(needing("derrors", "dW2", "dh", "d", "db1"), only("derrors", "dW2", "dh", "d", "db1"),
              "dh needs W2 itself, not its slope. So dW2 is dead."),
        Reply(needing("db1"), only("db1"), "db1 is the sum of d. Where does d come from?"),
        Reply(needing("d", "db1"), only("d", "db1"), "d is computed from dh. Where does dh come from?"),
        Reply(needing("derrors", "db2"), only("derrors", "db2"), "These are the lines for b2. The task asks for b1, behind tanh."),
    ),
)  # fmt: skip

# ---- 15.5: a bias for each row -----------------------------------------------------------------------------------------

ROWS = """
def row_bias(d):
    return d.sum(1, keepdims=True)
"""

rows = Card(
    points=tuple(drawn(shape) for shape in ((2, 3), (3, 3), (4, 1), (1, 5))),
    right=lambda d: d.sum(1, keepdims=True),
    yes="The bias was copied along axis 1, and so its slope is added up along axis 1.",
    options=("sum(0)", "sum(1)", "sum()"),
    came_out="the program has a sum along axis 1.",
    miss="For d = {0} it gave {seen}.",
    hints=(
        "Along which axis does one number of the bias appear several times?",
        "A bias of shape (rows, 1) is copied along axis 1. The slope needs the same shape, with an axis of length 1.",
        "d.sum(1, ...) with keepdims=True.",
    ),
    solution=ROWS,
    replies=(
        Reply(ROWS.replace(", keepdims=True", ""), lambda d: d.sum(1), "The numbers are right. The shape has to be that of the bias, (rows, 1)."),
        Reply(ROWS.replace("1, keepdims=True", "0"), lambda d: d.sum(0), "This is the slope of a bias for each column, as b1 and b2 are."),
        Reply(ROWS.replace("1, keepdims", "0, keepdims"), lambda d: d.sum(0, keepdims=True),
              "This adds up the rows. Here the bias has a number for each row, so the columns are added up."),
        Reply(ROWS.replace(".sum", ".mean"), lambda d: d.mean(1, keepdims=True),
              "Here each slope is divided by the number of columns. What was copied is added up, not divided."),
        Reply(ROWS.replace(".sum(1, keepdims=True)", ""), lambda d: d,
              "This has a slope for each entry of the table. One number of the bias acts on a whole row."),
    ),
)  # fmt: skip

# ---- 15.6: how often -----------------------------------------------------------------------------------------------------


def often(*counts):
    return lambda: dict(zip("ABCD", map(float, counts), strict=True))


def counting(*counts):
    return f"traces = {dict(zip('ABCD', counts, strict=True))}"


traces = Card(
    right=often(2, 1, 2, 3),
    yes="Python values count by value, tensors by shape and type.",
    options=("0", "1", "3"),
    came_out="1 line appeared.",
    hints=(
        "What identifies a Python number, and what identifies a tensor?",
        "A Python number by its value; a tensor by its shape and its type, never by its value.",
        "B is 1. In D the three arguments are an integer tensor, a float tensor and a Python number.",
    ),
    solution=counting(2, 1, 2, 3),
    replies=(
        Reply(counting(3, 1, 2, 3), often(3, 1, 2, 3), ": A. The third call has a value that was traced already."),
        Reply(counting(1, 1, 2, 3), often(1, 1, 2, 3), ": A. 1 and 2 are Python values: each is a kind of its own."),
        Reply(counting(2, 2, 2, 3), often(2, 2, 2, 3), ": B. These are tensors of one shape and one type. Their values play no part."),
        Reply(counting(2, 1, 1, 3), often(2, 1, 1, 3), ": C. The shapes are (1,) and (2,)."),
        Reply(counting(2, 1, 2, 1), often(2, 1, 2, 1), ": D. The three ones are of three kinds. Look at their types."),
        Reply(counting(2, 1, 2, 2), often(2, 1, 2, 2), ": D. The first two differ in type, int32 and float32. And the third is no tensor."),
        Reply(counting(3, 2, 2, 3), often(3, 2, 2, 3), "This counts the calls. A call of a kind that was traced before does not trace."),
    ),
)  # fmt: skip

# ---- the ticket --------------------------------------------------------------------------------------------------------

ticket = Card(
    right=lambda: {"2": 12.0, "3": says("retracing", "retrace", "to retrace", "retraced")},
    yes="Both. For item 1, for example: Python's part of a function happens while it is traced, and that is once.",
    hints=(
        "Item 2: which shape does W have? Item 3: section 9.",
        "Item 2: h @ W has shape (10, 2), and h has 6 columns. Item 3: the word tracing, with two more letters.",
        "Item 2: 6 rows and 2 columns. Item 3: re and tracing.",
    ),
    solution="""
ticket = {"2": 12, "3": "retracing"}
""",
    replies=(
        Reply('ticket = {"2": 120, "3": "retracing"}', lambda: {"2": 120.0}, ": 2. 120 has the 10 rows in it. They are added up."),
        Reply('ticket = {"2": 20, "3": "retracing"}', lambda: {"2": 20.0}, ": 2. 20 entries come back. The question is about the slope by W."),
        Reply('ticket = {"2": 60, "3": "retracing"}', lambda: {"2": 60.0}, ": 2. 60 is the size of h. The question is about the slope by W."),
        Reply('ticket = {"2": 12, "3": "tracing"}', lambda: {"3": says("tracing", "trace")},
              ": 3. That is the word for the first time. The question asks for the word for doing it again."),
        Reply('ticket = {"2": 12, "3": "guard"}', lambda: {"3": contains("guard")},
              ": 3. A guard is what is compared. The question asks what may follow from it, or from another kind of arguments."),
    ),
)  # fmt: skip

pause1 = pause(
    15.0,
    yes="3 rows and 5 columns, as the weights have. The 8 rows of data are added up.",
    hints=("A slope has the shape of its source.", "Which shape turns rows of 3 into rows of 5?", "3 times 5."),
    mistakes={
        120.0: "The 8 rows are not part of it: they are added up in the product.",
        40.0: "That is the size of what comes out of the layer.",
        24.0: "That is the size of what goes into the layer.",
        5.0: "That is the size of the bias.",
    },
)

pause2 = pause(
    8.0,
    yes="Each entry was copied onto 8 rows.",
    hints=("How often does one entry of the bias appear in the table?", "Once in each row.", "8 rows, and a 1 from each."),
    mistakes={
        1.0: "So it is for one row. The entry was copied onto several.",
        5.0: "That is the number of columns. Each column has an entry of its own.",
        40.0: "That is the sum over the whole table. Each entry of the bias has a column.",
    },
)

CARDS = {
    "15.1": last,
    "15.2": first,
    "15.pause1": pause1,
    "15.3": report,
    "15.4": needed,
    "15.5": rows,
    "15.pause2": pause2,
    "15.6": traces,
    "15.exit": ticket,
}
