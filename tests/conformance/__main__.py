"""Run random programs on minigrad and on TensorFlow, and print the smallest one on which they differ.

python -m tests.conformance --programs 1000 --seed 0
"""

import argparse
import logging
import os
import sys

import minigrad

from .compare import difference
from .programs import Maker, Statement, run


def differs(statements, tensorflow):
    """What differs first when both run the program, or None."""
    ours, theirs = run(statements, minigrad), run(statements, tensorflow)
    for (name, mine), (other, his) in zip(ours, theirs):
        found = (
            difference(mine, his) if name == other else f"minigrad goes on with {name}, TensorFlow with {other}: {mine!r:.200} {his!r:.200}"
        )
        if found:
            return f"{name}: {found}"
    return None if len(ours) == len(theirs) else f"minigrad tells {len(ours)} things, TensorFlow {len(theirs)}"


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


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=1000, help="how many programs (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="the first program's seed (default: 0)")
    parser.add_argument("--most", type=int, default=5, help="stop after so many differences (default: 5)")
    wanted = parser.parse_args()
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    try:
        import tensorflow
    except ImportError:
        sys.exit("TensorFlow is not installed here. In an environment of its own: pip install tensorflow-cpu==2.21.0")
    logging.disable(logging.WARNING)
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
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
