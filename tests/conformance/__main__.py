"""Run the same on minigrad and on TensorFlow: the examples of every op, at edge points too, the scenarios, and random programs.

python -m tests.conformance                                # everything, in a few minutes
python -m tests.conformance --only programs --programs 3000 --seed 5000

What differs is printed with both sides, a program after it was made as short as it can be. What may differ stands in accepted.py.
"""

import argparse
import collections
import logging
import os
import subprocess
import sys
import warnings

import numpy as np

import minigrad

from . import examples
from .accepted import why
from .compare import difference
from .programs import Maker, Statement, run


def first_difference(ours, theirs, floor=1.0):
    """(name, what differs) of the first thing that is not told alike, or None."""
    for (name, mine), (other, his) in zip(ours, theirs):
        found = f"minigrad goes on with {name}, TensorFlow with {other}: {mine!r:.200} {his!r:.200}"
        if name == other:
            found = difference(mine, his, floor)
        if found:
            return ("error" if "error" in (name, other) else name), found
    return None if len(ours) == len(theirs) else ("end", f"minigrad tells {len(ours)} things, TensorFlow {len(theirs)}")


# ---- examples ------------------------------------------------------------------------------------------------------


def compare_examples(tensorflow, wanted):
    """How many calls differ that may not."""
    found, tried, accepted = 0, 0, collections.Counter()
    for call in examples.calls(minigrad):
        if not examples.exists(call, tensorflow):
            continue
        for point, variant in examples.variants(call):
            tried += 1
            floor = 0.0 if point == "small" else 1e-2
            different = first_difference(examples.run(variant, minigrad), examples.run(variant, tensorflow), floor)
            if different is None:
                continue
            reason = why(call.text, point, different[0])
            if reason:
                accepted[reason] += 1
                continue
            found += 1
            print(f"\n# {variant}\n  {point}, {different[0]}: {different[1]}", flush=True)
    print(f"\n{tried} calls, {found} differ; {sum(accepted.values())} may:")
    for reason, count in accepted.most_common():
        print(f"  {count:4}  {reason}")
    return found


# ---- random programs -----------------------------------------------------------------------------------------------


def differs(statements, tensorflow):
    """What differs first when both run the program, or None."""
    different = first_difference(run(statements, minigrad), run(statements, tensorflow))
    return different and ": ".join(different)


def shrunk(statements, tensorflow):
    """The program with every statement left out that the difference does not need."""
    smaller = True
    while smaller:
        smaller = False
        for candidate in without_one(statements):
            if candidate and differs(candidate, tensorflow):
                statements, smaller = candidate, True
                break
    return statements


def without_one(statements):
    """Every program that is one statement shorter."""
    for i, statement in enumerate(statements):
        yield statements[:i] + statements[i + 1 :]
        for block in without_one(statement.block):
            if block:
                yield [*statements[:i], Statement(statement.line, block), *statements[i + 1 :]]


def compare_programs(tensorflow, wanted):
    """How many programs differ; it stops after `--most` of them."""
    found = 0
    for seed in range(wanted.seed, wanted.seed + wanted.programs):
        statements = Maker(seed).program()
        if differs(statements, tensorflow):
            found += 1
            statements = shrunk(statements, tensorflow)
            print(f"\n# program {seed}: {differs(statements, tensorflow)}")
            print("\n".join(statement.text() for statement in statements), flush=True)
            if found == wanted.most:
                break
    print(f"\n{seed - wanted.seed + 1} programs, {found} differ")
    return found


# ---- scenarios -----------------------------------------------------------------------------------------------------


def compare_scenarios(tensorflow, wanted):
    """Do both still do what is recorded? (In a process of its own: what TensorFlow says once was said already in this one.)"""
    return subprocess.run([sys.executable, "-m", "tests.conformance.scenarios"]).returncode


PARTS = {"examples": compare_examples, "scenarios": compare_scenarios, "programs": compare_programs}


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.conformance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=PARTS, help="one part of it")
    parser.add_argument("--programs", type=int, default=2000, help="how many programs (default: 2000)")
    parser.add_argument("--seed", type=int, default=0, help="the first program's seed (default: 0)")
    parser.add_argument("--most", type=int, default=5, help="stop after so many programs that differ (default: 5)")
    wanted = parser.parse_args()
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    try:
        import tensorflow
    except ImportError:
        sys.exit("TensorFlow is not installed here. In an environment of its own: pip install tensorflow-cpu==2.21.0")
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    found = sum(compare(tensorflow, wanted) for part, compare in PARTS.items() if wanted.only in (None, part))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
