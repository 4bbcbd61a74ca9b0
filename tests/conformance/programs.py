"""Random programs that use tapes in every way: made from a seed, run on any module with TensorFlow's API, told as plain text.

Left out are `cumprod` (where a factor is 0, TensorFlow's derivative is wrong), and several targets of which one is a source too
(TensorFlow forgets its 1 when no tape watches it and another op has used it), and to watch what an op has used before (from an
op that was recorded for the sake of another input, TensorFlow's gradient then flows to it after all).

A program is a list of statements; a statement is a line and, if it opens a block, the statements inside. So a failing
program can be shrunk by leaving out statements.
"""

import random
from dataclasses import dataclass, field

import numpy as np

SHAPES = [(), (), (2,), (3,), (2, 3), (3, 2), (2, 2)]
NUMBERS = [-2.0, -1.5, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0]


def templates(text):
    """The expressions of a table: on lines, between semicolons."""
    return [one.strip() for line in text.strip().splitlines() for one in line.split(";")]


UNARY = templates("""
tf.sin({x}) ; tf.cos({x}) ; tf.tanh({x}) ; tf.exp(-{x} * {x}) ; tf.nn.relu({x}) ; tf.sigmoid({x}) ; tf.square({x})
tf.abs({x}) ; -{x} ; {x} ** 2 ; {x} ** 3.0 ; tf.nn.softplus({x}) ; tf.nn.elu({x}) ; tf.math.log1p({x} * {x})
tf.sqrt({x} * {x} + 1.0) ; tf.identity({x}) ; tf.stop_gradient({x}) ; tf.sign({x}) ; tf.floor({x} + 0.1) ; tf.math.erf({x})
tf.maximum({x}, 0.5) ; tf.minimum({x}, 1.0) ; tf.clip_by_value({x}, -1.0, 1.0) ; 1.5 * {x} - 0.5
2.0 / ({x} * {x} + 1.0) ; tf.where({x} > 0.0, {x}, {x} * 0.1) ; tf.cast(tf.cast({x}, tf.float64), tf.float32)
tf.nn.leaky_relu({x}) ; tf.math.asinh({x}) ; tf.nn.gelu({x}) ; tf.nn.silu({x}) ; tf.math.atan({x}) ; tf.zeros_like({x})
tf.ones_like({x}) * {x} ; tf.round({x}) ; tf.math.reciprocal({x} * {x} + 2.0) ; tf.math.rsqrt({x} * {x} + 1.0)
tf.cast({x} > 0.0, tf.float32) ; tf.cast(tf.cast({x} + 0.1, tf.int32), tf.float32)
tf.function(lambda z: z * z + 0.5)({x}) ; {x} * tf.random.Generator.from_seed(3).normal(tf.shape({x}))
{x} + tf.random.stateless_uniform(tf.shape({x}), [1, 2])
""")

BINARY = templates("""
{x} + {y} ; {x} - {y} ; {x} * {y} ; {x} / ({y} * {y} + 1.0) ; tf.maximum({x}, {y}) ; tf.minimum({x}, {y})
tf.math.squared_difference({x}, {y}) ; tf.where({x} > {y}, {x}, {y}) ; tf.math.atan2({x}, {y} * {y} + 1.0)
tf.add_n([{x}, {x}]) + {y} ; tf.math.divide_no_nan({x}, {y}) ; tf.pow({x} * {x} + 0.5, {y})
tf.math.floormod({x}, {y} * {y} + 1.0)
""")

TO_SCALAR = templates("""
tf.reduce_sum({x}) ; tf.reduce_mean({x}) ; tf.reduce_max({x}) ; tf.reduce_min({x}) ; tf.reduce_prod({x})
tf.norm({x} + 3.0) ; tf.reduce_logsumexp({x})
""")

OF_VECTORS = templates("""
{x}[0] ; {x}[::-1] ; tf.cumsum({x}) ; tf.nn.softmax({x}) ; tf.sort({x}) ; tf.stack([{x}, {x} * 2.0])
tf.concat([{x}, {x}], 0) ; tf.gather({x}, [0, 1, 0]) ; tf.expand_dims({x}, 0) ; tf.tile({x}, [2]) ; tf.reverse({x}, [0])
tf.reshape({x}, [-1, 1]) ; tf.pad({x}, [[1, 0]]) ; tf.roll({x}, 1, 0) ; tf.nn.log_softmax({x})
tf.tensordot({x}, {x}, 1) ; tf.linalg.diag({x}) ; tf.unstack({x})[1] ; tf.split({x}, [1, -1])[1]
tf.boolean_mask({x}, {x} > 0.0)
""")

OF_MATRICES = templates("""
{x}[0] ; {x}[:, 1] ; {x}[:, tf.newaxis] ; tf.transpose({x}) ; tf.reduce_sum({x}, 0) ; tf.reduce_mean({x}, axis=1)
tf.nn.softmax({x}) ; tf.reduce_max({x}, axis=-1, keepdims=True) ; tf.matmul({x}, {x}, transpose_b=True)
tf.linalg.trace({x}) ; tf.gather({x}, [1, 0, 1]) ; tf.gather({x}, [1, 0], axis=1) ; tf.reshape({x}, [-1])
tf.einsum('ij->ji', {x}) ; tf.einsum('ij,ij->i', {x}, {x}) ; tf.concat([{x}, {x}], axis=1)
tf.stack(tf.unstack({x}), axis=1) ; tf.split({x}, 2, axis=0)[0] ; tf.math.l2_normalize({x}, axis=1)
tf.cumsum({x}, axis=1, reverse=True) ; tf.nn.moments(tf.identity({x}), [0])[1] ; tf.linalg.diag_part({x})
tf.linalg.band_part({x}, 0, -1) ; {x} @ tf.transpose({x}) ; tf.squeeze({x}[:1]) ; tf.reduce_prod({x}, axis=1)
tf.math.reduce_variance({x}, axis=0) ; tf.nn.log_softmax({x}, axis=0)
tf.nn.conv1d({x}[tf.newaxis], tf.ones([2, {x}.shape[1], 2]) * 0.5, 1, 'SAME')[0] ; tf.nn.avg_pool1d({x}[tf.newaxis], 2, 1, 'SAME')[0]
tf.nn.conv2d({x}[tf.newaxis, :, :, tf.newaxis], tf.reshape({x}[:2, :2], [2, 2, 1, 1]), 1, 'VALID')[0, :, :, 0]
tf.nn.max_pool2d({x}[tf.newaxis, :, :, tf.newaxis], 2, 1, 'VALID')[0, :, :, 0]
""")


@dataclass
class Statement:
    """A line, and the block that it opens."""

    line: str
    block: list = field(default_factory=list)

    def text(self, depth=0):
        return "\n".join(["    " * depth + self.line, *(inner.text(depth + 1) for inner in self.block)])


class Maker:
    """Makes one program. It knows the names that exist, not their shapes: a line whose shapes do not fit fails alike on both sides."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0
        self.values, self.variables, self.tapes, self.open = [], [], [], []

    def program(self):
        pick = self.random
        statements = [self.variable() for _ in range(pick.randint(1, 2))] + [self.constant() for _ in range(pick.randint(1, 2))]
        for _ in range(pick.randint(1, 2)):
            statements.append(self.tape(depth=0))
        statements += [self.question() for _ in range(pick.randint(2, 4))]
        return statements

    def name(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def number_text(self):
        shape = self.random.choice(SHAPES)
        numbers = [self.random.choice(NUMBERS) for _ in range(int(np.prod(shape)))]
        return repr(np.array(numbers).reshape(shape).tolist() if shape else numbers[0])

    def variable(self):
        name = self.name("v")
        self.variables.append(name)
        trainable = ", trainable=False" if self.random.random() < 0.1 else ""
        return Statement(f"{name} = tf.Variable({self.number_text()}{trainable})")

    def constant(self):
        name = self.name("c")
        self.values.append(name)
        return Statement(f"{name} = tf.constant({self.number_text()})")

    def tape(self, depth):
        pick, name = self.random, self.name("t")
        options = [
            option for option, chance in (("persistent=True", 0.6), ("watch_accessed_variables=False", 0.15)) if pick.random() < chance
        ]
        self.tapes.append(name)
        self.open.append(name)
        statement = Statement(f"with tf.GradientTape({', '.join(options)}) as {name}:")
        statement.block += [Statement(f"{name}.watch({c})") for c in self.values[-3:] if pick.random() < 0.5]
        for _ in range(pick.randint(2, 6)):
            statement.block.append(self.step(depth))
        self.open.pop()
        return statement

    def step(self, depth):
        pick = self.random
        kind = pick.random()
        if kind < 0.63:
            return self.compute()
        if kind < 0.66:
            return self.accumulator()
        if kind < 0.74 and depth < 2:
            return self.tape(depth + 1)
        if kind < 0.80:
            return Statement(f"{pick.choice(self.variables)}.{pick.choice(['assign', 'assign_add', 'assign_sub'])}({self.operand()})")
        if kind < 0.84:
            return self.bind(
                f"tf.constant({self.operand()}.numpy())" if pick.random() < 0.5 else f"{self.operand()} * {self.operand()}.numpy()"
            )
        if kind < 0.88:
            return Statement(f"with {pick.choice(self.open)}.stop_recording():", [self.compute()])
        if kind < 0.90:
            return Statement(f"{pick.choice(self.open)}.reset()")
        if kind < 0.93:
            return Statement(f"if tf.reduce_sum({self.operand()}) > 0.0:", [self.compute()])
        if kind < 0.95:
            name = self.name("a")
            loop = Statement(f"for _ in range({pick.randint(2, 3)}):", [Statement(f"{name} = tf.sin({name}) + {self.operand()}")])
            self.values.append(name)
            return Statement("if True:", [Statement(f"{name} = {self.operand()} * 1.0"), loop])
        if kind < 0.98 and self.tapes:
            return self.question()
        name, tape, x = self.name("a"), pick.choice(self.open), self.operand()
        self.values.append(name)
        return Statement("if True:", [Statement(f"{name} = tf.identity({x})"), Statement(f"{tape}.watch({name})")])

    def accumulator(self):
        """The derivative along a direction, computed beside the tapes; it may be asked in the block or after it."""
        name, v = self.name("f"), self.random.choice(self.variables)
        block = Statement(f"with tf.autodiff.ForwardAccumulator({v}, tf.ones_like({v})) as {name}:", [self.compute(), self.compute()])
        asked = self.bind(f"{name}.jvp({self.values[-1]})")
        if self.random.random() < 0.5:
            return Statement("if True:", [block, asked])
        block.block.append(asked)
        return block

    def operand(self):
        pool = self.variables + self.values[-6:] + self.values[-2:]
        return self.random.choice(pool)

    def compute(self):
        pick, x, y = self.random, self.operand(), self.operand()
        table = pick.choice([UNARY, UNARY, BINARY, BINARY, TO_SCALAR, OF_VECTORS, OF_MATRICES])
        return self.bind(pick.choice(table).format(x=x, y=y))

    def bind(self, expression):
        name = self.name("a")
        self.values.append(name)
        return Statement(f"{name} = {expression}")

    def question(self):
        pick, name = self.random, self.name("g")
        tape, target = pick.choice(self.tapes), self.operand()
        pool = self.variables + self.values
        sources = pick.sample(pool, min(len(pool), pick.randint(1, 3)))
        kind = pick.random()
        listed = sources[0] if len(sources) == 1 else "[" + ", ".join(sources) + "]"
        if kind < 0.14:
            return self.show(name, f"{tape}.jacobian({target}, {listed})")
        if kind < 0.18:
            return self.show(name, f"{tape}.batch_jacobian(tf.reshape({target}, [1, -1]), tf.identity({sources[0]}))")
        zero = ", unconnected_gradients='zero'" if pick.random() < 0.15 else ""
        seed = f", output_gradients=tf.ones_like({target}) * {pick.choice(NUMBERS)}" if pick.random() < 0.1 else ""
        targets = [target, self.operand()]
        if pick.random() < 0.15 and not seed and not {*targets} & {*sources}:
            target = f"[{', '.join(targets)}]"
        return self.show(name, f"{tape}.gradient({target}, {listed}{seed}{zero})", bind=len(sources) == 1)

    def show(self, name, expression, bind=False):
        if bind:
            self.values.append(name)
        return Statement("if True:", [Statement(f"{name} = {expression}"), Statement(f"show({name!r}, {name})")])


def guarded(statements):
    """Each statement on its own: what fails is told, and the program goes on, on both sides alike."""
    lines = []
    for statement in statements:
        lines += ["try:", *("    " + line for line in statement.text().split("\n")), "except Exception as error:", "    failed(error)"]
    return "\n".join(lines)


def run(statements, module):
    """Run a program on a module with TensorFlow's API, and return what it told: (name, value) pairs."""
    told = []
    space = {"tf": module, "show": lambda name, value: told.append((name, value)), "failed": lambda error: told.append(("error", error))}
    exec(compile(guarded(statements), "<program>", "exec"), space)
    for name in sorted(name for name in space if name[0] in "acv" and name[1:].isdigit()):
        told.append((name, space[name]))
    return told
