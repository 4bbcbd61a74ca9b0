"""`mg.written`: the NumPy program that a careful person would have written by hand."""

import keyword
from collections.abc import Callable
from typing import Any

from .run import Run
from .text import Text


class Written:
    """A function, written out for arguments like those of one run: `print` shows the text, calling it runs the text.

    Attributes:
        source: the text: a Python function that needs NumPy alone, as `np`.
        variables: name -> the Variable that a parameter stands for: they come after the arguments.
        constants: name -> array: its last parameters, the arrays of the run that are too large for the text.
        functions: name -> function: what the text calls that is no single function of NumPy's; empty for most.
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
    """What a function computes, and what its tapes do, as a program that needs NumPy alone.

    The function is run once, and what it asks of NumPy is noted: its ops, the VJPs of its tapes, whatever Keras does.
    The names are those of its own source, and of the source of the ops. Where it decides on a value (`if x > 0`), a
    comment tells which way this run went: the program is that of this way, and of arguments of these shapes. Lines that
    come again and again are a `for`, where that is the same program.

    Args:
        function: works on Tensors and Variables; what it returns may be any nest of them.
        *args, **kwargs: what to call it with. Tensors and arrays become parameters of the program; so do the Variables
            that it reads. Python's numbers are written into it, and so are random numbers: those of this run.

    Returns:
        A `Written`. Its function returns what the given one does, and after that the new values of Variables which
        that assigns. They themselves stay as they were.

    Raises:
        NotImplementedError: the function makes a Variable, or looks at the numbers of a Tensor (`x.numpy()`).

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
    """The name of a function, or `function` where it has none that Python takes."""
    name = getattr(function, "__name__", "")
    return name if name.isidentifier() and not keyword.iskeyword(name) else "function"
