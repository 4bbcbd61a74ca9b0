"""Does what a scenario showed, printed and logged agree with what is recorded of TensorFlow? And where may it differ?"""

import math
import re

ACCEPTED = {  # (scenario, what differs): why
    ("sem.twice", "watch outside"): "TensorFlow's message is an accident; the class is the same",
    ("sem.inside", "logged"): "the same advice in other words",
    ("sem.reads", "type item"): "what `v[0]` gives can be assigned to, so it is a Tensor of a kind of its own",
    ("sem.trainable", "initialized_value"): "a name from TensorFlow's graphs, which is not there",
    ("sem.dtype_errors", "matmul rank1"): "TensorFlow's words depend on the processor; these are its words on others",
    ("sem.python_protocol", "setattr"): "Tensors are small: they take no attributes",
    ("sem.custom_gradient", "recompute"): "the class of what it gives has another name",
    ("sem.registry", "one-shot second"): "the tape is used up, whereas TensorFlow's is broken",
    ("sem.edges", "cumprod zero"): "TensorFlow's derivative is wrong where a factor is 0",
    ("corners.arrays", "mg.bitcast(mg.constant([1, 2, 3], mg.uint8), mg.int32)"): "TensorFlow says its numbers of the dtypes, ours their names",
    ("corners.arrays", "logged"): "TensorFlow warns of what its own Jacobian does inside",
    ("corners.math", "logged"): "TensorFlow warns of what its own derivative of a complex sign does inside",
    ("corners.numbers", "logged"): "TensorFlow warns of what its own derivative of a complex magnitude does inside",
    ("corners.nn", "mg.nn.softmax(1.0)"): "TensorFlow's words depend on the processor; these are its words on others",
    ("corners.parts", "mg.TensorShape([2, 3]).dims"): "the lengths are plain ints",
    ("corners.arrays", "mg.constant([[1.0]])[0, True]"): "a truth value is no place, alone or beside others",
} | dict.fromkeys([
    ("corners.arrays", "mg.broadcast_to([1.0], [2.0])"),
    ("corners.arrays", "mg.zeros([[1]])"),
    ("corners.arrays", "mg.concat([[1.0], [2.0]], mg.constant([0, 0]))"),
    ("corners.arrays", "mg.tile([1.0], [[2]])"),
    ("corners.arrays", "mg.tile([1.0], 2)"),
    ("corners.arrays", "mg.pad([1.0], [[1]])"),
    ("corners.arrays", "mg.reshape([1.0], mg.constant([1], mg.int8))"),
    ("corners.arrays", "mg.reshape([1.0], [1.0])"),
    ("corners.arrays", "mg.reshape([1.0], [[1]])"),
    ("corners.arrays", "mg.expand_dims([1.0], mg.constant([0, 0]))"),
], "the same class in other words: attributes are looked at before their op, and alike for all ops") | dict.fromkeys([
    (
        "corners.keras",
        'setattr(mg.keras.optimizers.SGD(mg.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)), "learning_rate", 0.1)',
    ),
    ("corners.linalg", "slopes(lambda x: mg.linalg.svd(x, full_matrices=True)[1], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 9.0]])"),
    ("corners.math", "mg.math.logical_and(mg.constant([1.0]), [True])"),
    ("corners.math", "mg.scalar_mul(mg.constant(2.0, mg.float64), mg.constant([1.0]))"),
    ("corners.parts", "mg.debugging.assert_near(1, mg.constant(1.5))"),
], "the same refusal in other words: TensorFlow's tell of its own machinery") | dict.fromkeys([
    ("corners.arrays", 'mg.sort([1.0, np.nan, 0.0], direction="DESCENDING")'),
    ("corners.math", "mg.math.top_k([1.0, np.nan, 3.0], 2)"),
    ("corners.math", "mg.math.top_k([np.nan, 1.0, np.nan, 3.0], 4)"),
    ("corners.math", "mg.math.top_k([np.inf, np.nan, -np.inf], 3)"),
], "nan has no order: TensorFlow leaves it where its sorting happens to, minigrad puts it at one end") | dict.fromkeys([
    ("corners.arrays", "slopes(lambda v: mg.gather(v + 1.0, [0]), [[1.0, 2.0], [3.0, 4.0]])"),
    ("corners.arrays", "slopes(lambda v: mg.gather(mg.concat([v, v], 0), [0, 3]), [[1.0, 2.0], [3.0, 4.0]])"),
    ("corners.arrays", "mg.identity(mg.IndexedSlices(mg.constant([[1.0], [2.0]]), mg.constant([0, 2]), mg.constant([3, 1])))"),
    ("corners.arrays", "mg.stop_gradient(mg.IndexedSlices(mg.constant([[1.0], [2.0]]), mg.constant([0, 2]), mg.constant([3, 1])))"),
], "the same numbers, made whole: TensorFlow keeps rows here, to save memory") | dict.fromkeys([
    ("corners.math", "mg.multiply([1, 2], mg.Variable([2.0, 3.0]))"),
    ("corners.arrays", "mg.where([True, False], 0, mg.Variable([2.0, 3.0]))"),
    ("corners.arrays", "mg.concat([[1, 2], mg.Variable([2.0, 3.0])], 0)"),
], "a literal takes the dtype of the Variable that it meets, also where it comes first, as it does in operators") | dict.fromkeys([
    ("corners.math", "slopes(mg.math.is_nan, [1.0, 2.0])"),
    ("corners.math", "slopes(mg.argsort, [3.0, 1.0])"),
], "what is no float has no slope: its gradient is None, and no error or zero")  # fmt: skip

LAST_DIGITS = 5e-6
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?!\w)")
OUR_NAMES = {
    r"\btf\.": "mg.",
    r"WARNING:tensorflow:": "WARNING:minigrad:",
    r"tensorflow\.python\.framework\.ops\.": "",
    r"minigrad\.Tensor": "Tensor",
    r"EagerTensor": "Tensor",
    r"ResourceVariable": "Variable",
    r"_UnreadVariable": "UnreadVariable",
    r"'Tensor' object": "Tensor object",
}


def in_our_names(text):
    for theirs, ours in OUR_NAMES.items():
        text = re.sub(theirs, ours, text)
    return text


def agree(here, there):
    here, there = in_our_names(here), in_our_names(there)
    if ", ...," in here:  # a long array, to whose repr newer NumPys add the shape
        here, there = ("".join(re.sub(r",\s*shape=\([\d, ]+\)(?=[,)])", "", text).split()) for text in (here, there))
    if there.startswith("raises "):
        kind, _, message = there.partition(": ")
        return here.startswith(f"{kind}:") and all(phrase in " ".join(here.split()) for phrase in key_phrases(message))
    return here == there or differ_in_last_digits(here, there)


def key_phrases(message):
    """What happened, and which op says so. Lists of dtypes, files and places in TensorFlow's own machinery are left out."""
    what = re.split(r"allowed values|Previous registration|Expected one of|, KernelDef|\n| \[Op:", re.sub(r"\{\{.*?\}\} ", "", message))[0]
    return [" ".join(what.split()), *re.findall(r"\[Op:\w+\]", message)]


def differ_in_last_digits(here, there):
    """Other numbers may be wider, so blanks do not count then."""
    ours, theirs = NUMBER.findall(here), NUMBER.findall(there)
    return (
        ours != theirs
        and len(ours) == len(theirs)
        and all(math.isclose(float(a), float(b), rel_tol=LAST_DIGITS) for a, b in zip(ours, theirs, strict=True))
        and "".join(NUMBER.sub("#", here).split()) == "".join(NUMBER.sub("#", there).split())
    )


def differences(found, expected):
    """What was shown, printed or logged, here and in TensorFlow, wherever the two do not agree."""
    names = [*expected["values"], *(name for name in found["values"] if name not in expected["values"])]
    pairs = {name: (found["values"].get(name, "nothing"), expected["values"].get(name, "nothing")) for name in names}
    pairs |= {part: ("\n".join(found[part]), "\n".join(expected[part])) for part in ("printed", "logged")}
    return {name: pair for name, pair in pairs.items() if not agree(*pair)}


def told(differing):
    return "".join(f"\n{name}\n  here:       {here}\n  TensorFlow: {there}\n" for name, (here, there) in differing.items())
