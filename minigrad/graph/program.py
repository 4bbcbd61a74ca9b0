"""`mg.written`: the NumPy program that a careful person would have written by hand."""

import keyword
from collections.abc import Callable
from typing import Any

from .run import Run
from .text import Text


class Written:
    """A function, written out for arguments like those of one run: `print` shows the text.

    Attributes:
        source: the text: a Python function that needs NumPy alone, as `np`.
        variables: name -> the Variable behind a parameter; these parameters come after the arguments.
        constants: name -> array: the last parameters, for arrays of the run that are too large for the text.
        functions: name -> function: those that the text calls and that are not single NumPy functions; usually empty.
    """

    def __init__(self, run: Run, name: str):
        text = Text(run, name)
        self.source, self.constants, self.functions = text.source, text.constants, text.functions
        self.variables = {text.inputs[name]: variable for name, variable in run.variable_inputs().items()}

    def __str__(self):
        return self.source

    __repr__ = __str__

    def _repr_markdown_(self):
        return f"```python\n{self.source}```"


def written(function: Callable, *args: Any, **kwargs: Any) -> Written:
    """A function and the backward passes of its tapes, written out as a program that needs only NumPy.

    The function runs once, and every NumPy call is recorded: those of its ops, of the VJPs of its tapes, and of Keras.
    Names are taken from its own source and from the source of the ops. Where it decides on a value (`if x > 0`), a
    comment tells which branch this run took: the program holds for that branch, and for arguments of these shapes.
    Repeated lines become a `for` where that is the same program.

    Args:
        function: computes with Tensors and Variables, and may return any nest of them.
        *args, **kwargs: the arguments for the call. Tensors and arrays become parameters of the program, as do the
            Variables that the function reads. Python numbers are written into it, and so are the random numbers of this
            run.

    Returns:
        A `Written`. Its function returns what the given one returns, followed by the new values of the Variables that
        it assigns. The Variables themselves are not changed.

    Raises:
        NotImplementedError: the function makes a Variable, or reads the numbers of a Tensor, as by `np.mean(x)`.
        AttributeError: it calls `x.numpy()`, which a traced Tensor does not have.

    >>> import minigrad as mg
    >>> w = mg.Variable([1.0, 2.0])
    >>> def slope(x):
    ...     with mg.GradientTape() as tape:
    ...         y = mg.tanh(w * x)
    ...     return tape.gradient(y, w)
    >>> print(mg.written(slope, mg.constant(3.0)))
    def slope(x, w):
        y = np.tanh(w * x)
        # backward pass
        d = 1 - y * y
        dw = d * x
        return dw
    <BLANKLINE>
    """
    return Written(Run(function, args, kwargs), name_of(function))


def name_of(function):
    """The name of a function; `function` if its name is not a valid identifier."""
    name = getattr(function, "__name__", "")
    return name if name.isidentifier() and not keyword.iskeyword(name) else "function"
