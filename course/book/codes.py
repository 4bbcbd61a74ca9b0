"""A page for each code of `explain`: the broken program, what is said of it, its film, and the program fixed."""

import re

import minigrad as mg

from . import films


def pages(static):
    """The documents: name -> text. `static`: the folder for the films."""
    codes = mg.explain.codes()
    texts = {f"codes/{name}": page(code, static) for name, code in codes.items()}
    rows = "\n".join(f"| {{doc}}`{name}` | {code.meaning} |" for name, code in codes.items())
    return {"codes/index": INDEX.format(rows=rows, tree="\n".join(codes)), **texts}


INDEX = """# Why is my gradient wrong?

`tape.explain(y, x)` names what happened to a gradient. These are its codes, each with the smallest program that has it.
In a program of your own write `mg.trace(True)` at the top: then it knows the line, and tries the fix.

| code | what it means |
|---|---|
{rows}

```{{toctree}}
:hidden:

{tree}
```
"""
PAGE = """# {name}

{meaning}

## Broken

```python
{broken}
```

{film}

`print({question})` says:

```{{code-block}} text
:class: said

{said}
```

## Fixed

```python
{fixed}
```

The same programs with `import tensorflow as tf` and `tf` in place of `mg` give the same in TensorFlow.
"""


def page(code, static):
    broken, fixed = (program.replace("tf.", "mg.") for program in (code.broken, code.fixed))
    space = films.ran(broken, f"the program of {code.name}")
    asked = re.match(r"(\w+)\.(?:gradient|jacobian)\((\w+), (\w+)\)", broken.splitlines()[-1]).groups()
    shown = films.figure(film_of(space, *asked), code.name, static, "../")
    question = "{}.explain({}, {})".format(*asked)
    words = dict(name=code.name, meaning=code.meaning, broken=broken, fixed=fixed, film=shown)
    return PAGE.format(**words, question=question, said=eval(question, space))


def film_of(space, tape, target, source):
    """The film of what was asked; of the tape alone where that is nothing that can be asked."""
    try:
        return films.Film.of(eval(f"mg.inspect({tape}, {target}, {source})", space))
    except (TypeError, AttributeError):
        return films.Film.of(eval(f"mg.inspect({tape})", space))
