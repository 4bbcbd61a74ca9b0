"""What can have happened to a gradient: a code for each cause, with the smallest program that shows it, and its mend."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
    """One cause: its name, what it means, the smallest program that has it, and the same program mended."""

    name: str
    meaning: str
    broken: str
    mended: str

    def __str__(self):
        return f"{self.name}\n  {self.meaning}\n\n  broken\n{indented(self.broken)}\n\n  mended\n{indented(self.mended)}"


def indented(program):
    return "\n".join("    " + line for line in program.splitlines())


CODES = {}  # by name, in the order of the course


def page(name, meaning, broken, mended):
    CODES[name] = Code(name, meaning, broken.strip("\n"), mended.strip("\n"))


def codes(name: "str | None" = None):
    """The page of one code, or all of them by name.

    Args:
        name: such as "LEFT_ENGINE"; None for all.

    Returns:
        A Code, whose text is its page; or a dict of them.

    Raises:
        KeyError: there is no such code.

    >>> import minigrad as mg
    >>> print(mg.explain.codes("INTEGER"))
    INTEGER
      Derivatives flow along float and complex numbers alone. A Python int makes an int32 Tensor.
    <BLANKLINE>
      broken
        x = tf.Variable(10)
        with tf.GradientTape() as tape:
            y = x * x
        tape.gradient(y, x)           # None
    <BLANKLINE>
      mended
        x = tf.Variable(10.0)
        with tf.GradientTape() as tape:
            y = x * x
        tape.gradient(y, x)           # 20.0
    """
    return dict(CODES) if name is None else CODES[name]


page(
    "LEFT_ENGINE",
    "A value left for Python or NumPy and came back as a plain number: the tape sees the number, not where it came from.",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x.numpy()
tape.gradient(y, x)           # 3.0, half of the truth
""",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # 6.0
""",
)
page(
    "STATE",
    "A value was written into a Variable (or a dataset, or a queue) and read again: state has a value, and no history.",
    """
x = tf.Variable(3.0)
total = tf.Variable(0.0)
with tf.GradientTape() as tape:
    total.assign_add(x)
    y = total * total
tape.gradient(y, x)           # None
""",
    """
x = tf.Variable(3.0)
total = tf.Variable(0.0)
with tf.GradientTape() as tape:
    new_total = total + x
    y = new_total * new_total
tape.gradient(y, x)           # 6.0
""",
)
page(
    "OUTSIDE_TAPE",
    "An op on the way ran before the tape was opened, or after it was closed. A tape records its own block.",
    """
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = x * x
loss = tf.reduce_sum(y)
tape.gradient(loss, x)        # None
""",
    """
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = x * x
    loss = tf.reduce_sum(y)
tape.gradient(loss, x)        # [2. 4.]
""",
)
page(
    "NO_DERIVATIVE",
    "An op on the way is flat with jumps (argmax, round, a comparison): no derivative of it is of use.",
    """
x = tf.Variable([1.0, 3.0])
with tf.GradientTape() as tape:
    y = tf.round(x * 0.4)
tape.gradient(y, x)           # None
""",
    """
x = tf.Variable([1.0, 3.0])
with tf.GradientTape() as tape:
    y = x * 0.4
tape.gradient(y, x)           # [0.4 0.4]
""",
)
page(
    "UNUSED",
    "The target does not depend on the source: it was not read, or only for something else. The true derivative is 0.",
    """
x = tf.Variable(2.0)
w = tf.Variable(5.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, w)           # None
""",
    """
x = tf.Variable(2.0)
w = tf.Variable(5.0)
with tf.GradientTape() as tape:
    y = w * x * x
tape.gradient(y, w)           # 4.0
""",
)
page(
    "UNWATCHED",
    "The source is no trainable Variable, and the tape was not told to watch it, or only after its first use.",
    """
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # None
""",
    """
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x
tape.gradient(y, x)           # 6.0
""",
)
page(
    "INTEGER",
    "Derivatives flow along float and complex numbers alone. A Python int makes an int32 Tensor.",
    """
x = tf.Variable(10)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # None
""",
    """
x = tf.Variable(10.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # 20.0
""",
)
page(
    "REBOUND",
    "The name of the source points to a new Tensor, computed from the Variable that it once was.",
    """
x = tf.Variable(2.0)
x = x + 1.0
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # None
""",
    """
x = tf.Variable(2.0)
x.assign_add(1.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # 6.0
""",
)
page(
    "REBUILT",
    "A new Variable was made from a Tensor. It starts with the value, and without the history.",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    v = tf.Variable(x * x)
    y = v * 2.0
tape.gradient(y, x)           # None
""",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    v = x * x
    y = v * 2.0
tape.gradient(y, x)           # 12.0
""",
)
page(
    "OTHER_TAPE",
    "The op was recorded by another tape than the one that was asked.",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as first:
    y = x * x
with tf.GradientTape() as second:
    z = x * 2.0
second.gradient(y, x)         # None
""",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as first:
    y = x * x
first.gradient(y, x)          # 6.0
""",
)
page(
    "FIRST_ORDER_ONLY",
    "The first derivative was computed while this tape was not recording (or it does not depend on the source any more).",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x * x
slope = inner.gradient(y, x)
outer.gradient(slope, x)      # None
""",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x * x
    slope = inner.gradient(y, x)
outer.gradient(slope, x)      # 18.0
""",
)
page(
    "SPENT_TAPE",
    "The tape was asked before, and used up. A tape answers once, unless it is persistent.",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
    z = y * y
tape.gradient(y, x)           # 6.0
tape.gradient(z, x)           # RuntimeError
""",
    """
x = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    y = x * x
    z = y * y
tape.gradient(y, x)           # 6.0
tape.gradient(z, x)           # 108.0
""",
)
page(
    "NOT_REGISTERED",
    "An op on the way could have a derivative, and nobody has written it: tape.gradient raises a LookupError.",
    """
image = tf.Variable([[[0.5, 0.0, 0.0]]])
with tf.GradientTape() as tape:
    y = tf.image.adjust_contrast(image, 0.1)
tape.gradient(y, image)       # LookupError
""",
    """
image = tf.Variable([[[0.5, 0.0, 0.0]]])
with tf.GradientTape() as tape:
    mean = tf.reduce_mean(image, axis=[0, 1], keepdims=True)
    y = (image - mean) * 0.1 + mean
tape.gradient(y, image)       # [[[1. 1. 1.]]]
""",
)
page(
    "SUMMED",
    "The target has several elements: this is the derivative of their sum. For each alone there is the Jacobian.",
    """
x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = x * [3.0, 4.0]
tape.gradient(y, x)           # 7.0
""",
    """
x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = x * [3.0, 4.0]
tape.jacobian(y, x)           # [3. 4.]
""",
)
page(
    "NOT_FINITE",
    "Somewhere a derivative became inf or nan: often 0 times infinity, in a branch that where() does not take.",
    """
x = tf.Variable(0.0)
with tf.GradientTape() as tape:
    y = tf.where(x > 0.0, tf.math.log(x), 0.0)
tape.gradient(y, x)           # nan
""",
    """
x = tf.Variable(0.0)
with tf.GradientTape() as tape:
    safe = tf.where(x > 0.0, x, 1.0)
    y = tf.where(x > 0.0, tf.math.log(safe), 0.0)
tape.gradient(y, x)           # 0.0
""",
)
page(
    "STALE",
    "The Variable was assigned after the tape read it: this is the derivative at the old value.",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
x.assign(5.0)
tape.gradient(y, x)           # 6.0, the slope at 3
""",
    """
x = tf.Variable(3.0)
x.assign(5.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # 10.0
""",
)
page(
    "STOPPED",
    "The way was cut on purpose: by stop_gradient, stop_recording or reset.",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = tf.stop_gradient(x * x)
tape.gradient(y, x)           # None
""",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # 6.0
""",
)
page(
    "NOT_A_TENSOR",
    "The target or the source is no Tensor: a Python number, an array, or None.",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = float(x * x)
tape.gradient(y, x)           # AttributeError
""",
    """
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)           # 6.0
""",
)
page(
    "ONLY_DECIDES",
    "The source is used for a decision alone: which branch runs. The value does not depend on it smoothly.",
    """
x = tf.Variable(1.0)
w = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = w * 3.0 if x > 0.0 else w * 5.0
tape.gradient(y, x)           # None
""",
    """
x = tf.Variable(1.0)
w = tf.Variable(2.0)
with tf.GradientTape() as tape:
    gate = tf.sigmoid(10.0 * x)
    y = gate * (w * 3.0) + (1.0 - gate) * (w * 5.0)
tape.gradient(y, x)           # -0.00181589
""",
)
page(
    "FLAT",
    "The way is whole, and an op on it has slope 0 here: a relu that is off, a saturated sigmoid, a clip.",
    """
x = tf.Variable(-2.0)
with tf.GradientTape() as tape:
    y = tf.nn.relu(x)
tape.gradient(y, x)           # 0.0
""",
    """
x = tf.Variable(-2.0)
with tf.GradientTape() as tape:
    y = tf.nn.leaky_relu(x)
tape.gradient(y, x)           # 0.2
""",
)
