"""Do two values agree? One from minigrad, one from TensorFlow; the classes differ, what they say must not."""

import numpy as np

from minigrad import nest

from .accepted import why


def difference(ours, theirs, rtol=2e-4, atol=2e-5):
    """A sentence that says where two values differ, or None."""
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        mine, other = (type(one).__name__ if isinstance(one, Exception) else "no error" for one in (ours, theirs))
        of_library = other == "AbortedError" and mine == "InvalidArgumentError"  # oneDNN's word for what TensorFlow's own kernels refuse
        return None if mine == other or of_library else f"minigrad: {mine} ({ours}); TensorFlow: {other} ({theirs})"
    if nest.is_nested(ours) and nest.is_nested(theirs):
        mine, other = nest.flatten(ours), nest.flatten(theirs)
        if len(mine) != len(other):
            return f"{len(mine)} values, not {len(other)}"
        return next((d for d in map(lambda a, b: difference(a, b, rtol, atol), mine, other) if d), None)
    if type(ours).__name__ == "IndexedSlices" or type(theirs).__name__ == "IndexedSlices":
        if type(ours).__name__ != type(theirs).__name__:
            return f"{type(ours).__name__}, not {type(theirs).__name__}"
        return difference([ours.values, ours.indices], [theirs.values, theirs.indices], rtol, atol)
    if ours is None or theirs is None:
        return None if ours is theirs else f"minigrad {told(ours)}; TensorFlow {told(theirs)}"
    a, b = np.asarray(ours), np.asarray(theirs)
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"minigrad {a.dtype} {a.shape}; TensorFlow {b.dtype} {b.shape}"
    if a.dtype.kind in "fc":
        agree = np.allclose(a, b, rtol, atol * max(1.0, float(np.max(np.abs(b[np.isfinite(b)]), initial=0.0))), equal_nan=True)
    else:
        agree = bool(np.all(a == b))
    return None if agree else f"minigrad {told(ours)}; TensorFlow {told(theirs)}"


def disagreement(call, ours, theirs):
    """What differs first in the answers to a call; None if nothing does, or if that has a reason: what comes after follows from it."""
    for (name, mine), (other, his) in zip(ours, theirs):
        what = name if name == other else f"{name}/{other}"
        found = difference(mine, his) if name == other else f"minigrad {mine!r:.200}; TensorFlow {his!r:.200}"
        if found:
            return None if why(call, what) else f"{call}: {what}: {found}"
    return None


def told(value):
    return "None" if value is None else str(np.asarray(value)).replace("\n", "")
