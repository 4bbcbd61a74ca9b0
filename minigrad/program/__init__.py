"""Functions, modules, control flow, TensorArray, printing and Python's operators: what programs contain besides ops."""
