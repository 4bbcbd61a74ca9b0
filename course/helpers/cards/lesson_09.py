"""The exercises of lesson 09, State, and stopping on purpose."""

import numpy as np

import minigrad as mg

from ..card import Card, Reply, Way, contains, pause, says, stops
from ..witness import by_tape

ALONG = """
def slope_along(v, values):
    with mg.GradientTape() as tape:
        y = 0.0
        for value in values:
            v.assign(value)
            y += v * v
    return tape.gradient(y, v)
"""

slope_along = Card(
    points=((1.0, [2.0, 10.0]), (7.0, [3.0, -1.0, 0.5]), (0.0, [4.0])),
    ask=lambda slope_along, start, values: slope_along(mg.Variable(start, name="v"), values),
    right=lambda start, values: 2.0 * sum(values),
    yes="Each value that v held has its own slope in the sum.",
    options=("24", "40", "400", "None"),
    came_out="the tape gave 24.",
    miss="For the values {1} it gave {seen}.",
    hints=(
        "How many tapes see the whole sum?",
        "One tape around the loop. In the loop: assign, then add v * v to y.",
        "with ... as tape: y = 0.0; for value in values: v.assign(value); y += v * v. Below: return tape.gradient(y, v).",
    ),
    solution=ALONG,
    replies=(
        Reply(
            """
def slope_along(v, values):
    for value in values:
        v.assign(value)
        with mg.GradientTape() as tape:
            y = v * v
    return tape.gradient(y, v)
""",
            lambda start, values: 2.0 * values[-1],
            "This is the slope for the last value alone. Either the tape is opened anew in each iteration, or y is not added up.",
        ),
        Reply(
            ALONG.replace("v.assign(value)", "v = mg.constant(value)"),
            lambda start, values: None,
            "None. Is v still the Variable that came in? `v = ...` gives its name to something else; v.assign(...) changes its content.",
        ),
        Reply(
            ALONG.replace("            v.assign(value)\n            y += v * v\n", "            y += v * v\n            v.assign(value)\n"),
            lambda start, values: 2.0 * (start + sum(values[:-1])),
            "One value too early: you squared what was there before each assignment. Assign first, then read.",
        ),
        Reply(
            ALONG.replace("tape.gradient(y, v)", "y"),
            lambda start, values: sum(value * value for value in values),
            "This is the sum, and it is right. Ask the tape for its slope.",
        ),
    ),
    ways=(
        Way(
            "def slope_along(v, values): return 2.0 * sum(values)",
            by_tape,
            "The right number, but not from a tape. The task asks for the slope from a tape.",
        ),
        Way(
            """
def slope_along(v, values):
    with mg.GradientTape() as tape:
        y = 2.0 * sum(values) * v
    return tape.gradient(y, v)
""",
            lambda witness, seen, start, values: witness.writes > len(values),
            "The right number, but v has not held each of the values. Put them in, in turn: v.assign(value).",
        ),
    ),
)


def after_deposit(deposit, account, amount):
    """What came back, what the account holds, and both slopes of the square of what came back."""
    account, amount = mg.Variable(account, name="account"), mg.Variable(amount, name="amount")
    with mg.GradientTape() as tape:
        new = deposit(account, amount)
        y = new * new
    return [new, account, *tape.gradient(y, [account, amount])]


def balances(account, amount, stored=1.0, by_account=1.0, by_amount=1.0):
    """The same, for a right answer; None in the place of a slope leaves it out."""
    new = account + amount
    return [new, account + stored * amount, *[None if part is None else 2.0 * new * part for part in (by_account, by_amount)]]


deposit = Card(
    points=((1.0, 3.0), (10.0, -2.5)),
    ask=after_deposit,
    right=balances,
    yes="Stored for next time, and still on the tape.",
    options=("8.0", "0.0", "None", "an error"),
    came_out="the tape gave None.",
    miss="With {0} in the account and {1} paid in: new balance, account and the two slopes came out as {seen}.",
    hints=(
        "Two things want the new balance: the tape, and the account. Which of them needs a tensor?",
        "new = account + amount is a tensor with both paths. assign stores its value.",
        "Three lines: new = account + amount; account.assign(new); return new.",
    ),
    solution="""
def deposit(account, amount):
    new = account + amount
    account.assign(new)
    return new
""",
    replies=(
        Reply(
            """
def deposit(account, amount):
    return account.assign_add(amount)
""",
            lambda account, amount: balances(account, amount, by_amount=None),
            "The account is right, and the slope for the amount is None. Is what you return read from the account, after it was stored? Return the sum itself.",
        ),
        Reply(
            """
def deposit(account, amount):
    return account + amount
""",
            lambda account, amount: balances(account, amount, stored=0.0),
            "Both slopes are right. But the account itself has not changed: store the new balance.",
        ),
        Reply(
            """
def deposit(account, amount):
    account.assign_add(amount)
    return account + amount
""",
            lambda account, amount: lambda seen: np.allclose([seen[0], seen[1]], [account + 2.0 * amount, account + amount]),
            "The account is right; what you return has the amount twice. After the assignment the account already holds it.",
        ),
        Reply(
            """
def deposit(account, amount):
    account.assign(account + amount)
""",
            lambda account, amount: stops(TypeError, "NoneType"),
            "The function returned None. Hand back the new balance, as a tensor.",
        ),
        Reply(
            """
def deposit(account, amount):
    new = account.numpy() + amount.numpy()
    account.assign(new)
    return mg.constant(new)
""",
            lambda account, amount: balances(account, amount, by_account=None, by_amount=None),
            "The values are right and both slopes are None. Compute the new balance from account and amount themselves, without .numpy().",
        ),
    ),
)


def after_pushes(push, x, speed, slopes):
    """Where x and its speed are after each slope was used once."""
    x, speed = mg.Variable(x, name="x"), mg.Variable(speed, name="speed")
    for slope in slopes:
        push(x, speed, mg.constant(slope))
    return [x, speed]


def pushed(x, speed, slopes, keep=0.9, rate=0.1, late=False, by_slope=False):
    for slope in slopes:
        old, speed = speed, keep * speed + slope
        x = x - rate * (slope if by_slope else old if late else speed)
    return [x, speed]


PUSH = """
def push(x, speed, slope):
    speed.assign(0.9 * speed + slope)
    x.assign_sub(0.1 * speed)
"""

push = Card(
    points=((0.0, 1.0, [2.0, 3.0]), (5.0, -2.0, [1.0, -4.0, 0.5])),
    ask=after_pushes,
    right=pushed,
    yes="Both Variables keep their new values. An optimizer with momentum keeps its state in this way.",
    options=("1.0", "2.0", "None", "an error"),
    came_out="the second iteration gave None.",
    miss="From x = {0}, speed {1}, with the slopes {2}, it came to {seen} (x, speed).",
    hints=(
        "What must still be there when push is called the next time?",
        "Both must change in place. First the speed, then x with the new speed.",
        "speed.assign(0.9 * speed + slope), then x.assign_sub(0.1 * speed).",
    ),
    solution=PUSH,
    replies=(
        Reply(
            """
def push(x, speed, slope):
    speed = 0.9 * speed + slope
    x = x - 0.1 * speed
""",
            lambda x, speed, slopes: [x, speed],
            "Both Variables are as they were. `x = ...` names a new tensor, and it is gone when the function ends. Assign.",
        ),
        Reply(
            """
def push(x, speed, slope):
    speed = 0.9 * speed + slope
    x.assign_sub(0.1 * speed)
""",
            lambda x, speed, slopes: [x - 0.1 * sum(0.9 * speed + slope for slope in slopes), speed],
            "x moves, but the speed is not kept: it is the old one in every call. It has to be assigned as well.",
        ),
        Reply(
            """
def push(x, speed, slope):
    x.assign_sub(0.1 * speed)
    speed.assign(0.9 * speed + slope)
""",
            lambda x, speed, slopes: pushed(x, speed, slopes, late=True),
            "Both lines are right, in the other order: x moved with the old speed.",
        ),
        Reply(
            PUSH.replace("0.1 * speed", "0.1 * slope"),
            lambda x, speed, slopes: pushed(x, speed, slopes, by_slope=True),
            "The speed is right, but x moves by the slope. It should move by the speed.",
        ),
        Reply(
            PUSH.replace("assign_sub", "assign_add"),
            lambda x, speed, slopes: pushed(x, speed, slopes, rate=-0.1),
            "The speed is right, but x moves uphill. Subtract.",
        ),
        Reply(
            PUSH.replace("speed.assign(0.9 * speed + slope)", "speed.assign_add(0.9 * speed + slope)"),
            lambda x, speed, slopes: pushed(x, speed, slopes, keep=1.9),
            "assign_add adds to the old speed, so it counts 1.9 times. `becomes` is assign.",
        ),
        Reply(
            """
def push(x, speed, slope):
    speed *= 0.9
    speed += slope
""",
            lambda x, speed, slopes: stops(RuntimeError, "not supported"),
            "A Variable refuses +=, -= and *=, because they have two meanings. Say which one you want: assign, assign_add or assign_sub.",
        ),
    ),
)


def after_mooring(gap, boat, pier):
    """The gap, and the slopes of both."""
    boat, pier = mg.Variable(boat, name="boat"), mg.Variable(pier, name="pier")
    with mg.GradientTape() as tape:
        y = gap(boat, pier)
    return [y, *tape.gradient(y, [boat, pier])]


def distances(boat, pier, by_boat=1.0, by_pier=0.0):
    """The same, for a gap that pulls each so strongly; a pull of 0 may be None as well."""
    slope = 2.0 * (boat - pier)
    return [(boat - pier) ** 2, *[pull(slope * part) for part in (by_boat, -by_pier)]]


def pull(slope):
    return (lambda seen: seen is None or np.allclose(seen, 0.0)) if slope == 0.0 else slope


gap = Card(
    points=((0.0, 8.0), (5.0, -1.0), (2.0, 2.0)),
    ask=after_mooring,
    right=distances,
    yes="The boat has the whole slope, and the pier stays where it is.",
    options=("8.0", "4.0", "0.0", "None"),
    came_out="the tape gave 4.0.",
    miss="With the boat at {0} and the pier at {1}: gap, boat's slope and pier's slope came out as {seen}.",
    hints=(
        "For which of the two do you want the value, but no slope?",
        "mg.stop_gradient(pier) has the pier's value and no path to it.",
        "Return (boat - ...) ** 2, with the cut around the pier.",
    ),
    solution="""
def gap(boat, pier):
    return (boat - mg.stop_gradient(pier)) ** 2
""",
    replies=(
        Reply(
            """
def gap(boat, pier):
    return (boat - pier) ** 2
""",
            lambda boat, pier: distances(boat, pier, by_pier=1.0),
            "This moves both. Cut the path to the pier.",
        ),
        Reply(
            """
def gap(boat, pier):
    return (mg.stop_gradient(boat) - pier) ** 2
""",
            lambda boat, pier: distances(boat, pier, by_boat=0.0, by_pier=1.0),
            "The other way round: now the pier moves and the boat stays.",
        ),
        Reply(
            """
def gap(boat, pier):
    return mg.stop_gradient((boat - pier) ** 2)
""",
            lambda boat, pier: distances(boat, pier, by_boat=0.0),
            "Nobody moves: this cuts every path. Which single value should be cut?",
        ),
        Reply(
            """
def gap(boat, pier):
    return (boat - pier) * mg.stop_gradient(boat - pier)
""",
            lambda boat, pier: distances(boat, pier, by_boat=0.5, by_pier=0.5),
            "Half the slope, for both. Each factor has boat and pier in it. Cut the path to the pier in both factors, and leave the boat.",
        ),
    ),
)


def after_picking(pick, w, a, b, c):
    """The slopes of all four Variables, and the names of those that the tape has seen."""
    w, a, b, c = (mg.Variable(value, name=name) for name, value in zip("wabc", (w, a, b, c), strict=True))
    with mg.GradientTape() as tape:
        start = w * w
        y = start + pick(tape, [lambda: a * a, lambda: 3.0 * b, lambda: c * 2.0])
    watched = sorted(v.name for v in tape.watched_variables())
    return [*tape.gradient(y, [w, a, b, c]), watched]


def picked(w, a, b, c, seen=None, choose=np.argmin):
    """The same, for a right answer."""
    values, slopes = [a * a, 3.0 * b, 2.0 * c], [2.0 * a, 3.0, 2.0]
    best = int(choose(values))
    names = seen or ["abc"[best] + ":0", "w:0"]
    return [2.0 * w, *[slope if k == best else None for k, slope in enumerate(slopes)], names]


PICK = """
def pick(tape, losses):
    with tape.stop_recording():
        values = [float(loss()) for loss in losses]
    return losses[values.index(min(values))]()
"""

pick = Card(
    points=((3.0, 2.0, 0.5, 4.0), (1.0, 5.0, 2.0, -1.0), (-2.0, 0.5, 2.0, 3.0), (2.0, 1.0, -2.0, 1.5)),
    ask=after_picking,
    right=picked,
    yes="Three were tried, and only one is on the tape. What had been recorded before is still there.",
    options=("4 and 6", "None and 6", "4 and None", "None and None"),
    came_out="the slopes were None and 6.",
    miss="With a = {1}, b = {2}, c = {3} the slopes of w, a, b, c and the watched names came out as {seen}.",
    hints=(
        "Every loss runs once to be compared. The winner has to run a second time: why?",
        "with tape.stop_recording(): compute the values. Outside of it, call the winner again.",
        "In the pause: values = [float(loss()) for loss in losses]. After it: return losses[values.index(min(values))]().",
    ),
    solution=PICK,
    replies=(
        Reply(
            """
def pick(tape, losses):
    values = [float(loss()) for loss in losses]
    return losses[values.index(min(values))]()
""",
            lambda w, a, b, c: picked(w, a, b, c, seen=["a:0", "b:0", "c:0", "w:0"]),
            "The right winner, with the right slope. The tape has recorded all three, though: pause it while you compare.",
        ),
        Reply(
            """
def pick(tape, losses):
    with tape.stop_recording():
        values = [loss() for loss in losses]
    return min(values)
""",
            lambda w, a, b, c: [2.0 * w, None, None, None, ["w:0"]],
            "The winner ran in the pause too, so the tape knows nothing of it. Call it once more, outside the pause.",
        ),
        Reply(
            """
def pick(tape, losses):
    values = [float(loss()) for loss in losses]
    tape.reset()
    return losses[values.index(min(values))]()
""",
            lambda w, a, b, c: [None, *picked(w, a, b, c)[1:4], picked(w, a, b, c)[4][:1]],
            "The losers are gone, but so is w's slope: reset forgets everything, also what was recorded before. Pause the tape instead.",
        ),
        Reply(
            PICK.replace("min(values)", "max(values)"),
            lambda w, a, b, c: picked(w, a, b, c, choose=np.argmax),
            "That is the largest. The task asks for the smallest.",
        ),
    ),
)


ticket = Card(
    right=lambda: {"2": 7.0, "3": says("reset")},
    yes="Both. For item 1, any sentence that says: a Variable keeps the sum and not where it came from.",
    hints=(
        "Item 2: v is read twice. What did it hold each time?",
        "Item 2: the slope of the square belongs to 3. Item 3: the table of section 5.",
        "Item 2: 2 * 3, and 1 for the second reading. Item 3: five letters.",
    ),
    solution="""
ticket = {"2": 7.0, "3": "reset"}
""",
    replies=(
        Reply('ticket = {"2": 11.0, "3": "reset"}', lambda: {"2": 11.0},
              ": 2. 2 * 5 + 1 takes the square at 5. It was read at 3."),
        Reply('ticket = {"2": 6.0, "3": "reset"}', lambda: {"2": 6.0},
              ": 2. 6 is the square's part. v is read once more, in y."),
        Reply('ticket = {"2": 1.0, "3": "reset"}', lambda: {"2": 1.0},
              ": 2. 1 is the part of the second reading. The first one counts as well: an assignment spoils nothing that was recorded."),
        Reply('ticket = {"2": 7.0, "3": "stop_recording"}', lambda: {"3": contains("stop_recording")},
              ": 3. That one pauses. What has been recorded stays."),
    ),
)  # fmt: skip

pause1 = pause(
    11.0,
    yes="3 from the first version, and 8 from the second.",
    hints=("What does each of the two readings of v send?", "a sends 3. b read v as 4.", "3, and 2 times 4."),
    mistakes={
        8.0: "That is what b sends. The first version is v as well.",
        3.0: "That is what a sends. b has read v too.",
        5.0: "b read v after the assignment, as 4.",
    },
)


pause2 = pause(
    3.0,
    yes="new is a tensor, and storing its value cuts nothing.",
    hints=("Is y computed from the Variable or from the tensor?", "From the tensor new, which came from amount.", "3 times 1."),
    mistakes={
        None: "That is so for what is read from account. y is computed from new.",
        1.0: "That is new by amount. y is three times new.",
        0.0: "The path from amount to new to y is there.",
    },
)


CARDS = {
    "09.1": slope_along,
    "09.pause1": pause1,
    "09.2": deposit,
    "09.3": push,
    "09.pause2": pause2,
    "09.4": gap,
    "09.5": pick,
    "09.exit": ticket,
}
