"""One file per library. Each gives `setups`: for each workload a function that prepares it and returns one step.

A step returns what it computed, finished: a value, and a list of gradients, so that they can be compared.
"""
