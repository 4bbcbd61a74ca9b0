"""Listening to TensorFlow without disturbing it: the user's program goes on even if listening fails."""

import functools

from ..engine.listening import listening, warn
from ..errors import visible
from .quiet import silence, unheard

failures: set = set()  # problems already reported


def carefully(hear):
    """Decorate a listening function: a failure ends neither the program nor the trace."""

    @functools.wraps(hear)
    def told(*args, **kwargs):
        if silence.depth:
            return
        try:
            hear(*args, **kwargs)
        except Exception as problem:
            failed(problem)

    return told


def failed(problem) -> None:
    """Report a failure to listen, once, and mark the logs as incomplete."""
    text = visible(f"{type(problem).__name__}: {problem}")
    for listener in listening.now:
        if hasattr(listener, "incomplete"):
            listener.incomplete = f"a part of the trace is missing ({text})"
    if text not in failures:
        failures.add(text)
        warn("A part of the trace is missing: %s", text)


def then(hear, whole=True):
    """A decorator for a function of TensorFlow: it runs, and then `hear` is called with the same arguments.

    Args:
        whole: whether what happens inside is heard as well.
    """

    def around(original):
        @functools.wraps(original)
        def told(*args, **kwargs):
            if whole:
                result = original(*args, **kwargs)
            else:
                with unheard():
                    result = original(*args, **kwargs)
            carefully(hear)(*args, **kwargs)
            return result

        return told

    return around
