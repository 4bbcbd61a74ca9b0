"""Programs and what explain is to say of them. Each stands in the file of its first code; those with nothing wrong in healthy_programs,
in left_engine_looks_used, or beside a broken one with which they share a helper.
"""

import importlib
import pkgutil

PROGRAMS = {}


def program(status, meaning="", codes="", *says, plain=None):
    """Keep a program with what is expected of it. Its docstring says what explain might get wrong.

    Args:
        status, meaning, codes: of its Explanation, with a trace; the codes with blanks between.
        says: words of its text.
        plain: status, meaning and codes without a trace, where those are known.
    """

    def keep(function):
        name = function.__name__.strip("_")
        assert name not in PROGRAMS
        assert function.__doc__, f"{name} does not say what it guards against"
        PROGRAMS[name] = function, (status, meaning, codes), says, plain

    return keep


def healthy(function):
    program("complete", plain=("untried", "", ""))(function)


def told(answer):
    return answer.status, answer.meaning, " ".join(answer.codes)


for module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{module.name}")
