"""How fast is it, and how much memory does it take, beside hand-written NumPy and beside other libraries?

    python -m tests.benchmarks                                    # minigrad and hand-written NumPy
    python -m tests.benchmarks --peers torch,jax --python /path/to/an/environment/bin/python
    python -m tests.benchmarks.curves                             # how cost grows with ops and with elements

Method. Every library runs in a process of its own, with one thread, and the processes take turns: what else the machine
does then meets all of them. The minimum is what counts, as noise only ever adds. Before anything is timed, the numbers
that all of them compute (values and gradients) are compared.
"""
