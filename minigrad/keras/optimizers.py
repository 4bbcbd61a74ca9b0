"""tf.keras.optimizers: update Variables with gradients, and learning rate schedules.

Each optimizer is a few lines of NumPy: its method `update`.
"""

import contextlib
import re
import warnings

import numpy as np

from .. import errors, math
from ..engine import IndexedSlices, SparseRows, Tensor, another_dtype, bracketed, convert, named
from ..errors import by_kernel, received, visible
from ..ops import cast, stack
from ..program.module import restore_what_waits
from . import initializers
from .utils import checked_name, snake_case, unique_name
from .variable import Variable, inside

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "get", "schedules"]


class Optimizer:
    """The base class: a subclass defines `update_step`, and `build` if it keeps Variables of its own.

    (The optimizers of this file name their `slots`, arrays kept for each Variable, with their values before the first
    step, in one dict for those that are made Variable by Variable; and they define `update` in NumPy.)

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        weight_decay: subtract `weight_decay * learning_rate * value` from each Variable in each step.
        clipnorm: the maximum L2 norm of each gradient.
        clipvalue: the maximum absolute value of each element of a gradient.
        global_clipnorm: the maximum L2 norm of all gradients together.
        use_ema: keep an exponential moving average of each Variable.
        ema_momentum: m in `average = m * average + (1 - m) * value`.
        ema_overwrite_frequency: the number of steps after which the averages are assigned to the Variables; if None,
            only `finalize_variable_values` does so.
        loss_scale_factor: divide all gradients by it; they must be gradients of `scale_loss(loss)`.
        gradient_accumulation_steps: only None.
        name: by default the name of the class in snake_case, numbered.

    Raises:
        ValueError: a setting has the wrong type or is out of range, two kinds of clipping are set, or the name has a
            slash.
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

    float_op = ""  # the op with which TensorFlow combines the Variable and a float, and so refuses integer Variables

    def __init__(self, learning_rate, weight_decay=None, clipnorm=None, clipvalue=None, global_clipnorm=None,
                 use_ema=False, ema_momentum=0.99, ema_overwrite_frequency=None, loss_scale_factor=None,
                 gradient_accumulation_steps=None, name=None, **kwargs):  # fmt: skip
        if kwargs.pop("decay", None) is not None:
            warnings.warn("Argument `decay` is no longer supported and will be ignored.", stacklevel=3)
        if kwargs:
            raise ValueError(f"Argument(s) not recognized: {kwargs}")
        if gradient_accumulation_steps is not None:
            advice = "add up the gradients of some steps, and apply the sums."
            raise errors.UnimplementedError(None, None, f"minigrad has no `gradient_accumulation_steps`: {advice}")
        check_learning_rate(learning_rate)
        clippings = dict(clipnorm=clipnorm, clipvalue=clipvalue, global_clipnorm=global_clipnorm)
        if sum(limit is not None for limit in clippings.values()) > 1:
            raise received("Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set.", **clippings)
        if use_ema and not 0 <= ema_momentum <= 1:
            raise received("`ema_momentum` must be in the range [0, 1].", ema_momentum=ema_momentum)
        frequency = ema_overwrite_frequency
        if use_ema and frequency and (not isinstance(frequency, int) or frequency < 1):
            problem = "`ema_overwrite_frequency` must be an integer >= 1 or None."
            raise received(problem, ema_overwrite_frequency=frequency)
        self.name = checked_name(name or unique_name(snake_case(type(self).__name__)))
        self.weight_decay = weight_decay
        self.clipnorm, self.clipvalue, self.global_clipnorm = clippings.values()
        self.use_ema, self.ema_momentum, self.ema_overwrite_frequency = use_ema, ema_momentum, frequency
        self.loss_scale_factor = loss_scale_factor
        with inside(self):
            self.iterations = Variable(0, dtype="int64", trainable=False, name="iteration")
            self._rate = learning_rate
            if not callable(learning_rate):
                self._rate = Variable(learning_rate, dtype="float32", trainable=False, name="learning_rate")
        self.built, self._known, self.slots, self._slots, self._averages, self._added = False, {}, [], {}, [], []
        self._undecayed, self._undecayed_names = set(), []

    @property
    def learning_rate(self):
        """The current learning rate. It can be set; but a schedule or a function can only be replaced by another one.

        Raises:
            TypeError: (when it is set) a number would replace a schedule or a function.
        """
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
            problem = "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate`"
            reason = "constructor argument, hence its learning rate is not settable."
            raise TypeError(f"{problem} {reason} Create the optimizer with a float.")

    @property
    def variables(self) -> list:
        """The Variables of the optimizer: the number of steps, the learning rate, and the slots."""
        rate = [self._rate] if isinstance(self._rate, Variable) else []
        return [self.iterations, *rate, *self._added]

    def build(self, variables) -> None:
        """Create slots for these Variables, the only ones it can train from then on. Further calls do nothing."""
        if self.built:
            return
        self._known = {variable.id: variable for variable in variables}
        if self.use_ema:
            self._averages = self.add_optimizer_variables(variables, "average")
        self._slots = {variable.id: {} for variable in variables}
        for together in self.slots:
            initial = [initializers.Constant(value) for value in together.values()]
            for slot, made in zip(together, self.add_optimizer_variables(variables, list(together), initial)):
                for variable, array in zip(variables, made):
                    self._slots[variable.id][slot] = array
        self.built = True
        restore_what_waits()

    def add_variable(self, shape, initializer="zeros", dtype=None, name=None) -> Variable:
        """Create a Variable of the optimizer."""
        with inside(self):
            variable = Variable(initializer, shape=shape, dtype=dtype, trainable=False, name=name)
        self._added.append(variable)
        return variable

    def add_variable_from_reference(self, reference_variable, name="var", initializer="zeros") -> Variable:
        """Create a Variable of the optimizer with the shape and dtype of another, whose name is a prefix of its own."""
        owner = getattr(reference_variable, "path", reference_variable.name).replace("/", "_").replace(":", "_")
        return self.add_variable(reference_variable.shape, initializer, reference_variable.dtype, f"{owner}_{name}")

    def add_optimizer_variables(self, trainable_variables, name, initializer="zeros"):
        """Create a Variable of the optimizer for each of these.

        Args:
            trainable_variables: a list of Variables.
            name: a name, or a list of names.
            initializer: a name or an initializer, or a list of one for each name.

        Returns:
            A list of Variables; for a list of names, a tuple of lists.

        Raises:
            ValueError: there are more or fewer names than initializers.
        """
        names = [name] if isinstance(name, str) else name
        initial = initializer if isinstance(initializer, (list, tuple)) else [initializer] * len(names)
        if len(names) != len(initial):
            problem = "The number of provided names must match the number of provided initializers."
            raise ValueError(f"{problem} Received name='{visible(name)}', initializer='{visible(initializer)}'")
        columns: tuple = tuple([] for _ in names)
        for variable in trainable_variables:
            for column, *one in zip(columns, names, initial):
                column.append(self.add_variable_from_reference(variable, *one))
        return columns[0] if isinstance(name, str) else columns

    def _get_variable_index(self, variable):  # used in subclasses, in the documentation of Keras
        return list(self._known).index(variable.id)

    def assign(self, variable, value) -> None:
        """Set a Variable to a value, cast to its dtype; for IndexedSlices, only the rows that they contain."""
        update_variable(variable, value, "assign", "scatter_update")

    def assign_add(self, variable, value) -> None:
        """Add to a Variable; the value is treated as in `assign`."""
        update_variable(variable, value, "assign_add", "scatter_add")

    def assign_sub(self, variable, value) -> None:
        """Subtract from a Variable; the value is treated as in `assign`."""
        update_variable(variable, value, "assign_sub", "scatter_sub")

    def scale_loss(self, loss):
        """`loss * loss_scale_factor`, or the loss if there is no factor."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    def finalize_variable_values(self, var_list) -> None:
        """With `use_ema`, assign the averages to the Variables, at the end of training."""
        for variable, average in zip(var_list, self._averages):
            variable.assign(average)

    def apply_gradients(self, grads_and_vars):
        """Take one step.

        Args:
            grads_and_vars: pairs of a gradient, as `tape.gradient` returns it, and its Variable. Where the gradient is
                None, the Variable is skipped, with a warning.

        Returns:
            A Variable: the number of steps taken.

        Raises:
            ValueError: all gradients are None, the items are not pairs, or a Variable was not part of the first step.
            InvalidArgumentError: the shapes of a gradient and its Variable differ. Then no Variable is changed.
        """
        grads, variables = zip(*grads_and_vars)
        self.apply(grads, variables)
        return self.iterations

    def apply(self, grads, trainable_variables=None) -> None:
        """Take one step, like `apply_gradients`, with gradients and Variables in two lists.

        Args:
            grads: gradients, or None where there is none.
            trainable_variables: their Variables; by default those of the first step.
        """
        variables = list(self._known.values()) if trainable_variables is None else list(trainable_variables)
        if not len(grads):
            return
        if len(grads) != len(variables):
            problem = "Each Variable needs its gradient, or None:"
            raise ValueError(f"{problem} there are {len(grads)} gradients for {len(variables)} Variables.")
        if not self.built:
            self.build(variables)
        for variable in variables:
            if variable.id not in self._known:
                problem = "This optimizer can only be called for the variables it was originally built with."
                advice = "When working with a new set of variables, you should recreate a new optimizer instance."
                raise ValueError(f"Unknown variable: {variable}. {problem} {advice}")
        with all_or_nothing([*self._known.values(), *self.variables]):
            grads, variables = overwritten(grads, variables)
            if variables:
                self.step(*with_gradients(grads, variables))
        self.iterations.assign_add(1)

    def step(self, grads, variables):
        """Update all Variables: weight decay, then the gradients, averages and constraints."""
        values = self.clipped([self.unscaled(values_of(dx, v)) for dx, v in zip(grads, variables)])
        rate = self.learning_rate
        for variable in variables:
            left_out = any(re.search(part, variable.name) for part in self._undecayed_names)
            if variable.id not in self._undecayed and not left_out:
                self.decay(inner(variable), rate)
        for dx, value, variable in zip(grads, values, variables):
            gradient = Tensor.of(dense(dx, value)) if self.global_clipnorm else with_values(dx, value)
            self.update_step(gradient, inner(variable), rate)
        if self.use_ema:
            self.update_averages()
        for variable in variables:
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable))

    def unscaled(self, dx):
        """The values of a gradient divided by `loss_scale_factor`."""
        return dx if self.loss_scale_factor is None else dx / dx.dtype.type(self.loss_scale_factor)

    def decay(self, variable, rate):
        """Subtract `weight_decay * rate * value`."""
        if self.weight_decay is not None:
            value, in_dtype = variable.numpy(), variable.dtype.as_numpy_dtype
            variable.assign_sub(value * in_dtype(np.float32(self.weight_decay)) * convert(rate).value.astype(in_dtype))

    def exclude_from_weight_decay(self, var_list=None, var_names=None) -> None:
        """Exclude Variables from weight decay; call it before the first step.

        Args:
            var_list: Variables.
            var_names: parts of the names of Variables: `["bias"]` for all biases.

        Raises:
            ValueError: a step has already been taken.
        """
        if self.built:
            problem = "`exclude_from_weight_decay()` can only be configured before the optimizer is built."
            raise ValueError(problem)
        self._undecayed, self._undecayed_names = {variable.id for variable in var_list or []}, list(var_names or [])

    def update_averages(self):
        """Update the moving averages; every `ema_overwrite_frequency` steps, assign them to their Variables."""
        momentum = self.ema_momentum if self.iterations.numpy() else 0.0
        for variable, average in zip(self._known.values(), self._averages):
            old, new = average.numpy(), variable.numpy()
            average.assign(momentum * old + (1 - momentum) * new)
        if self.ema_overwrite_frequency and (self.iterations.numpy() + 1) % self.ema_overwrite_frequency == 0:
            self.finalize_variable_values(self._known.values())

    def update_step(self, gradient, variable, learning_rate):
        """Update one Variable.

        Args:
            gradient: a Tensor of the shape of the Variable, or (without `global_clipnorm`) IndexedSlices; clipped if a
                setting says so.
            variable: the `mg.Variable`; for a Keras Variable its `value`.
            learning_rate: a Keras Variable or a Tensor.
        """
        self.check_not_integer(variable)
        own = variable.dtype.as_numpy_dtype
        in_dtype = np.float32 if variable.dtype.is_integer else own  # integers are updated in float32
        slots = {name: convert(slot).value.astype(in_dtype) for name, slot in self._slots[variable.id].items()}
        values = (gradient.values if isinstance(gradient, IndexedSlices) else gradient).value
        dx, squared = [dense(gradient, one).astype(in_dtype) for one in (values, values * values)]
        rate = convert(learning_rate).value.astype(np.float32).astype(own).astype(in_dtype)
        try:
            step = self.update(dx, squared, slots, rate, in_dtype)
        except ValueError as problem:
            raise incompatible(variable.shape, dx.shape) if "broadcast" in str(problem) else problem from None
        for name, slot in slots.items():
            self.assign(self._slots[variable.id][name], slot)
        self.assign_sub(variable, step)

    def check_not_integer(self, variable):
        """Raise an error for an integer Variable if TensorFlow does so for this optimizer.

        Raises:
            InvalidArgumentError: it is one.
        """
        if self.float_op and variable.dtype.is_integer:
            problem = another_dtype(self.float_op, 1, variable.dtype.dtype, np.dtype(np.float32))
            advice = f"{type(self).__name__} cannot train whole numbers. Make {visible(variable.name)} of floats."
            raise by_kernel(self.float_op, f"{problem}: {advice}")

    def clipped(self, grads):
        """The gradients after clipping."""
        if self.clipvalue:
            return [np.clip(dx, -self.clipvalue, self.clipvalue) for dx in grads]
        if self.clipnorm:
            return [clipped_by_norm(dx, norm([dx]), self.clipnorm) for dx in grads]
        if self.global_clipnorm:
            global_norm = norm(grads)
            return [clipped_by_norm(dx, global_norm, self.global_clipnorm) for dx in grads]
        return grads

    def update(self, dx, squared, slots, rate, in_dtype):
        """The array to subtract from a Variable with the gradient dx.

        Args:
            dx: an array; in float32 for an integer Variable, and then so are all the others.
            squared: dx * dx; for a row that occurs twice in `IndexedSlices`, the sum of the squares, as in Keras.
            slots: name -> array of the shape of dx. Arrays assigned to it are kept for the next step.
            rate: the learning rate, in the dtype of dx.
            in_dtype: converts a number to this dtype.
        """
        raise NotImplementedError


def check_learning_rate(learning_rate):
    if not isinstance(learning_rate, float) and not callable(learning_rate):
        problem = "Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a callable"
        what = "(that takes in the current iteration value and returns the corresponding learning rate value)."
        raise ValueError(f"{problem} {what} Received instead: learning_rate={visible(learning_rate)}")


@contextlib.contextmanager
def all_or_nothing(variables):
    """A block that restores the values of these Variables if it raises an error."""
    before = [inner(variable)._now.value for variable in variables]
    try:
        yield
    except Exception:
        for variable, value in zip(variables, before):
            variable.assign(value)
        raise


def incompatible(shape, other):
    shapes = f"{bracketed(shape)} vs. {bracketed(other)}"
    return by_kernel("Sub", f"Incompatible shapes: {shapes}: a gradient has the shape of its Variable.")


def add_without_broadcast(x, dx):
    """x + dx for equal shapes, as in an update of a Variable.

    Raises:
        InvalidArgumentError: the shapes differ.
    """
    if dx.shape != x.shape:
        shapes = f"variable with shape {bracketed(x.shape)} using a Tensor with shape {bracketed(dx.shape)}"
        problem = f"Cannot update {shapes}, shapes must be equal: a gradient has the shape of its Variable."
        raise by_kernel("AssignAddVariableOp", problem)
    return x + dx


def inner(variable):
    """The `mg.Variable` inside a Keras Variable; an `mg.Variable` itself."""
    return variable.value if isinstance(variable, Variable) else variable


def values_of(dx, variable):
    """The values of a gradient in the dtype of its Variable; for IndexedSlices, those of the rows."""
    value = dx.values.value if isinstance(dx, IndexedSlices) else convert(dx).value
    return value.astype(inner(variable).dtype.dtype, copy=False)


def with_values(dx, values):
    """The gradient with other values."""
    values = Tensor.of(values)
    return dx.with_values(values) if isinstance(dx, IndexedSlices) else values


def dense(dx, values):
    """These values as a dense array in the shape of the gradient dx."""
    return SparseRows(values, dx.indices.value, dx.shape).dense() if isinstance(dx, IndexedSlices) else values


def update_variable(variable, value, dense_method, sparse_method):
    """Call the dense or the sparse method of a Variable, by the kind of the value, which is cast to its dtype."""
    variable = inner(variable)
    if isinstance(value, IndexedSlices):
        getattr(variable, sparse_method)(with_values(value, cast(value.values, variable.dtype).value))
    else:
        getattr(variable, dense_method)(cast(value, variable.dtype))


def with_gradients(grads, variables):
    """The gradients that are not None, and their Variables.

    Raises:
        ValueError: all are None.
    """
    missing = [getattr(v, "path", v.name) for dx, v in zip(grads, variables) if dx is None]
    if len(missing) == len(grads):
        raise ValueError("No gradients provided for any variable.")
    if missing:
        problem = f"Gradients do not exist for variables {missing} when minimizing the loss."
        advice = "If using `model.compile()`, did you forget to provide a `loss` argument?"
        warnings.warn(f"{problem} {advice}", stacklevel=4)
    return zip(*[(dx, v) for dx, v in zip(grads, variables) if dx is not None])


def norm(arrays):
    """The L2 norm of all elements together."""
    return np.sqrt(sum(np.sum(x * x) for x in arrays))


def clipped_by_norm(dx, norm, limit):
    return dx * limit / np.maximum(norm, limit)


class SGD(Optimizer):
    """Stochastic gradient descent: x -= rate * dx.

    With momentum, m = momentum * m - rate * dx and x += m; with Nesterov's, x += momentum * m - rate * dx.

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        momentum: a float in [0, 1].
        nesterov: whether to use Nesterov's momentum.
        *settings, **named: those of `Optimizer`.

    Raises:
        ValueError: the momentum is not a float in [0, 1].

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
        self.slots = [{"momentum": 0.0}] if momentum else []

    def update(self, dx, squared, slots, rate, in_dtype):
        if not self.momentum:
            return dx * rate
        momentum = in_dtype(np.float32(self.momentum))
        m = slots["momentum"] = slots["momentum"] * momentum - dx * rate
        return dx * rate - m * momentum if self.nesterov else -m


class Adam(Optimizer):
    """x -= rate * m / (sqrt(v) + epsilon), with moving averages m of the gradients and v of their squares.

    The rate is `learning_rate * sqrt(1 - beta_2**t) / (1 - beta_1**t)` in step t (Kingma and Ba, 2015).

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        beta_1: m = beta_1 * m + (1 - beta_1) * dx.
        beta_2: v = beta_2 * v + (1 - beta_2) * dx**2.
        epsilon: keeps the divisor above 0.
        amsgrad: divide by the largest v so far (Reddi et al., 2018).
        *settings, **named: those of `Optimizer`.

    >>> import minigrad as mg
    >>> v = mg.Variable(1.0)
    >>> _ = mg.keras.optimizers.Adam(0.5).apply_gradients([(mg.constant(8.0), v)])
    >>> print(v.numpy().round(4))
    0.5
    """

    float_op = "Mul"

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False, *settings, **named):
        super().__init__(learning_rate, *settings, **named)
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad
        self.slots = [{"momentum": 0.0, "velocity": 0.0}, *[{"velocity_hat": 0.0}] * amsgrad]

    def update(self, dx, squared, slots, rate, in_dtype):
        t = (convert(self.iterations).value + 1).astype(in_dtype)
        beta_1, beta_2 = in_dtype(np.float32(self.beta_1)), in_dtype(np.float32(self.beta_2))
        alpha = rate * np.sqrt(1 - beta_2**t) / (1 - beta_1**t)
        m, v = slots["momentum"], slots["velocity"]
        m = slots["momentum"] = add_without_broadcast(m, (dx - m) * (1 - self.beta_1))
        v = slots["velocity"] = add_without_broadcast(v, (squared - v) * (1 - self.beta_2))
        if self.amsgrad:
            v = slots["velocity_hat"] = np.maximum(slots["velocity_hat"], v)
        return m * alpha / (np.sqrt(v) + self.epsilon)


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019): x -= weight_decay * learning_rate * x as well.

    Args:
        learning_rate, beta_1, beta_2, epsilon, amsgrad: those of `Adam`.
        weight_decay: a float.
        *settings, **named: those of `Optimizer`.

    Raises:
        ValueError: `weight_decay` is None.

    >>> import minigrad as mg
    >>> x = mg.Variable([1.0])
    >>> _ = mg.keras.optimizers.AdamW(0.1, weight_decay=0.5).apply_gradients([(mg.constant([0.0]), x)])
    >>> print(x.numpy())
    [0.95]
    """

    def __init__(self, learning_rate=0.001, weight_decay=0.004, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False,
                 *settings, **named):  # fmt: skip
        if weight_decay is None:
            problem = "Argument `weight_decay` must be a float."
            raise ValueError(f"{problem} Received: weight_decay=None. Without it, write Adam.")
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay, *settings, **named)


class RMSprop(Optimizer):
    """x -= rate * dx / sqrt(v + epsilon), with a moving average v of the squared gradients (Tieleman and Hinton, 2012).

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        rho: v = rho * v + (1 - rho) * dx**2.
        momentum: add the previous step times this.
        epsilon: keeps the divisor above 0.
        centered: subtract the squared moving average of the gradients from v, so that it estimates their variance.
        *settings, **named: those of `Optimizer`.

    >>> import minigrad as mg
    >>> v = mg.Variable(1.0)
    >>> _ = mg.keras.optimizers.RMSprop(0.1).apply_gradients([(mg.constant(8.0), v)])
    >>> print(v.numpy().round(4))
    0.6838
    """

    def __init__(self, learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False, *settings, **named):
        super().__init__(learning_rate, *settings, **named)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered
        names = ["velocity", *["momentum"] * bool(momentum > 0), *["average_gradient"] * centered]
        self.slots = [{name: 0.0} for name in names]
        self.float_op = "AddV2" if centered else ""

    def update(self, dx, squared, slots, rate, in_dtype):
        v = slots["velocity"] = self.rho * slots["velocity"] + (1 - self.rho) * squared
        if self.centered:
            mean = slots["average_gradient"] = self.rho * slots["average_gradient"] + (1 - self.rho) * dx
            v = v - mean * mean
        step = rate * dx / np.sqrt(v + self.epsilon)
        if self.momentum > 0:
            step = slots["momentum"] = self.momentum * slots["momentum"] + step
        return step


class Adagrad(Optimizer):
    """x -= rate * dx / sqrt(total + epsilon), with the sum of all squared gradients so far (Duchi et al., 2011).

    Args:
        learning_rate: a float, a schedule, or a function without arguments.
        initial_accumulator_value: the sum before the first step.
        epsilon: keeps the divisor above 0.
        *settings, **named: those of `Optimizer`.

    >>> import minigrad as mg
    >>> v = mg.Variable(1.0)
    >>> _ = mg.keras.optimizers.Adagrad(0.5).apply_gradients([(mg.constant(8.0), v)])
    >>> print(v.numpy().round(4))
    0.5004
    """

    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, *settings, **named):
        super().__init__(learning_rate, *settings, **named)
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon
        self.slots = [{"accumulator": initial_accumulator_value}]

    def update(self, dx, squared, slots, rate, in_dtype):
        total = slots["accumulator"] = add_without_broadcast(slots["accumulator"], squared)
        return rate * dx / np.sqrt(total + self.epsilon)


# ---- learning rate schedules ---------------------------------------------------------------------------------------


def overwritten(grads, variables):
    """Assign gradients to Variables with `overwrite_with_gradient`; return the other gradients and Variables."""
    rest = []
    for dx, variable in zip(grads, variables):
        if getattr(variable, "overwrite_with_gradient", False):
            variable.assign(dx)
        else:
            rest.append((dx, variable))
    return [dx for dx, _ in rest], [variable for _, variable in rest]


class Schedule:
    """The base class: a subclass defines `__call__(self, step)`, which returns the learning rate of a step.

    >>> import minigrad as mg
    >>> class Halved(mg.keras.optimizers.schedules.LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 0.5 / (mg.cast(step, mg.float32) + 1.0)
    >>> print(float(mg.keras.optimizers.SGD(Halved()).learning_rate))
    0.5
    """

    def __call__(self, step):
        problem = f"Learning rate schedule '{type(self).__name__}'"
        raise NotImplementedError(f"{problem} must override `__call__(self, step)`.")


class Decay(Schedule):
    """The base class of schedules that depend on `step / decay_steps`."""

    def __init__(self, initial_learning_rate, decay_steps, called="decay_steps"):
        if decay_steps <= 0:
            raise received(f"Argument `{called}` must be > 0.", **{called: decay_steps})
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps

    def in_one_dtype(self, *numbers):
        """The initial learning rate, `decay_steps` and other numbers, all in the dtype of the first."""
        initial = convert(self.initial_learning_rate)
        return [initial, *[cast(one, initial.dtype) for one in (self.decay_steps, *numbers)]]


def rate_decay(name, formula, decayed, example):
    """Make the class of a schedule that depends on a rate and on `step / decay_steps`, the number of periods."""

    class RateDecay(Decay):
        """{formula}.

        Args:
            initial_learning_rate, decay_steps, decay_rate: numbers.
            staircase: whether to round `step / decay_steps` down.

        Raises:
            ValueError: `decay_steps` is not positive.

        >>> import minigrad as mg
        >>> rate = mg.keras.optimizers.schedules.{name}(0.5, decay_steps=2, decay_rate={example})
        >>> print(float(rate(0)), float(rate(2)))
        0.5 0.25
        """

        def __init__(self, initial_learning_rate, decay_steps, decay_rate, staircase=False, name=name):
            super().__init__(initial_learning_rate, decay_steps)
            self.decay_rate, self.staircase, self.name = decay_rate, staircase, name

        def __call__(self, step):
            initial, steps, step, rate = self.in_one_dtype(step, self.decay_rate)
            periods = math.floor(step / steps) if self.staircase else step / steps  # float64 for integers
            return decayed(cast(initial, periods.dtype), cast(rate, periods.dtype), periods)

    return named(RateDecay, name, formula=formula, example=example)


ExponentialDecay = rate_decay(
    "ExponentialDecay", "initial_learning_rate * decay_rate ** (step / decay_steps)",
    lambda initial, rate, periods: initial * rate**periods, 0.5,
)  # fmt: skip
InverseTimeDecay = rate_decay(
    "InverseTimeDecay", "initial_learning_rate / (1 + decay_rate * step / decay_steps)",
    lambda initial, rate, periods: initial / (1 + rate * periods), 1.0,
)  # fmt: skip


class PolynomialDecay(Decay):
    """(initial_learning_rate - end_learning_rate) * (1 - step / decay_steps) ** power + end_learning_rate.

    Args:
        initial_learning_rate: the learning rate of step 0.
        decay_steps: the step from which the rate is `end_learning_rate`.
        end_learning_rate: the final learning rate.
        power: of the polynomial; 1.0 is linear.
        cycle: beyond `decay_steps`, use its next multiple instead, so that the rate rises and decays again.

    Raises:
        ValueError: `decay_steps` is not positive.

    >>> import minigrad as mg
    >>> rate = mg.keras.optimizers.schedules.PolynomialDecay(0.5, decay_steps=2, end_learning_rate=0.25)
    >>> print(float(rate(0)), float(rate(1)), float(rate(9)))
    0.5 0.375 0.25
    """

    def __init__(self, initial_learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False,
                 name="PolynomialDecay"):  # fmt: skip
        super().__init__(initial_learning_rate, decay_steps)
        self.end_learning_rate, self.power, self.cycle, self.name = end_learning_rate, power, cycle, name

    def __call__(self, step):
        # as in TensorFlow, with an integer initial learning rate the last two are truncated to integers
        initial, steps, step, end, power = self.in_one_dtype(step, self.end_learning_rate, self.power)
        if self.cycle:
            steps = steps * math.maximum(math.ceil(step / steps), 1)
        progress = math.minimum(step, steps) / steps
        dtype = progress.dtype
        return cast(initial - end, dtype) * (1 - progress) ** cast(power, dtype) + cast(end, dtype)


class CosineDecay(Decay):
    """initial_learning_rate * ((1 - alpha) * (1 + cos(pi * step / decay_steps)) / 2 + alpha).

    (Loshchilov and Hutter, 2017, without restarts.)

    Args:
        initial_learning_rate: the learning rate of step 0.
        decay_steps: the number of steps of the decay.
        alpha: the final learning rate, as a fraction of the rate at the start of the decay.
        warmup_target: the learning rate rises linearly to this one before it decays from there; None for no warmup.
        warmup_steps: the number of warmup steps.

    Raises:
        ValueError: `decay_steps` is not positive.

    >>> import minigrad as mg
    >>> rate = mg.keras.optimizers.schedules.CosineDecay(0.0, decay_steps=2, warmup_target=0.5, warmup_steps=2)
    >>> print(float(rate(0)), float(rate(1)), float(rate(2)), float(rate(4)))
    0.0 0.25 0.5 0.0
    """

    def __init__(self, initial_learning_rate, decay_steps, alpha=0.0, name="CosineDecay", warmup_target=None,
                 warmup_steps=0):  # fmt: skip
        super().__init__(initial_learning_rate, decay_steps)
        self.alpha, self.name, self.warmup_target, self.warmup_steps = alpha, name, warmup_target, warmup_steps

    def __call__(self, step):
        target = self.initial_learning_rate if self.warmup_target is None else self.warmup_target
        initial, steps, step, alpha, target, warmup = self.in_one_dtype(step, self.alpha, target, self.warmup_steps)
        if self.warmup_target is not None:
            if step < warmup:
                return (target - initial) * (step / warmup) + initial
            initial, step = target, step - warmup
        cosine = 0.5 * (1.0 + math.cos(np.pi * (math.minimum(step, steps) / steps)))
        return initial * ((1 - alpha) * cosine + alpha)


class CosineDecayRestarts(Decay):
    """`CosineDecay` repeated, each period longer or lower than the one before (Loshchilov and Hutter, 2017).

    Args:
        initial_learning_rate: the learning rate of step 0.
        first_decay_steps: the number of steps of the first period.
        t_mul: the factor of the length of each period relative to the one before.
        m_mul: the factor of the initial rate of each period relative to the one before.
        alpha: the smallest learning rate, as a fraction of the initial one.

    Raises:
        ValueError: `first_decay_steps` is not positive.

    >>> import minigrad as mg
    >>> rate = mg.keras.optimizers.schedules.CosineDecayRestarts(1.0, first_decay_steps=2, m_mul=0.5)
    >>> print([round(float(rate(step)), 4) for step in (0, 1, 2, 4, 6)])
    [1.0, 0.5, 0.5, 0.25, 0.25]
    """

    def __init__(self, initial_learning_rate, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name="SGDRDecay"):
        super().__init__(initial_learning_rate, first_decay_steps, "first_decay_steps")
        self.first_decay_steps, self.t_mul, self.m_mul, self.alpha = first_decay_steps, t_mul, m_mul, alpha
        self.name = name

    def __call__(self, step):
        initial, steps, step, alpha, longer, lower = self.in_one_dtype(step, self.alpha, self.t_mul, self.m_mul)
        progress = step / steps  # in units of the first period
        if self.t_mul == 1:
            period = math.floor(progress)
            progress = progress - period
        else:
            period = math.floor(math.log(1.0 - progress * (1.0 - longer)) / math.log(longer))
            length = longer**period
            progress = (progress - (1.0 - length) / (1.0 - longer)) / length
        cosine = 0.5 * lower**period * (1.0 + math.cos(np.pi * progress))
        return initial * ((1 - alpha) * cosine + alpha)


class PiecewiseConstantDecay(Schedule):
    """values[0] for step <= boundaries[0], values[1] for step <= boundaries[1], and so on; afterwards values[-1].

    Args:
        boundaries: increasing step numbers.
        values: learning rates, one more than boundaries.

    Raises:
        ValueError: there is a wrong number of values.

    >>> import minigrad as mg
    >>> rate = mg.keras.optimizers.schedules.PiecewiseConstantDecay([2, 4], [1.0, 0.5, 0.25])
    >>> print(float(rate(2)), float(rate(3)), float(rate(5)))
    1.0 0.5 0.25
    """

    def __init__(self, boundaries, values, name="PiecewiseConstant"):
        if len(boundaries) != len(values) - 1:
            problem = "The length of boundaries should be 1 less than the length of values."
            given = f"boundaries={visible(boundaries)} of length {len(boundaries)}"
            raise ValueError(f"{problem} Received: {given}, and values={visible(values)} of length {len(values)}.")
        self.boundaries, self.values, self.name = boundaries, values, name

    def __call__(self, step):
        step, values = convert(step).value, stack([convert(value) for value in self.values])
        return values[int(np.sum(step > np.array(self.boundaries).astype(step.dtype)))]


class schedules:
    """tf.keras.optimizers.schedules: learning rates that depend on the step.

    >>> import minigrad as mg
    >>> rate = mg.keras.optimizers.schedules.PolynomialDecay(0.5, decay_steps=2, end_learning_rate=0.25)
    >>> print(float(mg.keras.optimizers.SGD(rate).learning_rate))
    0.5
    """

    LearningRateSchedule, ExponentialDecay, InverseTimeDecay = Schedule, ExponentialDecay, InverseTimeDecay
    PolynomialDecay, CosineDecay, PiecewiseConstantDecay = PolynomialDecay, CosineDecay, PiecewiseConstantDecay
    CosineDecayRestarts = CosineDecayRestarts


OPTIMIZERS = {cls.__name__.lower(): cls for cls in (SGD, Adam, AdamW, RMSprop, Adagrad)}


def get(identifier):
    """The optimizer of a name, a class, or a dict {"class_name": name, "config": settings}; others are returned.

    >>> import minigrad as mg
    >>> print(float(mg.keras.optimizers.get({"class_name": "SGD", "config": {"learning_rate": 0.5}}).learning_rate))
    0.5
    """
    if identifier is None or isinstance(identifier, Optimizer):
        return identifier
    name, settings = identifier, {}
    if isinstance(identifier, dict):
        name, settings = identifier["class_name"], identifier.get("config", {})
    if not isinstance(name, str) or name.lower() not in OPTIMIZERS:
        known = ", ".join(OPTIMIZERS)
        raise ValueError(f"Could not interpret optimizer identifier: {visible(identifier)}. Known are {known}.")
    return OPTIMIZERS[name.lower()](**settings)
