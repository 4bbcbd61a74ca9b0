"""Hearing what TensorFlow does: the user's program goes on whatever happens in it."""

import functools

from ..engine.listening import listening, warn
from ..errors import visible
from .quiet import silence, unheard

failures: set = set()  # what was said


def carefully(hear):
    """Decorates what hears: a failure ends neither the program nor the trace."""

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
    """Something could not be heard: say so once, and let answers say so."""
    text = visible(f"{type(problem).__name__}: {problem}")
    for listener in listening.now:
        if hasattr(listener, "incomplete"):
            listener.incomplete = f"a part of the trace is missing ({text})"
    if text not in failures:
        failures.add(text)
        warn("A part of the trace is missing: %s", text)


def then(hear, whole=True):
    """What makes a function of TensorFlow tell of itself: it runs, and then `hear` is given the same arguments.

    Args:
        whole: is what happens inside heard too?
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
