"""A gallery of films: the scenes that the tests of the inspector draw, and those of the lessons."""

import ast
import re

import nbformat

from . import films
from .documents import ROOT

SCENES = {  # a scene of tests/test_browser.py -> what it shows
    "square": "Two ways from one value: x is used twice, so its gradient is a sum of two.",
    "partial": "A number that looks right and is not: one of two ways left the engine.",
    "none": "A path that is broken: a value left for NumPy, and came back as plain numbers.",
    "nested": "A tape on a tape: the backward pass of the inner one is recorded by the outer one.",
    "curve": "A function at 201 points, and its slope under it.",
    "product": "A matrix product. Point at a number of the result: the row and the column it is made of light up.",
    "network": "A network of two layers and its loss, with the pictures of all arrays.",
    "layers": "Twelve layers, folded. The gradient becomes smaller on its way to the first.",
    "loop": "Sixty iterations, folded, with a curve for all of them.",
    "marks": "An op that ran while the tape was told not to record.",
    "crash": "An op that raised an error, and what it was given.",
}
HEAD = """# Gallery of films

Every film can be stepped: click into it, and press → or ←; *b* goes to the backward pass, *w* to the trouble, *?* lists the keys.
"""


def page(static, lessons):
    """The document. `lessons`: the path of a lesson -> the films in it."""
    scenes = scenes_of_tests()
    parts = [HEAD]
    for name, told in SCENES.items():
        film = films.of_program(f"{scenes[name]}\n", f"the scene {name}")
        parts.append(
            f"## {name.capitalize()}\n\n{told}\n\n```python\n{scenes[name]}\n```\n\n{films.figure(film, f'scene-{name}', static)}\n"
        )
    parts.append("## In the lessons\n\n" + "\n".join(line for path, found in lessons.items() for line in listed(path, found)))
    return "\n".join(parts)


def scene(name, static):
    """The figure of one scene, for another page."""
    return films.figure(films.of_program(scenes_of_tests()[name], f"the scene {name}"), f"scene-{name}", static)


def scenes_of_tests():
    """The programs of the scenes, read from the tests without running them."""
    tree = ast.parse((ROOT / "tests" / "test_browser.py").read_text(encoding="utf-8"))
    (table,) = (one.value for one in tree.body if isinstance(one, ast.Assign) and getattr(one.targets[0], "id", "") == "SCENES")
    pairs = zip(table.keys, table.values, strict=True)
    return {key.value: value.value for key, value in pairs if isinstance(value, ast.Constant)}


def listed(path, found):
    """Links to the films of a lesson."""
    heading = ""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            headings = re.findall(r"^##? (.+?)(?: \(\d.*\))?$", cell.source, re.MULTILINE)
            heading = headings[-1] if headings else heading
        elif cell.id in found:
            yield f'- <a href="lessons/{path.stem}.html#film-{path.stem}-{cell.id}">{path.name[:2]}, {heading}</a>'
