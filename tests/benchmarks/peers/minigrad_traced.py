"""minigrad while a trace keeps a log of everything."""

import minigrad as mg

from .taped import setups_of


def traced(setup):
    def setup_traced():
        step = setup()

        def step_traced():
            with mg.trace():
                return step()

        return step_traced

    return setup_traced


setups = {name: traced(setup) for name, setup in setups_of(mg).items() if name in ("W2", "W2f", "W3", "W4", "W10")}
