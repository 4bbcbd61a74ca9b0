"""tf.keras.optimizers: from gradients to new values of the Variables. Each is a few lines of NumPy: `update`."""

import contextlib
import warnings

import numpy as np

from .. import errors, math
from ..engine.op import convert
from ..engine.shape import bracketed
from ..engine.slices import IndexedSlices, SparseRows
from ..engine.tensor import Tensor
from ..errors import invalid
from ..keras import initializers
from ..ops.creation import cast
from ..ops.shaping import stack
from .utils import checked_name, snake_case, unique_name
from .variable import Variable, inside

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "get", "schedules"]
__dir__ = __all__.copy  # what Tab offers


class Optimizer:
    """What all optimizers do. One of your own writes `update_step`, and `build` if it keeps something for each Variable.

    (Those of this file name their `slots`, arrays that they keep for each Variable, and write `update`, in NumPy.)

    Args:
        learning_rate: a float, or a function without parameters (a schedule: of the number of the step).
        weight_decay: the share of each value that is taken away in each step, times the learning rate.
        clipnorm: makes each gradient this long at most.
        clipvalue: makes each element of a gradient this large at most.
        global_clipnorm: makes all gradients together this long at most.
        use_ema: keep a moving average of each Variable's values.
        ema_momentum: how much of the average stays in each step.
        ema_overwrite_frequency: after so many steps, and so many more, the Variables are given their averages. Without it,
            `finalize_variable_values` does so.
        loss_scale_factor: all gradients are divided by it; take them of `scale_loss(loss)`.
        gradient_accumulation_steps: not in minigrad.
        name: by default made of the name of the class.

    Raises:
        ValueError: the learning rate is no float, a setting is out of its range, or the name is no string or has a slash.
        UnimplementedError: `gradient_accumulation_steps` is given.

    >>> import minigrad as mg
    >>> class Signs(mg.keras.optimizers.Optimizer):
    ...     def update_step(self, gradient, variable, learning_rate):
    ...         self.assign_sub(variable, learning_rate * mg.sign(gradient))
    >>> x = mg.Variable([1.0, 2.0])
    >>> _ = Signs(learning_rate=0.5).apply_gradients([(mg.constant([3.0, -4.0]), x)])
    >>> print(x.numpy())
    [0.5 2.5]
    """

    slots: tuple = ()
    fractional = ""  # the op in which, in TensorFlow, an int Variable meets a fraction, and is refused

    def __init__(self, learning_rate, weight_decay=None, clipnorm=None, clipvalue=None, global_clipnorm=None, use_ema=False,
                 ema_momentum=0.99, ema_overwrite_frequency=None, loss_scale_factor=None, gradient_accumulation_steps=None,
                 name=None, **kwargs):  # fmt: skip
        if kwargs.pop("decay", None) is not None:
            warnings.warn("Argument `decay` is no longer supported and will be ignored.", stacklevel=3)
        if kwargs:
            raise ValueError(f"Argument(s) not recognized: {kwargs}")
        if gradient_accumulation_steps is not None:
            raise errors.UnimplementedError(
                None, None, "minigrad has no `gradient_accumulation_steps`: add up the gradients of some steps, and apply the sums."
            )
        check_rate(learning_rate)
        if sum(limit is not None for limit in (clipnorm, clipvalue, global_clipnorm)) > 1:
            raise ValueError(
                "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. "
                f"Received: clipnorm={clipnorm}, clipvalue={clipvalue}, global_clipnorm={global_clipnorm}"
            )
        if use_ema:
            check_average(ema_momentum, ema_overwrite_frequency)
        self.name = checked_name(name or unique_name(snake_case(type(self).__name__)))
        self.weight_decay, self.clipnorm, self.clipvalue, self.global_clipnorm = weight_decay, clipnorm, clipvalue, global_clipnorm
        self.use_ema, self.ema_momentum, self.ema_overwrite_frequency = use_ema, ema_momentum, ema_overwrite_frequency
        self.loss_scale_factor = loss_scale_factor
        with inside(self):
            self.iterations = Variable(0, dtype="int64", trainable=False, name="iteration")
            self._rate = learning_rate
            if not callable(learning_rate):
                self._rate = Variable(learning_rate, dtype="float32", trainable=False, name="learning_rate")
        self.built, self._known, self._slots, self._averages, self._added = False, {}, {}, [], []

    @property
    def learning_rate(self):
        """How far a step goes. It can be set."""
        if isinstance(self._rate, Variable):
            return self._rate
        return self._rate(self.iterations) if isinstance(self._rate, Schedule) else self._rate()

    @learning_rate.setter
    def learning_rate(self, value):
        if callable(value):
            self._rate = value
        elif isinstance(self._rate, Variable):
            self._rate.assign(value)
        else:
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` constructor argument, "
                "hence its learning rate is not settable. Create the optimizer with a float."
            )

    @property
    def variables(self) -> list:
        """The number of steps, the learning rate, and what is kept for each Variable."""
        rate = [self._rate] if isinstance(self._rate, Variable) else []
        return [self.iterations, *rate, *self._added]

    def build(self, variables) -> None:
        """Make what is kept for each of these Variables, which are then the only ones it can train. Done once, it is done."""
        if self.built:
            return
        self._known = {variable.id: variable for variable in variables}
        if self.use_ema:
            self._averages = self.add_optimizer_variables(variables, "average")
        for variable in variables:
            self._slots[variable.id] = {
                slot: self.add_variable_from_reference(variable, slot, initializers.Constant(self.first(slot))) for slot in self.slots
            }
        self.built = True

    def add_variable(self, shape, initializer="zeros", dtype=None, name=None) -> Variable:
        """A new Variable of the optimizer's own."""
        with inside(self):
            variable = Variable(initializer, shape=shape, dtype=dtype, trainable=False, name=name)
        self._added.append(variable)
        return variable

    def add_variable_from_reference(self, reference_variable, name="var", initializer="zeros") -> Variable:
        """A new Variable of the optimizer's own, of the shape and dtype of another, and called after it."""
        owner = getattr(reference_variable, "path", reference_variable.name).replace("/", "_").replace(":", "_")
        return self.add_variable(reference_variable.shape, initializer, inner(reference_variable).dtype, f"{owner}_{name}")

    def add_optimizer_variables(self, trainable_variables, name, initializer="zeros"):
        """A list with a new Variable for each of these; of several names, a list for each."""
        if not isinstance(name, str):
            return tuple(self.add_optimizer_variables(trainable_variables, one, initializer) for one in name)
        return [self.add_variable_from_reference(variable, name, initializer) for variable in trainable_variables]

    def _get_variable_index(self, variable):  # which optimizers of one's own call by this name, as Keras teaches
        return list(self._known).index(variable.id)

    def assign(self, variable, value) -> None:
        """Give a Variable a value, cast to its dtype; of IndexedSlices, only to the rows that they name."""
        put(variable, value, "assign", "scatter_update")

    def assign_add(self, variable, value) -> None:
        """Add to a Variable, as `assign`."""
        put(variable, value, "assign_add", "scatter_add")

    def assign_sub(self, variable, value) -> None:
        """Subtract from a Variable, as `assign`."""
        put(variable, value, "assign_sub", "scatter_sub")

    def scale_loss(self, loss):
        """The loss times `loss_scale_factor`, if there is one."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    def finalize_variable_values(self, var_list) -> None:
        """With `use_ema`, give the Variables their averages: the last thing in a training."""
        for variable, average in zip(var_list, self._averages):
            variable.assign(average)

    def first(self, slot) -> float:
        """What a slot holds before the first step."""
        return 0.0

    def apply_gradients(self, grads_and_vars):
        """Take one step.

        Args:
            grads_and_vars: pairs of a gradient, as `tape.gradient` gives it, and its Variable. Pairs without a gradient are
                left out, with a warning.

        Returns:
            The number of steps taken, a Variable.

        Raises:
            ValueError: no gradient is given at all, they do not come in pairs, or a Variable was not there in the first step.
            InvalidArgumentError: a gradient has not the shape of its Variable. Then no Variable is changed.
        """
        grads, variables = zip(*grads_and_vars)
        self.apply(grads, variables)
        return self.iterations

    def apply(self, grads, trainable_variables=None) -> None:
        """Take one step, with gradients and Variables in two lists; Variables may be left out after the first step."""
        variables = list(self._known.values()) if trainable_variables is None else list(trainable_variables)
        if not len(grads):
            return
        if len(grads) != len(variables):
            raise ValueError(f"Each Variable needs its gradient, or None: there are {len(grads)} gradients for {len(variables)} Variables.")
        if not self.built:
            self.build(variables)
        for variable in variables:
            if variable.id not in self._known:
                raise ValueError(
                    f"Unknown variable: {variable}. This optimizer can only be called for the variables it was originally built "
                    "with. When working with a new set of variables, you should recreate a new optimizer instance."
                )
        with all_or_nothing([*self._known.values(), *self.variables]):
            self.step(*with_gradients(grads, variables))
        self.iterations.assign_add(1)

    def step(self, grads, variables):
        values = self.clipped([self.unscaled(values_of(dx, v)) for dx, v in zip(grads, variables)])
        rate = self.learning_rate
        for variable in variables:
            self.decay(inner(variable), rate)
        for dx, part, variable in zip(grads, values, variables):
            self.update_step(with_values(dx, part), inner(variable), rate)
        if self.use_ema:
            self.average()
        for variable in variables:
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable))

    def unscaled(self, dx):
        """The numbers of a gradient, without `loss_scale_factor`."""
        return dx if self.loss_scale_factor is None else dx / dx.dtype.type(self.loss_scale_factor)

    def decay(self, variable, rate):
        """Take away the share of its value that `weight_decay` says."""
        if self.weight_decay is not None:
            value, kind = variable.numpy(), variable.dtype.as_numpy_dtype
            variable.assign_sub(value * kind(self.weight_decay) * kind(rate))

    def average(self):
        """Let the averages follow their Variables, and every so many steps take their place."""
        keep = self.ema_momentum if self.iterations.numpy() else 0.0
        for variable, average in zip(self._known.values(), self._averages):
            old, new = average.numpy(), variable.numpy()
            kind = new.dtype.type
            average.assign(kind(keep) * old + (1 - kind(keep)) * new)
        if self.ema_overwrite_frequency and (self.iterations.numpy() + 1) % self.ema_overwrite_frequency == 0:
            self.finalize_variable_values(self._known.values())

    def update_step(self, gradient, variable, learning_rate):
        """Change one Variable.

        Args:
            gradient: a Tensor, or IndexedSlices; clipped, if that was asked for.
            variable: the `mg.Variable`, also of a Keras Variable.
            learning_rate: a Keras Variable or a Tensor.
        """
        self.refuse_whole_numbers(variable)
        own = variable.dtype.as_numpy_dtype
        kind = np.float32 if variable.dtype.is_integer else own  # whole numbers are divided in float32
        slots = {name: slot.numpy().astype(kind) for name, slot in self._slots[variable.id].items()}
        dx, squared = (dense(gradient, part).astype(kind) for part in squares(gradient))
        rate = kind(own(np.float32(convert(learning_rate).value)))
        try:
            step = self.update(dx, squared, slots, rate, kind)
        except ValueError as problem:
            raise incompatible(variable.shape, dx.shape) if "broadcast" in str(problem) else problem from None
        for name, slot in slots.items():
            self.assign(self._slots[variable.id][name], slot)
        self.assign_sub(variable, step)

    def refuse_whole_numbers(self, variable):
        if self.fractional and variable.dtype.is_integer:
            raise invalid(
                f"cannot compute {self.fractional} as input #1(zero-based) was expected to be a {variable.dtype.name} tensor but is a "
                f"float tensor: {type(self).__name__} cannot train whole numbers. Make {variable.name} of floats. "
                f"[Op:{self.fractional}] name: ",
            )

    def clipped(self, grads):
        """The gradients, as short as was asked for."""
        if self.clipvalue:
            return [np.clip(dx, -self.clipvalue, self.clipvalue) for dx in grads]
        if self.clipnorm:
            return [shortened(dx, norm([dx]), self.clipnorm) for dx in grads]
        if self.global_clipnorm:
            length = norm(grads)
            return [shortened(dx, length, self.global_clipnorm) for dx in grads]
        return grads

    def update(self, dx, squared, slots, rate, kind):
        """What to subtract from a Variable whose gradient is dx.

        Args:
            dx: an array; of an int Variable in float32, as all others.
            squared: dx * dx; of rows that `IndexedSlices` name twice it is the sum of the squares, as in Keras.
            slots: name -> array; the arrays that are put in their place are kept for the next step.
            rate: the learning rate, of the dtype of dx.
            kind: makes numbers of this dtype.
        """
        raise NotImplementedError


def check_rate(learning_rate):
    if not isinstance(learning_rate, float) and not callable(learning_rate):
        raise ValueError(
            "Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a callable (that takes in "
            "the current iteration value and returns the corresponding learning rate value). "
            f"Received instead: learning_rate={learning_rate}"
        )


def check_average(momentum, frequency):
    if not 0 <= momentum <= 1:
        raise ValueError(f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={momentum}")
    if frequency and (not isinstance(frequency, int) or frequency < 1):
        raise ValueError(f"`ema_overwrite_frequency` must be an integer >= 1 or None. Received: ema_overwrite_frequency={frequency}")


@contextlib.contextmanager
def all_or_nothing(variables):
    """A block that leaves these Variables as they were if it fails half-way."""
    before = [variable.numpy() for variable in variables]
    try:
        yield
    except Exception:
        for variable, value in zip(variables, before):
            variable.assign(value)
        raise


def incompatible(shape, other):
    return invalid(
        f"Incompatible shapes: {bracketed(shape)} vs. {bracketed(other)}: a gradient has the shape of its Variable. [Op:Sub] name: ",
    )


def added(x, dx):
    """x + dx. As when a Variable is changed, nothing is broadcast."""
    if dx.shape != x.shape:
        raise invalid(
            f"Cannot update variable with shape {bracketed(x.shape)} using a Tensor with shape {bracketed(dx.shape)}, shapes must be "
            "equal: a gradient has the shape of its Variable. [Op:AssignAddVariableOp] name: ",
        )
    return x + dx


def inner(variable):
    """The `mg.Variable` of a Keras Variable."""
    return variable.value if isinstance(variable, Variable) else variable


def values_of(dx, variable):
    """The numbers of a gradient, in the dtype of its Variable; of IndexedSlices, only those of the rows."""
    value = dx.values.value if isinstance(dx, IndexedSlices) else convert(dx).value
    return np.asarray(value, inner(variable).dtype.dtype)


def with_values(dx, values):
    """The gradient, with these numbers."""
    values = Tensor.of(values)
    return dx.with_values(values) if isinstance(dx, IndexedSlices) else values


def squares(dx):
    """The numbers of a gradient, and their squares."""
    values = (dx.values if isinstance(dx, IndexedSlices) else dx).value
    return values, values * values


def dense(dx, values):
    """The numbers of a gradient, at their places."""
    return SparseRows(values, dx.indices.value, dx.shape).dense() if isinstance(dx, IndexedSlices) else values


def put(variable, value, whole, rows):
    """Change a Variable by one of two methods: that for the whole, or that for IndexedSlices."""
    variable = inner(variable)
    if isinstance(value, IndexedSlices):
        getattr(variable, rows)(with_values(value, cast(value.values, variable.dtype).value))
    else:
        getattr(variable, whole)(cast(value, variable.dtype))


def with_gradients(grads, variables):
    """Those gradients that are not None, and their Variables."""
    missing = [getattr(v, "path", v.name) for dx, v in zip(grads, variables) if dx is None]
    if len(missing) == len(grads):
        raise ValueError("No gradients provided for any variable.")
    if missing:
        warnings.warn(
            f"Gradients do not exist for variables {missing} when minimizing the loss. "
            "If using `model.compile()`, did you forget to provide a `loss` argument?",
            stacklevel=4,
        )
    kept = [(dx, v) for dx, v in zip(grads, variables) if dx is not None]
    return zip(*kept)


def norm(arrays):
    return np.sqrt(sum(np.sum(x * x) for x in arrays))


def shortened(dx, length, limit):
    return dx * dx.dtype.type(limit) / np.maximum(length, dx.dtype.type(limit))


class SGD(Optimizer):
    """x -= rate * dx, with momentum if wanted.

    >>> import minigrad as mg
    >>> x = mg.Variable(1.0)
    >>> optimizer = mg.keras.optimizers.SGD(learning_rate=0.1)
    >>> _ = optimizer.apply_gradients([(mg.constant(5.0), x)])
    >>> x.numpy()
    np.float32(0.5)
    """

    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False, *settings, **named):
        if not isinstance(momentum, float) or not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be a float between [0, 1].")
        super().__init__(learning_rate, *settings, **named)
        self.momentum, self.nesterov = momentum, nesterov
        self.slots = ("momentum",) if momentum else ()

    def update(self, dx, squared, slots, rate, kind):
        if not self.momentum:
            return dx * rate
        keep = kind(np.float32(self.momentum))
        m = slots["momentum"] = slots["momentum"] * keep - dx * rate
        return dx * rate - m * keep if self.nesterov else -m


class Adam(Optimizer):
    """Steps of about the same size for all: the mean of past gradients by the root of the mean of their squares.

    Kingma and Ba, "Adam: a method for stochastic optimization" (2014).
    """

    fractional = "Mul"

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False, *settings, **named):
        super().__init__(learning_rate, *settings, **named)
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad
        self.slots = ("momentum", "velocity", *["velocity_hat"] * amsgrad)

    def update(self, dx, squared, slots, rate, kind):
        one, count = kind(1), kind(self.iterations.numpy() + 1)
        beta_1, beta_2 = kind(np.float32(self.beta_1)), kind(np.float32(self.beta_2))
        alpha = rate * np.sqrt(one - beta_2**count) / (one - beta_1**count)
        m = slots["momentum"] = added(slots["momentum"], (dx - slots["momentum"]) * kind(1 - self.beta_1))
        v = slots["velocity"] = added(slots["velocity"], (squared - slots["velocity"]) * kind(1 - self.beta_2))
        if self.amsgrad:
            v = slots["velocity_hat"] = np.maximum(slots["velocity_hat"], v)
        return m * alpha / (np.sqrt(v) + kind(self.epsilon))


class AdamW(Adam):
    """Adam with weight decay: each step also takes a share of every value away (Loshchilov and Hutter, 2019).

    >>> import minigrad as mg
    >>> x = mg.Variable([1.0])
    >>> _ = mg.keras.optimizers.AdamW(0.1, weight_decay=0.5).apply_gradients([(mg.constant([0.0]), x)])
    >>> print(x.numpy())
    [0.95]
    """

    def __init__(self, learning_rate=0.001, weight_decay=0.004, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False, *settings, **named):
        if weight_decay is None:
            raise ValueError("Argument `weight_decay` must be a float. Received: weight_decay=None. Without it, write Adam.")
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay, *settings, **named)


class RMSprop(Optimizer):
    """Each gradient by the root of the mean of its past squares (Hinton, 2012)."""

    def __init__(self, learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False, *settings, **named):
        super().__init__(learning_rate, *settings, **named)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered
        self.slots = ("velocity", *["momentum"] * (momentum > 0), *["average_gradient"] * centered)
        self.fractional = "AddV2" if centered else ""

    def update(self, dx, squared, slots, rate, kind):
        old, new = kind(self.rho), kind(1 - self.rho)
        v = slots["velocity"] = old * slots["velocity"] + new * squared
        if self.centered:
            mean = slots["average_gradient"] = old * slots["average_gradient"] + new * dx
            v = v - mean * mean
        step = rate * dx / np.sqrt(v + kind(self.epsilon))
        if self.momentum > 0:
            step = slots["momentum"] = kind(self.momentum) * slots["momentum"] + step
        return step


class Adagrad(Optimizer):
    """Each gradient by the root of the sum of its past squares (Duchi et al., 2011)."""

    slots = ("accumulator",)

    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, *settings, **named):
        super().__init__(learning_rate, *settings, **named)
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon

    def first(self, slot):
        return self.initial_accumulator_value

    def update(self, dx, squared, slots, rate, kind):
        total = slots["accumulator"] = added(slots["accumulator"], squared)
        return rate * dx / np.sqrt(total + kind(self.epsilon))


class Schedule:
    """A learning rate that is a function of the number of the step: write `__call__(self, step)`.

    >>> import minigrad as mg
    >>> class Halved(mg.keras.optimizers.schedules.LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 0.5 / (mg.cast(step, mg.float32) + 1.0)
    >>> print(float(mg.keras.optimizers.SGD(Halved()).learning_rate))
    0.5
    """

    def __call__(self, step):
        raise NotImplementedError(f"Learning rate schedule '{type(self).__name__}' must override `__call__(self, step)`.")


class Decay(Schedule):
    """What goes by `step / decay_steps`."""

    def __init__(self, initial_learning_rate, decay_steps):
        if decay_steps <= 0:
            raise ValueError(f"Argument `decay_steps` must be > 0. Received: decay_steps={decay_steps}")
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps

    def start(self, step):
        """The first learning rate, the step, and `decay_steps`, all of the dtype of the first."""
        initial = convert(self.initial_learning_rate)
        return initial, cast(step, initial.dtype), cast(self.decay_steps, initial.dtype)


class InStairs(Decay):
    """What goes by `decay_rate` too, in stairs if wanted."""

    def __init__(self, initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None):
        super().__init__(initial_learning_rate, decay_steps)
        self.decay_rate, self.staircase, self.name = decay_rate, staircase, name or type(self).__name__

    def __call__(self, step):
        initial, step, steps = self.start(step)
        share = math.floor(step / steps) if self.staircase else step / steps
        rate = cast(cast(self.decay_rate, initial.dtype), share.dtype)  # a share of whole numbers is a float64
        return self.decayed(cast(initial, share.dtype), rate, share)


class ExponentialDecay(InStairs):
    """initial_learning_rate * decay_rate ** (step / decay_steps), in stairs if wanted.

    >>> import minigrad as mg
    >>> rate = mg.keras.optimizers.schedules.ExponentialDecay(0.5, decay_steps=2, decay_rate=0.25)
    >>> print(float(rate(0)), float(rate(1)), float(rate(2)))
    0.5 0.25 0.125
    """

    def decayed(self, initial, rate, share):
        """The learning rate, when this share of the steps is over."""
        return initial * rate**share


class InverseTimeDecay(InStairs):
    """initial_learning_rate / (1 + decay_rate * step / decay_steps), in stairs if wanted.

    >>> import minigrad as mg
    >>> rate = mg.keras.optimizers.schedules.InverseTimeDecay(0.5, decay_steps=2, decay_rate=1.0)
    >>> print(float(rate(0)), float(rate(2)), float(rate(6)))
    0.5 0.25 0.125
    """

    def decayed(self, initial, rate, share):
        """The learning rate, when this share of the steps is over."""
        return initial / (1 + rate * share)


class PolynomialDecay(Decay):
    """From the first learning rate to the last, along (1 - step / decay_steps) ** power.

    Args:
        initial_learning_rate: the first.
        decay_steps: when the last is reached.
        end_learning_rate: the last.
        power: 1.0 is a straight line.
        cycle: go on with twice the steps when they are over, then with three times, and so on.
        name: accepted as in TensorFlow, without effect.

    >>> import minigrad as mg
    >>> rate = mg.keras.optimizers.schedules.PolynomialDecay(0.5, decay_steps=2, end_learning_rate=0.25)
    >>> print(float(rate(0)), float(rate(1)), float(rate(9)))
    0.5 0.375 0.25
    """

    def __init__(self, initial_learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, name="PolynomialDecay"):
        super().__init__(initial_learning_rate, decay_steps)
        self.end_learning_rate, self.power, self.cycle, self.name = end_learning_rate, power, cycle, name

    def __call__(self, step):
        initial, step, steps = self.start(step)
        last, power = cast(self.end_learning_rate, initial.dtype), cast(self.power, initial.dtype)  # of ints, whole numbers too
        if self.cycle:
            steps = steps * math.maximum(math.ceil(step / steps), 1)
        share = math.minimum(step, steps) / steps
        return cast(initial - last, share.dtype) * (1 - share) ** cast(power, share.dtype) + cast(last, share.dtype)


class CosineDecay(Decay):
    """Half a wave of the cosine, from the first learning rate to its part `alpha`.

    Args:
        initial_learning_rate: the first.
        decay_steps: how long the half wave takes.
        alpha: which part of it is left at the end.
        name: accepted as in TensorFlow, without effect.
        warmup_target: if given, the wave begins here, and a straight line leads to it from the first.
        warmup_steps: how long the line takes.

    >>> import minigrad as mg
    >>> rate = mg.keras.optimizers.schedules.CosineDecay(0.0, decay_steps=2, warmup_target=0.5, warmup_steps=2)
    >>> print(float(rate(0)), float(rate(1)), float(rate(2)), float(rate(4)))
    0.0 0.25 0.5 0.0
    """

    def __init__(self, initial_learning_rate, decay_steps, alpha=0.0, name="CosineDecay", warmup_target=None, warmup_steps=0):
        super().__init__(initial_learning_rate, decay_steps)
        self.alpha, self.name, self.warmup_target, self.warmup_steps = alpha, name, warmup_target, warmup_steps

    def __call__(self, step):
        first, step, steps = self.start(step)
        if self.warmup_target is not None:
            top, warmup = cast(self.warmup_target, first.dtype), cast(self.warmup_steps, first.dtype)
            if step < warmup:
                return (top - first) * (step / warmup) + first
            first, step = top, step - warmup
        alpha = cast(self.alpha, first.dtype)
        wave = 0.5 * (1.0 + math.cos(np.pi * (math.minimum(step, steps) / steps)))
        return first * ((1 - alpha) * wave + alpha)


class PiecewiseConstantDecay(Schedule):
    """The first of the values up to and with the first of the boundaries, then the second, and so on.

    >>> import minigrad as mg
    >>> rate = mg.keras.optimizers.schedules.PiecewiseConstantDecay([2, 4], [1.0, 0.5, 0.25])
    >>> print(float(rate(2)), float(rate(3)), float(rate(5)))
    1.0 0.5 0.25
    """

    def __init__(self, boundaries, values, name="PiecewiseConstant"):
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. "
                f"Received: boundaries={boundaries} of length {len(boundaries)}, and values={values} of length {len(values)}."
            )
        self.boundaries, self.values, self.name = boundaries, values, name

    def __call__(self, step):
        step, values = convert(step).value, stack([convert(value) for value in self.values])
        return values[int(np.sum(step > np.array(self.boundaries).astype(step.dtype)))]


class schedules:
    """Learning rates that change with the steps."""

    LearningRateSchedule, ExponentialDecay, InverseTimeDecay = Schedule, ExponentialDecay, InverseTimeDecay
    PolynomialDecay, CosineDecay, PiecewiseConstantDecay = PolynomialDecay, CosineDecay, PiecewiseConstantDecay


OPTIMIZERS = {cls.__name__.lower(): cls for cls in (SGD, Adam, AdamW, RMSprop, Adagrad)}


def get(identifier):
    """The optimizer of this name, with its default settings; an optimizer, or None, is returned as it is.

    Args:
        identifier: a name, an optimizer, None, or a dict: the name under "class_name", and settings under "config".

    Raises:
        ValueError: there is none of this name.

    >>> import minigrad as mg
    >>> print(float(mg.keras.optimizers.get({"class_name": "SGD", "config": {"learning_rate": 0.5}}).learning_rate))
    0.5
    """
    if identifier is None or isinstance(identifier, Optimizer):
        return identifier
    name, settings = (identifier["class_name"], identifier.get("config", {})) if isinstance(identifier, dict) else (identifier, {})
    if not isinstance(name, str) or name.lower() not in OPTIMIZERS:
        raise ValueError(f"Could not interpret optimizer identifier: {identifier}. Known are {', '.join(OPTIMIZERS)}.")
    return OPTIMIZERS[name.lower()](**settings)
