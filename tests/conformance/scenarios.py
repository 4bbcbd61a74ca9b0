"""Run every scenario on TensorFlow and on minigrad, and compare both with what is recorded: `python -m tests.conformance.scenarios`."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))  # where the scenarios are

from scenarios import GOLDEN, SCENARIOS, run
from test_scenarios import ACCEPTED, differences, told


def main():
    import tensorflow

    import minigrad

    golden, found = json.loads(GOLDEN.read_text()), 0
    for name in SCENARIOS:
        accepted = {what for scenario, what in ACCEPTED if scenario == name}
        for module in (tensorflow, minigrad):
            differing = {what: pair for what, pair in differences(run(name, module), golden[name]).items() if what not in accepted}
            if differing:
                found += 1
                print(f"\n# {name} on {module.__name__}{told(differing)}", flush=True)
    print(f"\n{len(SCENARIOS)} scenarios on both, {found} differ")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
