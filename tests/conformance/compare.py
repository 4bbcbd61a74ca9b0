"""Do two values agree? One from minigrad, one from TensorFlow; the classes differ, what they say must not."""

import numpy as np

from minigrad import nest

TINY = float(np.finfo(np.float32).tiny)  # what is smaller is 0 in TensorFlow's kernels, but not in NumPy
TOLERANCES = {"float16": (1e-2, 2e-3), "float64": (1e-9, 1e-10), "complex128": (1e-9, 1e-10)}  # relative; and of the largest element


def difference(ours, theirs, floor=1.0):
    """A sentence that says where two values differ, or None. Numbers may be apart by what rounding does at their size, or at `floor`."""
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        mine, other = (type(one).__name__ if isinstance(one, Exception) else "no error" for one in (ours, theirs))
        return None if mine == other else f"minigrad: {mine} ({ours}); TensorFlow: {other} ({theirs})"
    if nest.is_nested(ours) and nest.is_nested(theirs):
        mine, other = nest.flatten(ours), nest.flatten(theirs)
        if len(mine) != len(other):
            return f"{len(mine)} values, not {len(other)}"
        return next((d for d in map(lambda a, b: difference(a, b, floor), mine, other) if d), None)
    if type(ours).__name__ == "IndexedSlices" or type(theirs).__name__ == "IndexedSlices":
        if type(ours).__name__ != type(theirs).__name__:
            return f"{type(ours).__name__}, not {type(theirs).__name__}"
        return difference([ours.values, ours.indices], [theirs.values, theirs.indices], floor)
    if ours is None or theirs is None:
        return None if ours is theirs else f"minigrad {told(ours)}; TensorFlow {told(theirs)}"
    a, b = np.asarray(ours), np.asarray(theirs)
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"minigrad {a.dtype} {a.shape}; TensorFlow {b.dtype} {b.shape}"
    if a.dtype.kind in "fc":
        a, b = (np.where(np.abs(one) < TINY, 0, one) if one.dtype != np.float16 else one for one in (a, b))
        rtol, atol = TOLERANCES.get(a.dtype.name, (2e-4, 2e-5))
        size = max(floor, float(np.max(np.abs(b[np.isfinite(b)]), initial=0.0)))
        agree = np.allclose(a.astype(np.complex128), b.astype(np.complex128), rtol, atol * size, equal_nan=True)
    else:
        agree = bool(np.all(a == b))
    return None if agree else f"minigrad {told(ours)}; TensorFlow {told(theirs)}"


def told(value):
    return "None" if value is None else str(np.asarray(value)).replace("\n", "")
