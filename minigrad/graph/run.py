"""A traced run of a function: the arrays that go in, the NumPy calls, and the results."""

import contextlib
import functools
import inspect
import itertools
from collections import Counter

from .. import nest
from ..engine import Tensor, Variable
from ..engine.backward import INPUT as STEP_INPUT
from ..engine.backward import VJP, output_ids
from ..engine.listening import Listener, listeners_only, listening
from ..engine.operands import one_by_one
from ..engine.rules import Batched, Recorded
from ..engine.tensor import next_id
from ..tracing.places import Place, user_frame
from ..tracing.source import assigned_name
from .tracer import Graph, Tracer, Untraceable, no_numbers, node_of, value_of

OPERATORS = {"AddV2": "add", "FloorDiv": "floordiv", "FloorMod": "mod", "MatMul": "matmul", "Mul": "mul", "Pow": "pow",
             "RealDiv": "truediv", "StridedSlice": "strided_slice", "Sub": "sub"}  # fmt: skip


class Effect(Exception):
    """A function does what a trace cannot repeat: draw random numbers, read a Dataset, or call Python as an op."""


class Run(Listener):
    """Listens to a function that runs on Tracers.

    Attributes:
        graph: the NumPy calls.
        inputs: name -> the Node of each input array: arguments first, then Variables as they are read.
        variables: id -> a Variable that was read or assigned.
        stand_ins: id -> the Tensor that stands for the value of such a Variable; only code in this run sees it.
        names: Node -> the name given to it by the user's code, or by the source of a gradient.
        result: what the function returned; its leaves as Nodes, or as constants.
        assigned: name -> the Node, or the constant, that a Variable holds at the end.
    """

    def __init__(self, function, args, kwargs, as_tensor=None):
        self.graph, self.names, self.ids, self.labels = Graph(), {}, {}, Counter()
        self.variables, self.stand_ins = {}, {}
        self.tracing, self.made = as_tensor is not None, False
        self.inputs, self.places, self.given = {}, {}, named_variables(function)
        bound = inspect.signature(function).bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = {name: self.traced(name, one, {*bound.arguments}) for name, one in bound.arguments.items()}
        bound.arguments.update(arguments)
        leaves = {name: nest.flatten(one) for name, one in arguments.items()}
        try:
            with listeners_only(self):
                result = function(*bound.args, **bound.kwargs)
                result = nest.map_structure(as_tensor, result) if as_tensor else result
                self.result = nest.map_structure(self.outcome, result)
                self.assigned = dict(self.changed())
                self.check_unchanged(function, leaves, arguments)
        finally:
            self.graph.closed = True

    def check_unchanged(self, function, leaves, arguments):
        """Check that the function has not changed its list and dict arguments, which are copies.

        Raises:
            ValueError: it has changed one.
        """
        then = {name: nest.flatten(one) for name, one in arguments.items()}
        changed = [name for name in leaves if [*map(id, leaves[name])] != [*map(id, then[name])]]
        if self.tracing and changed:
            call = f"{getattr(function, '__name__', 'function')}({', '.join(arguments)})"
            problem = f"{call} should not modify its Python input arguments. Modifying a copy is allowed."
            raise ValueError(f"{problem} The following parameter(s) were modified: {', '.join(changed)}")

    # ---- what goes in and comes out --------------------------------------------------------------------------------

    def traced(self, name, argument, taken):
        """An argument, with a Tracer in place of each array. Several get numbered names that no other argument has."""
        leaves = nest.flatten(argument)
        lines = ("_" * k for k in itertools.count())
        numbered = ([f"{name}{line}{k + 1}" for k in range(len(leaves))] for line in lines)
        names = [name] if len(leaves) == 1 else next(names for names in numbered if taken.isdisjoint(names))
        return nest.pack_sequence_as(argument, [self.traced_leaf(*pair) for pair in zip(names, leaves)])

    def traced_leaf(self, name, x):
        if isinstance(x, Variable):
            self.given[x.id] = name
            return x
        if not isinstance(x, Tensor) and not hasattr(x, "__array__"):
            return x
        return self.input(name, x if isinstance(x, Tensor) else Tensor.of(x), next_id())

    def input(self, name, tensor, id):
        """A Tensor with a Tracer in place of its array. An argument has its own id: the next call may pass another."""
        traced = Tensor()
        traced.value, traced.id = self.graph.input(tensor.value, name), id
        self.inputs[name] = self.ids[traced.id] = traced.value.node
        return traced

    def outcome(self, x):
        if self.tracing and x is not None and not isinstance(x, Tensor):
            raise Effect("it returns more than Tensors")
        return node_of(x.__tf_tensor__().value) if hasattr(x, "__tf_tensor__") else x

    def leaves(self):
        """The results: a Node or a constant for each Tensor."""
        return [x for x in nest.flatten(self.result) if x is not None]

    # ---- what it hears ---------------------------------------------------------------------------------------------

    def hear(self, op, inputs, output, attributes):
        outputs = output if output.__class__ is list else [output]
        name = self.user_name(but="gradient")
        for z in outputs:
            if z.value.__class__ is Tracer:
                self.ids.setdefault(z.id, z.value.node)
                z.value.node.label = self.label(op) if z.value.node.function else z.value.node.label
                if name:
                    self.names.setdefault(z.value.node, name)

    def user_name(self, but=""):
        """The name that the running line of user code assigns to; None if that line called the function `but`."""
        frame, called = user_frame()
        return None if but and called == but else assigned_name(Place(frame.f_code, frame.f_lasti))

    def label(self, op):
        """The name of an op, unique as in TensorFlow's graphs."""
        name = OPERATORS.get(op.kernel, op.kernel)
        before = self.labels[name]
        self.labels[name] += 1
        return f"{name}_{before}" if before else name

    def read(self, variable):
        if variable.id not in self.stand_ins:
            self.variables[variable.id] = variable
            self.stand_ins[variable.id] = self.input(self.name_of(variable), variable._now, variable.id)
        return self.stand_ins[variable.id]

    changing = read

    def keeps(self, variable, value):
        self.stand_ins[variable.id] = now = Tensor()
        now.value, now.id = value, variable.id
        return True

    def wrote(self, variable, given, how):
        if how != "Variable":
            return
        if not self.tracing:
            raise Untraceable("tf.function only supports singleton tf.Variables created on the first call.")
        self.made = True
        variable._now.value = value_of(variable._now.value)

    def acting(self, function, args, kwargs):
        if not self.tracing:
            return False
        if function is None:
            raise Effect("it does what its trace could not do again")
        self.graph.act(function, args, kwargs)
        return True

    def left(self, tensor, exit, result):
        if exit in ("numpy()", "NumPy") and user_frame()[1] in ("numpy", "__array__") and result.__class__ is Tracer:
            raise no_numbers()
        if exit in ("bool()", "int()", "float()", "complex()") and tensor.value.__class__ is Tracer:
            frame, _ = user_frame()
            self.places[len(self.graph.guards) - 1] = Place(frame.f_code, frame.f_lasti)
        return result

    def asking(self, tape):
        self.graph.backward = True
        tape.steps[:] = [(*step[:VJP], self.followed(step[VJP]), *step[VJP + 1 :]) for step in tape.steps]

    def followed(self, vjp):
        """A VJP that is recorded as a single call if it looks at numbers."""
        if hasattr(vjp, "followed_by"):
            return vjp

        @functools.wraps(vjp)
        def run(dy, *needs):
            if any(isinstance(x, (Recorded, Batched)) for x in one_by_one((dy, *needs))):
                return vjp(dy, *needs)
            try:
                return vjp(dy, *needs)
            except Exception:
                return self.graph.call(vjp, (dy, *needs), {})

        run.followed_by = self
        return run

    def stepped_back(self, step, dy, dx):
        for i in output_ids(step):
            self.called_gradient(i, dy)
        self.called_gradient(step[STEP_INPUT], dx)

    def asked(self, tape, targets, sources, results):
        self.graph.backward = False
        name = self.user_name()
        value = getattr(results[0], "value", None)
        if name and len(results) == 1 and value.__class__ is Tracer:
            self.names.setdefault(value.node, name)
        for source, dx in zip(sources, results):
            self.called_gradient(source.id, dx)

    def called_gradient(self, id, dx):
        """Name a gradient after the value that it is the gradient of."""
        value = getattr(dx, "value", dx)
        if value.__class__ is Tracer and id in self.ids:
            self.graph_gradients.setdefault(value.node, self.ids[id])

    @functools.cached_property
    def graph_gradients(self):
        return {}

    # ---- names -----------------------------------------------------------------------------------------------------

    def name_of(self, variable):
        """The name of a Variable in the user's code, or else its own name."""
        known = self.given.get(variable.id) or "_".join(variable.name.partition(":")[0].split("/")[-2:])
        names = itertools.chain([known], (f"{known}{k}" for k in itertools.count(2)))
        return next(name for name in names if name not in self.inputs)

    def variable_inputs(self):
        """name -> the Variable that is read under this name."""
        variables = {self.ids[id]: variable for id, variable in self.variables.items()}
        return {name: variables[node] for name, node in self.inputs.items() if node in variables}

    def changed(self):
        """The name of each assigned Variable, and the value that it holds at the end."""
        for name, variable in self.variable_inputs().items():
            now = node_of(self.stand_ins[variable.id].value)
            if now is not self.inputs[name]:
                yield name, now


@contextlib.contextmanager
def init_scope():
    """A block that runs as Python, once, while `mg.function` traces the function around it. Tapes do not record it.

    >>> import minigrad as mg
    >>> calls = mg.Variable(0)
    >>> @mg.function
    ... def double(x):
    ...     with mg.init_scope():
    ...         calls.assign_add(1)
    ...     return x * 2
    >>> print(double(mg.constant(1.0)).numpy(), double(mg.constant(3.0)).numpy(), calls.numpy())
    2.0 6.0 1
    """
    others = [one for one in listening.now if one.tracked_ids is None and not one.tracing]
    runs = [one for one in listening.now if one.tracing]
    graph, listening.graph = listening.graph, None
    try:
        with listeners_only(*others):
            yield
    finally:
        listening.graph = graph
    for run in runs:
        for id, variable in run.variables.items():
            run.ids[id].value = variable._now.value


def named_variables(function):
    """id -> name, for each Variable in a function's closure or among the globals that it uses."""
    function = inspect.unwrap(function)
    code = getattr(function, "__code__", None)
    if code is None:
        return {}
    names = inspect.getclosurevars(function)
    known = [*names.globals.items(), *names.nonlocals.items()]
    return {one.id: name for name, one in known if isinstance(one, Variable)}
