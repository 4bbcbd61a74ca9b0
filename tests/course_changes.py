"""What a learner does where a lesson says to change one thing: the cells to run again, and which words become which.

An edit is a cell, the words to replace and the new ones; a cell alone is run once more as it is now. A pattern stands
where the words may have been changed before. A text says in a regular expression what a lesson promises in words.
"""

import re

CHANGES = {  # by the lesson, and the text that asks for it
    "00": {
        "why-1": [("run-1", "*", "+")],
    },
    "01": {
        "why-1": [("run-1", "(1.0, 0.1,", "(-0.1, 1.0, 0.1,")],
        "why-2": [("run-2", "x ** 3", "x ** 3 + 100.0"), r" 3\.00\n.*12\.00\n.*48\.00"],
        "check-3-text": [("run-3-sigmoid", "mg.Variable(2.0)", "mg.Variable(0.0)")],
        "why-4": [
            ("run-4", "mg.constant(3.0)", "mg.constant(3.0, mg.float64)"),
            ("run-4", "mg.constant(3.0 + h)", "mg.constant(3.0 + h, mg.float64)"),
            r"1e-05 .*off by 0\.0000\n.*off by 0\.0000",
        ],
    },
    "02": {
        "why-1": [("run-1", "\nafter =", "\n    after ="), r"after    value 20\.0   slope 10\.0"],
        "inspect-2-text": [("run-2", "Variable(2.0", "Variable(8.0")],
        "why-3": [("run-3", "gradient(loss,", "gradient(y,")],
        "why-5": [("run-5", "Dense(2", "Dense(5")],
    },
    "03": {
        "check-1-text": [
            ("run-1", 'x2 = mg.Variable(2.0, name="x2") + 1.0\n', ""),
            ("run-1", "tape:\n", 'tape:\n    x2 = mg.Variable(2.0, name="x2") + 1.0\n'),
            r"\[.*'x2:0'.*\]",
        ],
        "check-2-text": [("run-2-int", "mg.constant(10)", "mg.constant(10.0)")],
        "why-3": [("run-3", "tape.watch(x1)", "tape.watch([x0, x1])"), r"dx0: mg\.Tensor\(1\.0"],
        "why-4": [("run-4", "b * c * a", "b * c"), r"^\['second:0', 'third:0'\]$"],
        "why-5": [("run-5", "    square = c * c\n    tape.watch(c)\n", "    tape.watch(c)\n    square = c * c\n")],
    },
    "04": {
        "why-1": [("run-1", "tape.gradient(z, y)", "tape.gradient(z, x * x)")],
        "check-2-text": [("run-2-many", re.compile(r"\{.*", re.DOTALL), "[damage, wind])\nprint(slopes)")],
        "check-3-text": [("run-3-two", "persistent=True", "")],
        "why-4": [("run-4", "    del tape\n", ""), ("run-4-table",), r"del tape +once 2 MB +persistent 9 MB"],
    },
    "05": {
        "check-1-text": [("run-1-dict", '{"y0": a, "y1": b}', "a")],
        "check-2-text": [("run-2", "mg.constant(seed)", "seed")],
        "why-3": [("run-3", "sigmoid", "softmax"), r"\[ ?-?0\.( +-?0\.){4}\], shape=\(5,\), dtype=float32\)$"],
        "why-4": [("run-desk", "2.0, 0.0", "2.0, 5.0"), ("run-4",)],
        "check-4-text": [("run-4-shapes", "mg.reduce_sum(x)", "mg.reduce_sum(y)"), r"\[2\. 4\. 6\.\]"],
        "why-5": [("run-5", "[3.0, 4.0]", "[5.0, 6.0]")],
        "check-5-text": [("run-5-norm", "training=True", "training=False"), r"(.*1\.000 .*1\.000\n){3}.* 0\.000$"],
        "section-6-signs": [("run-6", "[[1.0, 2.0, 3.0]]", "[[-1.0, -2.0, -3.0]]"), ("run-6-alive",)],
        "why-6-rows": [
            ("run-6-alive", "relu(x @ k1)", "elu(x @ k1)"),
            ("run-6-alive", "relu(h2 @ k2)", "elu(h2 @ k2)"),
            ("run-6-table",),
            r"zeros: 0\n",
        ],
    },
    "06": {
        "check-1-text": [("run-1-other", "result = v1 ** 2", "result = x * v1 ** 2")],
        "why-2": [("run-ball", "mg.Variable(0.8", "mg.Variable(0.9"), ("run-2",)],
        "inspect-2-text": [("explain", "mg.Variable(5.0", "mg.Variable(9.0"), ("inspect-2",), "1 kept, 2 ghosts"],
        "check-3-text": [("run-3-first", "mg.constant(2.0)", "mg.constant(3.0)"), ("run-3-second",)],
        "why-4": [
            ("run-4", "10.0 * mg.sigmoid(k * (x - gate))", "mg.where(x > gate, 10.0, 0.0)"),
            ("run-4", "gate):.2f}", "gate)}"),
        ],
    },
    "07": {
        "check-1-text": [("run-shower", "np.sqrt", "mg.sqrt")],
        "why-2-door": [("run-2", "np.mean(squares", "mg.reduce_mean(squares"), ("explain-2",)],
        "why-3": [("run-3", "\ntotal =", "\n    total =")],
        "check-4-text": [("run-4", "    x1.assign_add(x0)\n    y = x1 ** 2", "    new_x1 = x1 + x0\n    y = new_x1 ** 2")],
        "why-5": [("run-5", "x = x + 1", "x.assign_add(1)")],
        "check-6-text": [
            ("explain-6", "mg.cast(scores > 0.5, mg.float32)", "mg.sigmoid(10.0 * (scores - 0.5))"),
            ("explain-6", "\ntape.gradient(count, scores)", "\nprint(tape.gradient(count, scores))"),
        ],
        "check-7-task": [("run-7", "[[2, 2], [2, 2]]", "[[2.0, 2.0], [2.0, 2.0]]"), r"(.*\n\[\[1\. 1\.\]\n \[1\. 1\.\]\].*\n){2}"],
        "why-8": [("run-8-shower", '"zero"', '"none"')],
    },
    "08": {
        "why-1": [("run-1", "mg.Variable(3.0", "mg.Variable(5.0"), ("run-1", "x.numpy()", "x")],
        "why-3": [("run-3", "    square = c * c\n    tape.watch(c)\n", "    tape.watch(c)\n    square = c * c\n")],
        "why-4": [("run-4", "second =", "with mg.GradientTape() as tape:\n    y = x * x\nsecond =")],
        "why-5": [("run-5", "mg.math.log(z)", "mg.math.log(mg.where(z > 0.0, z, 1.0))")],
        "why-6": [("run-6", "relu, 0.0", "relu, 0.5"), ("run-6", "0.0), 0.0", "0.0), 0.5")],
        "foot": [("new", "", "round(roll(height, start=2.0)[-1][0], 2)")],
    },
    "09": {
        "why-1": [("run-1", "    before = v * v\n    v.assign(10.0)\n", "    v.assign(10.0)\n    before = v * v\n")],
        "why-2": [("run-2", "account.assign_add(amount)", "account + amount")],
        "check-3-text": [("run-3-fixed", "x.assign_add(1)", "x += 1")],
        "why-4": [("run-4", "x * mg.stop_gradient(x)", "mg.stop_gradient(x * x)")],
        "why-5": [("run-5", "    tape.reset()\n    z += y * y\n", "    z += y * y\n    tape.reset()\n"), "{'x': None, 'y': None}"],
    },
    "10": {
        "check-1-text": [("run-1-again", "* delta + mean\n", "* delta + mean\n    out = out ** 2\n")],
        "check-2-text": [("run-2",)],
        "why-3": [("run-3", 'print(f"{f.__name__:8}", ', 'print(f"{f.__name__:8}", y, ')],
        "check-4-text": [("run-4", "dy: 3.0", "dy: dy * 3.0"), ("run-4-check",), ("inspect-4",)],
        "why-5": [("run-5", "mg.grad_pass_through(mg.round)(x)", "mg.round(x)")],
    },
    "11": {
        "why-1": [("run-1", "0.05", "0.3")],
        "why-2": [("run-2-train", "0.05", "0.005")],
        "explain-3-why": [("run-3", "0.7", "0.1"), r"^(?!(.*\n)*.* 0\.00\n)"],
        "why-4": [
            ("run-4", "    h1 = np.clip(h1, 0.0, 6.0)\n", ""),
            ("run-4", "w2 + b2)\n", "w2 + b2)\n    h2 = np.clip(h2, 0.0, 6.0)\n"),
        ],
        "inspect-4-text": [("run-4", "np.clip", "mg.clip_by_value"), ("strict",), r"\n 300.*0\.0[1-9] +\S+ +\S+\n$"],
        "why-5": [("run-5", 'mg.Variable(1.0, name="w")', 'mg.Variable(1.0, trainable=False, name="w")'), r"trainable \['dk:0', 'l0:0'\]"],
        "check-5-text": [("run-5-moons", "new_weights()", "new_weights(width=4)")],
    },
    "12": {
        "why-1": [("run-1", "x ** 3", "x ** 4"), ("inspect-1",)],
        "check-1-text": [("run-1", re.compile(r"x \*\* \d"), "3.0 * x"), ("new", "", "print(outer.explain(d, x))"), "linear"],
        "check-2-text": [("run-2-line", "[3]", "[0]"), r"\[ 2\. -1\.(  0\.){7}\]"],
        "why-3": [("run-3", "mg.sin(x) * mg", "mg.sin(x) + mg")],
        "check-3-text": [("run-3-hvp", re.compile(r"v = .*"), "v = mg.ones(9)"), r"\[1\.( 0\.){7} 1\.\]"],
        "why-4-step": [("run-4", "[1.0, 2.0]", "[0.1, 0.1]")],
        "why-4": [("run-4-line", "mg.zeros(9)", "5.0 * mg.ones(9)")],
        "why-5": [("run-5", "mg.nn.elu(x @ w + b) ** 2", "x @ w + b")],
    },
    "13": {
        "why-1": [("run-1", "10.0 * z", "2.0 * z")],
        "section-1-rule": [("run-1", re.compile(r"\S+ \* z"), "10.0 * z"), ("run-1", "x * y", "x + y"), r"\[(\S+), \1\]"],
        "why-2": [("run-2", "axis=1", "axis=0"), ("run-2", "[10.0, 20.0]", "[10.0, 20.0, 30.0]")],
        "section-2-rule": [
            ("run-2", re.compile(r"s = .*"), "s = mg.reduce_mean(x, axis=1)"),
            ("run-2", re.compile(r"(?<=constant\()\[.*\]"), "[10.0, 20.0]"),
            r"\[\[3\.333 3\.333 3\.333\]\n \[6\.667 6\.667 6\.667\]\]",
        ],
        "why-3": [("run-3", "[0.5, -0.5]", "[[0.5], [0.0], [-0.5]]"), r"\[\[2\.\]\n \[2\.\]\n \[2\.\]\]"],
        "check-3-text": [("run-3-moves", "mg.roll(x, 1, 0)", "mg.roll(x, 2, 0)"), r"roll +mg\.Tensor\(\[3\. 1\. 2\.\]"],
        "why-4": [("run-4", "(2, 4)", "(2, 2)"), ("run-4", "(2, 3)", "(2, 2)"), ("run-4", "(3, 4)", "(2, 2)")],
        "why-5-entry": [("run-5-steps", "[dy, dy]", "[3.0 * dy, 9.0 * dy]"), ("run-5-entry",)],
        "why-5": [("run-5", "y + x", "y * x"), ("inspect-5",)],
        "source-text": [("engine-walk", "fit(sent, one.array.shape)", "sent"), ("compare",)],
        "source-why": [("source", "multiply", "add"), r"write\(.*\(\).*\n(.*\n)?.*write\(.*\(\)"],
    },
    "14": {
        "alibi-1": [("scene-1", "gradient(mean,", "gradient(price,")],
        "alibi-2": [("scene-2", "gradient(slope, v)", "gradient(w, v)")],
        "alibi-3": [("scene-3", "-1.0, ", "")],
        "alibi-4": [("scene-4", "add(0.5)", "add(50.0)"), ("scene-4", "sub(0.5)", "sub(50.0)")],
        "alibi-5": [("scene-5", "2.0 * x + 3.0", "mg.sin(x)")],
        "foot": [("scene-5", "tape:\n", "tape:\n    tape.watch(x)\n"), ("inspect-answer",), "2 kept, 0 ghosts"],
    },
    "15": {
        "why-1": [("run-1", "2.0 * errors / 8.0", "errors")],
        "why-2": [("run-2", "0.5,", "-0.5,")],
        "why-3": [("run-by-hand", "(1.0 - h)", "(1.0 - h * h)"), ("run-3",), r"^dW1 agrees\ndb1 agrees\ndW2 agrees\ndb2 agrees$"],
        "why-4": [("run-4", "return tape", "return loss, tape"), r"^    loss = .*\n    # backward pass"],
        "why-5": [("run-5", "[[0.5], [-0.5]]", "0.5"), r"\.sum\(\)\n"],
        "why-second": [("run-second", "mg.sin(t)", "t * t * t"), r"= .*t \+ t$"],
        "section-7-change": [("run-7", "2.0, 3.0)])", "2.0, 3.0)])\narea(mg.constant([1.0, 2.0]))"), r"traced with .*shape=\(2,\)"],
        "section-8-change": [("run-8-kept", "1.5, ", ""), ("run-8-kept", ", 1.2", "")],
        "why-9": [("run-9", "3.0, 2.0]", "3.0, 2.0, 4.0]")],
    },
    "16": {
        "why-1": [("explain-1", "loss, warm))", "loss, w))")],
        "why-3": [("explain-3", "loss, warm))", "loss, warm))\nprint(type(warm))"), r"Tensor'>$"],
        "why-4": [("run-4", "rate=0.1", "rate=0.01")],
        "why-5": [("inspect-5", "warm)[:4]", "warm)[:4, 0]"), r"difference \(4,\)$"],
        "why-6": [("run-6", "follow(5)", "curve = train(steps=2000)[0]\nprint(curve[-1])")],
        "filled-why": [("run-8", "weights = train()", "weights = train(steps=1000)"), ("run-filled",)],
        "why-9": [
            ("run-9", "kernel_initializer=drawn, bias_initializer=drawn, ", ""),
            ("inspect-plain",),
            r"live layer_1/kernel \[-?0\.00",
        ],
    },
}
