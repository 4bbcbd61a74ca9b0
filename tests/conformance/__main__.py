"""Run the example of every op, random programs and all scenarios on minigrad and on TensorFlow, and print where they differ.

python -m tests.conformance examples programs scenarios --programs 1000 --seed 0
python -m tests.conformance guides --folder FOLDER

The folder holds notebooks, such as TensorFlow's guides.
"""

import argparse
import json
import logging
import os
import pathlib
import sys
import warnings
from datetime import date

import minigrad

from . import examples
from .compare import difference, disagreement
from .guides import differing_guides
from .programs import Maker, Statement, run


def differs(statements, tensorflow):
    """What differs first when both run the program, or None."""
    ours, theirs = run(statements, minigrad), run(statements, tensorflow)
    for (name, mine), (other, his) in zip(ours, theirs):
        found = (
            difference(mine, his) if name == other else f"minigrad goes on with {name}, TensorFlow with {other}: {mine!r:.200} {his!r:.200}"
        )
        if found and "while vectorizing the jacobian" in found:
            return None  # TensorFlow's way to make all rows at once knows fewer ops than its gradients
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


def differing_programs(tensorflow, wanted):
    """Run random programs on both: the smallest form of one that differs, None for one that does not."""
    for seed in range(wanted.seed, wanted.seed + wanted.programs):
        statements = Maker(seed).program()
        if not differs(statements, tensorflow):
            yield None
            continue
        statements = shrunk(statements, tensorflow)
        yield f"program {seed}: {differs(statements, tensorflow)}\n" + "\n".join(statement.text() for statement in statements)


def differing_examples(tensorflow, wanted):
    """Run every call in a docstring on both, at every point: what differs without a reason, None if nothing does."""
    for call in examples.calls(minigrad):
        for variant in examples.variants(call) if examples.exists(call, tensorflow) else ():
            yield disagreement(variant, examples.run(variant, minigrad), examples.run(variant, tensorflow))


def differing_scenarios(tensorflow, wanted):
    """Run every scenario on both: where one of them does not do what is recorded of TensorFlow, None if it does."""
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
    from agreement import ACCEPTED, differences
    from scenarios import GOLDEN, SCENARIOS
    from scenarios import run as played

    golden = json.loads(GOLDEN.read_text("utf-8"))
    for name in [*SCENARIOS][date.today().toordinal() % 3 :: 3] if wanted.third else SCENARIOS:
        for module in (tensorflow, minigrad):
            parts = differences(played(name, module), golden[name])
            parts = {part: pair for part, pair in parts.items() if (name, part) not in ACCEPTED}
            yield parts and f"{name} on {module.__name__}: {parts}"


PARTS = {"examples": differing_examples, "programs": differing_programs, "scenarios": differing_scenarios, "guides": differing_guides}


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="part", help=f"which of {', '.join(PARTS)} (default: all, guides if there is a folder)")
    parser.add_argument("--folder", help="where the notebooks are")
    parser.add_argument("--programs", type=int, default=1000, help="how many random programs (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="the first program's seed (default: 0)")
    parser.add_argument("--third", action="store_true", help="of the scenarios run today's third")
    parser.add_argument("--most", type=int, default=5, help="stop after so many differences (default: 5)")
    wanted = parser.parse_args()
    wanted.parts = wanted.parts or [part for part in PARTS if part != "guides" or wanted.folder]
    if "guides" in wanted.parts and not wanted.folder:
        parser.error("guides are read from a folder: python -m tests.conformance guides --folder FOLDER")
    if unknown := set(wanted.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"  # as when the scenarios were recorded, whatever the processor
    try:
        import tensorflow
    except ImportError:
        sys.exit("TensorFlow is not installed here. In an environment of its own: pip install --editable '.[conformance]'")
    warnings.simplefilter("ignore")
    found = 0
    for part in wanted.parts:
        logging.disable(logging.NOTSET if part == "scenarios" else logging.WARNING)  # what scenarios log is compared
        done = 0
        for text in PARTS[part](tensorflow, wanted):
            done += 1
            if text:
                found += 1
                print(f"\n# {text}", flush=True)
            if found >= wanted.most:
                break
        print(f"{part}: {done} run; {found} differ so far", flush=True)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
