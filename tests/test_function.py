"""`mg.function`: what was traced gives what the function gives as Python, call for call."""

import copy
import functools
import gc
import linecache
import math
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import minigrad as mg
from minigrad import nest

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def traced():
    yield
    mg.config.run_functions_eagerly(False)


def numbers(results):
    return [x if x is None else np.asarray(x.numpy()).tolist() for x in nest.flatten(results)]


def both_ways(make, *calls):
    """What a function gives, traced and as Python, call for call; each time it is made anew."""
    found = []
    for eagerly in (False, True):
        mg.config.run_functions_eagerly(eagerly)
        function = mg.function(make())
        found.append([numbers(function(*args, **kwargs)) for args, kwargs in calls])
    return found


def given(*args, **kwargs):
    def tensor(x):
        return mg.constant(x) if isinstance(x, (float, list)) else x

    return [*map(tensor, args)], {name: tensor(x) for name, x in kwargs.items()}


def assigning_a_constant():
    v = mg.Variable([0.0, 0.0])

    def function(x):
        v.assign([1.0, 2.0])
        v.assign_add(x)
        return v

    return function


def growing():
    v = mg.Variable([1.0], shape=mg.TensorShape([None]))

    def function(x):
        v.assign(mg.concat([v, x], 0))
        return mg.reduce_mean(v), mg.size(v)

    return function


def embedding():
    table, optimizer = mg.Variable(np.arange(8.0).reshape(4, 2)), mg.keras.optimizers.Adam(0.1)

    def function(rows):
        with mg.GradientTape() as tape:
            y = mg.reduce_sum(mg.gather(table, mg.cast(rows, mg.int32)) ** 2)
        optimizer.apply_gradients([(tape.gradient(y, table), table)])
        return y, table

    return function


def slopes(x, y):
    with mg.GradientTape() as tape:
        tape.watch([x, y])
        z = x * x * y
    return tape.gradient(z, [x, y])


def decided(x):
    return mg.zeros([int(x)]) + (1.0 if x else 2.0)


ROWS = [given([0.0, 1.0]), given([1.0, 1.0]), given([3.0, 1.0])]
PROGRAMS = {
    "a Variable is assigned before it is read": (assigning_a_constant, [given([1.0, 1.0])] * 3),
    "a Variable's shape changes": (growing, [given([1.0]), given([5.0]), given([2.0])]),
    "keyword arguments have names": (
        lambda: lambda x, **kw: x * kw["a"] if "a" in kw else x + kw["b"], [given(3.0, a=2.0), given(3.0, b=2.0)]),
    "keyword arguments come in any order": (
        lambda: lambda **kw: kw["a"] - kw["b"], [given(a=5.0, b=1.0), given(b=1.0, a=5.0)]),
    "dicts come in any order": (
        lambda: lambda d: d["a"] - d["b"],
        [([{"a": mg.constant(5.0), "b": mg.constant(1.0)}], {}), ([{"b": mg.constant(1.0), "a": mg.constant(5.0)}], {})]),
    "a number decides twice": (lambda: decided, [given(1.0), given(2.0), given(0.0), given(3.0), given(1.0)]),
    "minus zero is another number": (
        lambda: lambda x: mg.constant(1.0) / float(x), [given(0.0), given(-0.0), given(0.0)]),
    "how many there are decides": (
        lambda: lambda x: x * int(mg.math.count_nonzero(x)), [given([1.0, 0.0]), given([1.0, 2.0])]),
    "a list of Tensors is a shape": (
        lambda: lambda x: mg.zeros([mg.cast(x, mg.int32), 2]), [given(1.0), given(2.0), given(1.0)]),
    "rows of a table get gradients": (embedding, ROWS),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_traced_function_gives_what_python_gives(name):
    make, calls = PROGRAMS[name]
    traced, python = both_ways(make, *calls)
    np.testing.assert_equal(traced, python)


@pytest.mark.parametrize("rows", [mg.data.Dataset.range(9).shuffle(3, seed=1), mg.data.Dataset.from_tensors([1.0, 2.0]).repeat(9)])
def test_each_call_takes_the_next_element(rows):
    elements, expected = iter(rows), [element.numpy().tolist() for element in rows]
    first = mg.function(lambda: next(elements))
    assert [first().numpy().tolist() for _ in range(4)] == expected[:4]
    assert len(list(elements)) == 9 - 4


def test_a_number_that_is_none_is_one_outcome():
    scaled = mg.function(lambda x: x * float(x))
    assert all(math.isnan(scaled(mg.constant(math.nan)).numpy()) for _ in range(3))
    assert scaled.experimental_get_tracing_count() == 1


def test_each_argument_has_a_gradient_of_its_own():
    """As in TensorFlow, where an argument is a placeholder: the next call may give two Tensors."""
    traced, x = mg.function(slopes), mg.constant(2.0)
    assert numbers(traced(x, x)) == [8.0, 4.0]
    assert numbers(traced(x, mg.constant(3.0))) == [12.0, 4.0]


def test_strings_are_traced():
    traced = []

    @mg.function
    def doubled(s):
        traced.append(s)
        return mg.strings.join([s, s], "-"), mg.strings.length(s), s + "x"

    assert numbers(doubled(mg.constant("a"))) == [b"a-a", 1, b"ax"]
    assert numbers(doubled(mg.constant("bb"))) == [b"bb-bb", 2, b"bbx"]
    assert len(traced) == 1


def test_a_generator_draws_anew_at_each_call():
    generator = mg.random.Generator.from_seed(1)
    draw = mg.function(lambda: generator.normal([3]))
    assert numbers(draw()) != numbers(draw())


def test_a_way_that_is_not_taken_prints_nothing(capsys):
    @mg.function
    def told(x):
        mg.print("x is", {"x": x}, output_stream=sys.stdout)
        if x > 1:
            mg.print("large", output_stream=sys.stdout)

    for x in (1.0, 2.0, 1.0):
        told(mg.constant(x))
    assert capsys.readouterr().out.splitlines() == ["x is {'x': 1}", "x is {'x': 2}", "large", "x is {'x': 1}"]


def test_an_error_changes_nothing_and_is_that_of_python():
    v = mg.Variable(0.0)

    @mg.function
    def picked(x, place):
        y = mg.gather(x, place)
        v.assign_add(y)
        return y

    picked(mg.constant([1.0, 2.0]), mg.constant(1))
    with pytest.raises(mg.errors.InvalidArgumentError, match=r"indices\S* = 5 is not in"):
        picked(mg.constant([1.0, 2.0]), mg.constant(5))
    assert v.numpy() == 2.0


def test_threads_call_one_function_at_once():
    v, found = mg.Variable(1.0), {}

    @mg.function
    def rounds(x):
        for _ in range(50):
            x = mg.sin(x) + v
        return x

    def work(k):
        found[k] = {tuple(numbers(rounds(mg.constant([float(k)])))[0]) for _ in range(50)}

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(found[k]) for k in range(4)] == [1] * 4


def run_beside(function, *args):
    """What a function gives in a thread of its own, which is waited for."""
    found = []
    thread = threading.Thread(target=lambda: found.append(function(*args)), daemon=True)
    thread.start()
    thread.join(30)
    assert found, "the thread hangs"
    return found[0]


def test_what_a_trace_makes_of_a_variable_no_other_thread_sees():
    v, seen = mg.Variable([1.0, 2.0]), []

    def read():
        with mg.GradientTape() as tape:
            y = mg.reduce_sum(v * v)
        return numbers([v, v + 1, y, tape.gradient(y, v)]), repr(v), v.version

    @mg.function
    def step(x):
        v.assign_add(x)
        seen.append(run_beside(read))
        v.assign(v * 2)
        seen.append(run_beside(read))
        return v + x

    before = read()
    assert numbers(step(mg.constant([1.0, 1.0]))) == [[5.0, 7.0]]
    assert seen == [before, before] and numbers(v) == [[4.0, 6.0]]


def test_what_another_thread_assigns_during_a_trace_is_not_lost():
    v, w = mg.Variable(1.0), mg.Variable(1.0)

    @mg.function
    def step(x):
        y = v + w.assign_add(x)
        run_beside(lambda: (v.assign(10.0), w.assign(20.0)))
        return y

    assert [step(mg.constant(1.0)).numpy(), v.numpy(), w.numpy()] == [31.0, 10.0, 21.0]
    assert [step(mg.constant(1.0)).numpy(), v.numpy(), w.numpy()] == [32.0, 10.0, 22.0]


def test_two_threads_trace_functions_of_one_variable_at_once():
    v, together = mg.Variable(2.0), threading.Barrier(2, timeout=20)

    def traced(factor):
        @mg.function
        def step(x):
            together.wait()
            v.assign_add(x * factor)
            together.wait()
            y = v * x
            together.wait()
            return y

        return step

    steps, found = [traced(1.0), traced(10.0)], {}
    threads = [threading.Thread(target=lambda k=k: found.update({k: steps[k](mg.constant(1.0))})) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    results = sorted(float(found[k]) for k in range(2))
    assert results in ([3.0, 12.0], [3.0, 13.0], [12.0, 13.0])  # as they would be without a trace


@pytest.mark.parametrize("which", ["another", "the same"])
def test_a_traced_function_waits_for_a_thread_that_calls_a_traced_function(which):
    v = mg.Variable(3.0)

    @mg.function
    def other(x):
        return x * v

    @mg.function
    def outer(x, called=None):
        return x + run_beside(called, mg.constant(2.0)).numpy() if called else x * v

    called = {"another": other, "the same": outer}[which]
    assert [outer(mg.constant(x), called).numpy() for x in (1.0, 2.0)] == [7.0, 8.0]


def test_threads_that_come_first_at_once_trace_once_and_make_one_variable():
    kept, traced, start = [], [], threading.Barrier(8, timeout=20)

    @mg.function
    def count(x):
        traced.append(x)
        if not kept:
            time.sleep(0.05)  # the others wait by now
            kept.append(mg.Variable(0.0))
        return kept[0].assign_add(x)

    def work():
        start.wait()
        for _ in range(20):
            count(mg.constant(1.0))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(kept) == 1 and len(traced) == 2 and kept[0].numpy() == 160.0


def test_a_part_of_a_variable_that_was_not_read_is_assigned_in_each_call():
    v = mg.Variable([1.0, 2.0])

    @mg.function
    def step():
        v.scatter_add(mg.IndexedSlices(mg.constant([1.0]), mg.constant([0])))

    for _ in range(3):
        step()
    assert v.numpy().tolist() == [4.0, 2.0]


def test_a_variable_of_open_shape_grows_twice_in_one_call():
    def make():
        v = mg.Variable([1.0], shape=mg.TensorShape([None]))

        def grow(x):
            v.assign(mg.concat([v, x], 0))
            v.assign_add(mg.ones_like(v))
            return v + 0

        return grow

    traced, eager = both_ways(make, given([1.0]), given([2.0]), given([3.0]))
    assert traced == eager


def test_a_traced_method_keeps_no_instance():
    class Model:
        def __init__(self):
            self.weight = mg.Variable(2.0)

        @mg.function
        def __call__(self, x):
            return self.weight * x

    models = [Model() for _ in range(3)]
    assert [model(mg.constant(3.0)).numpy() for model in models] == [6.0] * 3
    kept = [weakref.ref(model) for model in models]
    del models
    gc.collect()
    assert [one() for one in kept] == [None] * 3


def test_a_concrete_function_tells_what_was_traced_as_tensorflow_does(capsys):
    @mg.function
    def power(x, n=2, *, flag=True):
        print("traced")
        return x**n, {"a": x + 1.0}

    concrete = power.get_concrete_function(mg.constant([1.0, 2.0]))
    spec = "TensorSpec(shape=(2,), dtype=mg.float32, name=None)"
    assert str(concrete).splitlines() == [
        "ConcreteFunction Input Parameters:",
        f"  x (POSITIONAL_OR_KEYWORD): {spec}",
        "  n (POSITIONAL_OR_KEYWORD): Literal[2]",
        "  flag (KEYWORD_ONLY): Literal[True]",
        "Output Type:",
        f"  Tuple[{spec}, Dict[['a', {spec}]]]",
        "Captures:",
        "  None",
    ]
    assert concrete.function_type == f"(x: {spec}, n: Literal[2], *, flag: Literal[True]) -> Tuple[{spec}, Dict[['a', {spec}]]]"
    named = spec.replace("None", "'x'")
    assert repr(concrete.structured_input_signature) == f"(({named}, 2), {{'flag': True}})"
    assert repr(concrete.structured_outputs) == f"({spec}, {{'a': {spec}}})"
    assert concrete(mg.constant([3.0, 4.0]))[0].numpy().tolist() == [9.0, 16.0]
    power(mg.constant([5.0, 6.0]))
    assert capsys.readouterr().out == "traced\n" and power.experimental_get_tracing_count() == 1
    power(mg.constant(1.0), 3)
    assert power.experimental_get_tracing_count() == 2
    assert power.pretty_printed_concrete_signatures().count("Input Parameters:") == 2
    assert "Literal[3]" in power.pretty_printed_concrete_signatures().split("\n\n")[1]


def test_the_source_of_a_concrete_function_is_what_is_written():
    triple = mg.function(lambda x: mg.sin(x) * 3.0)
    assert triple.get_concrete_function(mg.TensorSpec([2])).source == "def function(x):\n    return np.sin(x) * 3.0\n"
    with pytest.raises(ValueError, match="with a Tensor"):
        _ = triple.get_concrete_function(mg.TensorSpec([None])).source


@pytest.mark.parametrize(
    ("dtype", "shape", "by_blas"),
    [
        ("float32", [2, 2], True),
        ("float64", [2, 2], True),
        ("float16", [2, 2], False),
        ("int32", [2, 2], False),
        ("float32", [3, 2, 2], False),
    ],
)
def test_a_product_of_matrices_that_blas_computes_is_a_call_of_dot(dtype, shape, by_blas):
    square = mg.function(lambda x: mg.matmul(x, x))
    square(mg.ones(shape, dtype))
    file = [one for one in linecache.cache if one.startswith("<compiled")][-1]
    assert (".dot(" in "".join(linecache.getlines(file))) == by_blas


def test_no_array_of_the_run_that_was_traced_is_kept():
    inside = []

    @mg.function
    def big(x):
        y = x * 2.0
        inside.append(weakref.ref(y.value.node.value))
        return {"sum": mg.reduce_sum(y)}

    assert float(big(mg.ones([1000]))["sum"]) == 2000.0 == float(big(mg.ones([1000]))["sum"])
    gc.collect()
    assert [one() for one in inside] == [None]


@pytest.mark.parametrize("start", [1.0, [1.0, 2.0]])
def test_a_tensor_that_leaked_has_no_numbers_and_is_out_of_scope(start):
    leaked = []

    @mg.function
    def leaky(a):
        leaked.extend([a + 1.0, a + 2.0, a + 3.0])
        return a

    leaky(mg.constant(start))
    with pytest.raises(AttributeError, match="'SymbolicTensor' object has no attribute 'numpy'"):
        leaked[0].numpy()
    with pytest.raises(TypeError, match=r"<mg\.Tensor 'add:0' shape=\S+ dtype=float32> is out of scope"):
        leaked[0] + 1.0
    for one, name in zip(leaked, ("add", "add_1", "add_2"), strict=True):
        with pytest.raises(TypeError, match=rf"<mg\.Tensor '{name}:0' shape"):
            one * 2.0
    with pytest.raises(TypeError, match="out of scope"):
        mg.function(lambda b: b + leaked[0])(mg.constant(start))


def test_what_is_in_an_init_scope_happens_once():
    v, seen = mg.Variable(1), []

    @mg.function
    def scaled(x):
        y = v * x
        seen.append(mg.executing_eagerly())
        with mg.init_scope():
            v.assign_add(10)
            seen.append((mg.executing_eagerly(), int(v)))
        return y, v * 1

    assert numbers(scaled(mg.constant(2))) == [22, 11]
    assert numbers(scaled(mg.constant(3))) == [33, 11]
    assert seen == [False, (True, 11)]
    assert mg.executing_eagerly()


def test_a_concrete_function_is_called_without_what_is_bound():
    v, optimizer = mg.Variable(2.0), mg.keras.optimizers.SGD(0.5)

    def step(v, x, optimizer):
        optimizer.apply_gradients([(x, v)])

    concrete = mg.function(step).get_concrete_function(v, mg.constant(1.0), optimizer)
    concrete(v, mg.constant(1.0))
    concrete(mg.constant(2.0))
    assert v.numpy() == 0.5


def test_a_spec_of_strings_stands_for_strings():
    doubled = mg.function(lambda s: s + s).get_concrete_function(mg.TensorSpec([None], mg.string))
    assert numbers(doubled(mg.constant(["a", "b"]))) == [[b"aa", b"bb"]]
    twice = mg.function(lambda s: s + s).get_concrete_function(mg.TensorSpec([], mg.string))
    assert numbers(twice(mg.constant("a"))) == [b"aa"]


def test_a_python_function_is_decorated_as_an_op():
    @mg.py_function(Tout=mg.float32)
    def plus(x, y):
        return x.numpy() + y.numpy()

    assert numbers(mg.function(lambda x: plus(x, x) * 2.0)(mg.constant(1.0))) == [4.0]
    assert plus.__name__ == "plus"


def test_an_op_has_its_name_in_a_graph(capsys):
    @mg.function
    def told(x):
        y = x + 1.0
        print(y, y + 2.0, y * x, mg.tanh(x))

    told(mg.constant(1.0))
    names = [line.split(":")[0] for line in capsys.readouterr().out.split('Tensor("')[1:]]
    assert names == ["add", "add_1", "mul", "Tanh"]


def test_a_variable_that_is_read_is_a_capture():
    v = mg.Variable([1.0, 2.0])
    text = str(mg.function(lambda x: x * v).get_concrete_function(mg.constant(1.0)))
    assert text.endswith(f"Captures:\n  {v.id}: TensorSpec(shape=(), dtype=mg.resource, name=None)")


def test_an_object_that_is_called_and_a_partial_function_are_traced():
    class Plus:
        def __call__(self, x):
            return x + 1.0

    traced = mg.function(Plus())
    assert numbers([traced(mg.constant(1.0)), traced.get_concrete_function(mg.constant(1.0))(mg.constant(5.0))]) == [2.0, 6.0]
    assert numbers(mg.function(functools.partial(lambda x, y: x - y, y=5.0))(mg.constant(1.0))) == [-4.0]


def test_eagerly_a_function_returns_what_python_returns():
    mg.config.run_functions_eagerly(True)
    assert mg.function(lambda x: int(x) + 1)(mg.constant(1)) == 2
    assert isinstance(mg.function(lambda: 2)(), int)
    assert isinstance(mg.function(lambda: 2).get_concrete_function()(), mg.Tensor)


def test_a_list_that_is_given_is_not_changed():
    @mg.function
    def adding(values, x):
        values.append(x)
        return x

    with pytest.raises(ValueError, match=r"adding\(values, x\) should not modify .* were modified: values"):
        adding([], mg.constant(1.0))


def test_an_array_that_is_asked_for_is_an_error_by_its_own_name():
    with pytest.raises(NotImplementedError) as found:
        mg.function(lambda x: np.mean(x))(mg.constant(1.0))
    assert found.type is NotImplementedError


def test_objects_of_one_kind_share_a_trace():
    class Kind(mg.types.experimental.TraceType):
        def __init__(self, scale):
            self.scale = scale

        def __eq__(self, other):
            return self.scale == other.scale

        def __hash__(self):
            return hash(self.scale)

    class Unit:
        def __init__(self, scale):
            self.scale = scale

        def __tf_tracing_type__(self, context):
            return Kind(self.scale)

    converted = mg.function(lambda x, unit: x * unit.scale)
    assert numbers([converted(mg.constant(2.0), Unit(scale)) for scale in (10.0, 10.0, 5.0, 10.0)]) == [20.0, 20.0, 10.0, 20.0]
    assert converted.experimental_get_tracing_count() == 2


def test_inside_function_tells_where_a_function_is_traced():
    seen = []
    mg.function(lambda: seen.append(mg.inside_function()))()
    assert (seen, mg.inside_function()) == ([True], False)


def test_a_decision_after_an_init_scope_knows_what_that_assigned():
    v, runs = mg.Variable(1.0), []

    @mg.function
    def decided(x):
        y = v * x
        if not runs:
            with mg.init_scope():
                v.assign(10.0)
        runs.append(y)
        return y if v > 5.0 else -y

    assert numbers([decided(mg.constant(2.0)), decided(mg.constant(3.0))]) == [20.0, 30.0]
    assert len(runs) == 1


def test_a_concrete_function_says_what_it_takes():
    square = mg.function(lambda x, n: x**n).get_concrete_function(mg.TensorSpec([2]), n=2)
    spec = r"TensorSpec\(shape=\(2,\), dtype=mg.float32, name=None\)"
    with pytest.raises(TypeError, match=rf"for signature: \(x: {spec}, n: Literal\[2\]\) -> {spec}\."):
        square(mg.zeros([2]), n=3)


BROADCAST = {
    "of what is broadcast": lambda x: mg.broadcast_to(x, [3, 4]) + mg.ones([3, 4]),
    "with itself": lambda x: (lambda b: b * b)(mg.broadcast_to(x, [3, 4])),
    "of constants alone": lambda x: mg.where(mg.broadcast_to(x > 0.0, [3, 4]), mg.ones([3, 4]), mg.zeros([3, 4])),
    "and signs of zeros": lambda x: x / mg.constant([0.0, -0.0, 0.0, 0.0]),
}


@pytest.mark.parametrize("name", BROADCAST)
def test_a_result_has_the_shape_and_the_signs_that_it_has_as_python(name):
    x = mg.constant([1.0, 2.0, -3.0, 4.0])
    traced, python = mg.function(BROADCAST[name])(x).numpy(), BROADCAST[name](x).numpy()
    assert traced.shape == python.shape
    np.testing.assert_array_equal(traced, python)


def test_a_gradient_that_is_constant_may_have_a_name():
    v = mg.Variable([1.0, 2.0])

    @mg.function
    def slope(x):
        with mg.GradientTape() as tape:
            y = mg.reduce_sum(v + x)
        g = tape.gradient(y, v)
        return [g]

    assert numbers(slope(mg.constant(3.0))) == [[1.0, 1.0]]


@pytest.mark.parametrize("f", [mg.nn.relu, mg.nn.elu, lambda x: mg.maximum(x, 0.5), mg.reduce_max, lambda x: x**2.5])
def test_second_order_goes_through_what_compares(f):
    def penalty(x):
        with mg.GradientTape() as outer:
            outer.watch(x)
            with mg.GradientTape() as inner:
                inner.watch(x)
                y = mg.reduce_sum(f(x) ** 2)
            slope = inner.gradient(y, x)
            size = mg.reduce_sum(slope**2)
        return outer.gradient(size, x)

    x = mg.constant([0.3, 0.7, 2.0])
    np.testing.assert_allclose(mg.function(penalty)(x).numpy(), penalty(x).numpy(), rtol=1e-6)


def test_parts_of_an_argument_do_not_take_the_name_of_another():
    traced = mg.function(lambda x, x1: x[0] + x[1] * x1)
    assert traced([mg.constant(1.0), mg.constant(2.0)], mg.constant(3.0)).numpy() == 7.0


@pytest.mark.parametrize("name", ["class", "None", "a b"])
def test_a_function_may_have_any_name(name):
    def f(x):
        return x + 1.0

    f.__name__ = name
    assert mg.function(f)(mg.constant(1.0)).numpy() == 2.0


def test_a_copied_model_has_traces_of_its_own():
    class Model:
        def __init__(self):
            self.v = mg.Variable(0.0)
            self.step = mg.function(self._step)

        def _step(self):
            self.v.assign_add(1.0)

    model = Model()
    model.step()
    other = copy.deepcopy(model)
    other.step()
    assert (model.v.numpy(), other.v.numpy()) == (1.0, 2.0)


# ---- what is returned, and the constants in a run ---------------------------------------------------------------------

SHAPES = {  # what a function returns
    "a Tensor": lambda x: x + 1.0, "None": lambda x: None, "a list of one": lambda x: [x * 2.0], "a tuple of one": lambda x: (x * 2.0,),
    "a list of two": lambda x: [x, x * 2.0], "a tuple of two": lambda x: (x, x * 2.0), "nothing in a tuple": lambda x: (),
    "nothing in a list": lambda x: [], "nested": lambda x: {"b": (x, [x * 2.0]), "a": [None, (x - 1.0,)]},
    "the argument itself": lambda x: x, "twice the same": lambda x: (x * 2.0,) * 2,
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_returned_has_the_same_structure_at_each_call(name):
    function, calls = SHAPES[name], [mg.constant([1.0, 2.0]), mg.constant([3.0, 5.0]), mg.constant([-1.0, 0.5])]
    traced = mg.function(function)
    for x in calls:
        found, wanted = traced(x), function(x)
        if wanted is None:
            assert found is None
            continue
        nest.assert_same_structure(wanted, found)
        assert numbers(found) == numbers(wanted)
    assert traced.experimental_get_tracing_count() == 1


RUNS = {  # what a run computes with, beside arrays
    "one tuple of one": lambda x: mg.reduce_sum(x, (0,)), "axes": lambda x: mg.reduce_sum(x, (0, 1)), "a slice": lambda x: x[::-1, 1:],
    "an ellipsis": lambda x: x[..., 0], "a new axis": lambda x: x[:, None], "a list of indices": lambda x: mg.gather(x, [1, 0, 1]),
    "a power": lambda x: x**2.0 + 2.0**x, "a number that is a float": lambda x: 0.1 * x + 0.1, "minus zero": lambda x: x * -0.0,
    "nan": lambda x: mg.where(x > 1.5, x, np.float32("nan")), "a mask": lambda x: mg.boolean_mask(x, x > 1.5), "places": lambda x: mg.where(x > 1.5),
    "a product": lambda x: x @ mg.transpose(x), "a product of stacks": lambda x: x[None] @ mg.transpose(x)[None],
    "a product in float64": lambda x: mg.cast(x, mg.float64) @ mg.ones([2, 3], mg.float64), "sizes": lambda x: mg.unique(mg.cast(mg.reshape(x, [-1]), mg.int32)).y,
    "what is repeated": lambda x: mg.repeat(x, mg.cast(x[0], mg.int32), axis=1), "a decision": lambda x: x if x[0, 0] > 1.5 else -x,
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_a_run_gives_what_python_gives_with_its_gradient(name):
    function, traced = RUNS[name], mg.function(RUNS[name])
    for values in ([[1.0, 2.0], [3.0, 1.0]], [[2.0, 1.0], [1.0, 1.0]], [[1.0, 2.0], [2.0, 2.0]], [[2.0, 2.0], [0.0, 5.0]]):
        results = []
        for one in (function, traced):
            x = mg.constant(values)
            with mg.GradientTape() as tape:
                tape.watch(x)
                y = one(x)
            dx = mg.convert_to_tensor(tape.gradient(y, x)) if y.dtype.is_floating else None
            results.append([np.asarray(z).tolist() for z in (y, one(x)) + ((dx,) if dx is not None else ())] + [y.dtype, y.shape])
        np.testing.assert_equal(results[1], results[0])


@pytest.mark.parametrize("name", RUNS)
def test_the_step_of_a_run_gives_what_python_gives(name):
    def step(x):
        with mg.GradientTape() as tape:
            tape.watch(x)
            y = RUNS[name](x)
        return y, mg.convert_to_tensor(tape.gradient(y, x)) if y.dtype.is_floating else mg.constant(0)

    traced = mg.function(step)
    for values in ([[1.0, 2.0], [3.0, 1.0]], [[2.0, 1.0], [1.0, 1.0]], [[1.0, 2.0], [2.0, 2.0]]):
        found, wanted = traced(mg.constant(values)), step(mg.constant(values))
        np.testing.assert_equal(
            [np.asarray(mg.convert_to_tensor(one)) for one in found], [np.asarray(mg.convert_to_tensor(one)) for one in wanted]
        )


def test_a_step_adds_up_the_rows_of_what_was_broadcast():
    x, w, b = mg.ones([4, 3]), mg.Variable(np.arange(6.0).reshape(3, 2).astype("float32")), mg.Variable([0.5, -1.0])

    def step(x):
        with mg.GradientTape() as tape:
            y = mg.reduce_sum((x @ w + b) ** 2.0)
        return tape.gradient(y, [w, b])

    traced = mg.function(step)
    for factor in (1.0, 2.0, -0.5):
        for found, wanted in zip(traced(factor * x), step(factor * x)):
            np.testing.assert_allclose(found, wanted, rtol=1e-6)


CUBED = mg.constant([1.0, 2.0])


@pytest.mark.parametrize(
    ("function", "expected"),
    [  # of x = [1, 2], as in TensorFlow
        (lambda x: mg.gradients(mg.reduce_sum(x**2), x), [[2, 4]]),
        (lambda x: mg.gradients([x**2, x * 3], [x]), [[5, 7]]),
        (lambda x: mg.gradients([x**2], [x], grad_ys=[mg.constant([10.0, 1.0])]), [[20, 4]]),
        (lambda x: mg.gradients(mg.gradients(x**3, x)[0], x), [[6, 12]]),
        (lambda x: (lambda y: mg.gradients(y * y * x, [y, x]))(x * 2), [[4, 16], [12, 48]]),
        (lambda x: (lambda c: mg.gradients(c * x, c))(mg.constant([5.0, 6.0])), [[1, 2]]),
        (lambda x: (lambda y: mg.gradients(y * x, x, stop_gradients=y))(x * 2), [[2, 4]]),
        (lambda x: mg.gradients(x * x, x, stop_gradients=[x]), [[2, 4]]),
        (lambda x: mg.gradients(CUBED**3 + x, [CUBED, x]), [[3, 12], [1, 1]]),
        (lambda x: mg.gradients(x * 2, [mg.constant(1.0)], unconnected_gradients="zero"), [0]),
        (lambda x: mg.gradients([x, mg.cast(x, mg.int32) * 2], [mg.cast(x, mg.int32), x]), [None, [1, 1]]),
        (lambda x: mg.gradients(3.0, x), [None]),
        (lambda x: mg.gradients(mg.function(lambda y: y * y)(x), x), [[2, 4]]),
        (lambda x: mg.gradients(mg.cond(mg.reduce_sum(x) > 0, lambda: x * 2, lambda: x * 3), x), [[2, 2]]),
    ],
)
def test_gradients_in_a_function(function, expected):
    traced = mg.function(function)
    for _ in range(2):
        found = traced(mg.constant([1.0, 2.0]))
        assert [None if dx is None else dx.numpy().tolist() for dx in found] == expected


def test_gradients_in_a_function_are_differentiated_and_draw_their_numbers_once():
    @mg.function
    def slope(x):
        noise = mg.random.uniform([2])
        return mg.gradients(x**3, x)[0], noise

    x = mg.Variable([1.0, 2.0])
    mg.random.set_seed(4)
    with mg.GradientTape() as tape:
        y, noise = slope(x)
    assert tape.gradient(y, x).numpy().tolist() == [6, 12]
    np.testing.assert_allclose(noise, [0.804303, 0.994395], atol=1e-6)
    squares = mg.data.Dataset.from_tensors([1.0, 2.0]).map(lambda x: mg.gradients(x * x, x)[0])
    assert next(iter(squares)).numpy().tolist() == [2, 4]
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        mg.gradients(y, x)


def test_a_misspelt_argument_of_function_is_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'input_signatur'"):
        mg.function(lambda x: x, input_signatur=[mg.TensorSpec([], mg.float32)])
    assert mg.function(lambda x: x, experimental_relax_shapes=True)(mg.constant(1)).numpy() == 1
