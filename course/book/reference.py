"""The reference of the API: each public name once, where its namespace has it, from its signature, its docstring and its VJPs."""

import enum
import importlib
import inspect
import re
import types
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import minigrad as mg
from minigrad.engine.listening import Listener

PACKAGE = Path(mg.__file__).parent
HEADS = ("Args", "Returns", "Raises", "Attributes", "Yields")
HOUSE = "engine/", "ops/", "program/"  # what the top-level names of these files have in common is their file
PROSE = "Returns:", "Yields:"
OURS = "explain", "inspect", "trace", "check_gradients"  # what TensorFlow does not have


@dataclass
class Entry:
    """A function or a class, and where it is told of.

    Attributes:
        name: the full one, such as "mg.math.exp".
        thing: the object.
        others: its other names.
        page: the document, such as "reference/math/elementwise".
    """

    name: str
    thing: object
    others: list
    page: str = ""

    @property
    def op(self):
        return hasattr(self.thing, "vjps")


# ---- what there is -------------------------------------------------------------------------------------------------


def namespaces():
    """The public namespaces: "" for the top, "math", "keras.layers" ..."""
    found, waiting = [], [""]
    while waiting:
        space = waiting.pop(0)
        found.append(space)
        inner = [name for name, thing in members(space) if isinstance(thing, types.ModuleType)]
        waiting += [f"{space}.{name}".lstrip(".") for name in inner if module(f"{space}.{name}".lstrip(".")).__name__.endswith(name)]
    return [
        space
        for k, space in sorted(enumerate(found), key=lambda one: one[1])
        if module(space) not in [module(other) for other in found[:k]]
    ]


def module(space):
    return importlib.import_module(f"minigrad.{space}") if space and exists(space) else mg if not space else getattr(mg, space)


def exists(space):
    return importlib.util.find_spec(f"minigrad.{space}") is not None


def members(space):
    """The public names of a namespace, with what they are."""
    home = module(space)
    names = getattr(home, "__all__", None) or [name for name in dir(home) if not name.startswith("_")]
    return [(name, getattr(home, name)) for name in sorted(names)]


def file_of(thing):
    """The file of minigrad in which a function or a class stands: "math/elementwise"."""
    if isinstance(thing, type):
        made = [getattr(one, "fget", None) or getattr(one, "__func__", one) for one in vars(thing).values()]
        code = next((one.__code__ for one in made if isinstance(one, types.FunctionType) and own(one.__code__)), None)
    else:
        code = getattr(thing, "__wrapped__", thing).__code__
    if code is None or not own(code):
        return thing.__module__.removeprefix("minigrad").lstrip(".").replace(".", "/") or "others"
    return Path(code.co_filename).relative_to(PACKAGE).with_suffix("").as_posix()


def own(code):
    return Path(code.co_filename).is_relative_to(PACKAGE)


def entries():
    """Every public function and class once, by namespace and then by file; and the values, by namespace."""
    names, values = defaultdict(list), defaultdict(list)
    for space in namespaces():
        for name, thing in members(space):
            if isinstance(thing, (types.FunctionType, type)):
                names[id(thing)].append((space, name, thing))
            elif not isinstance(thing, types.ModuleType):
                values[space].append((name, thing))
    told = defaultdict(lambda: defaultdict(list))
    for called in names.values():
        thing, file = called[0][2], file_of(called[0][2])
        space, name, _ = max(called, key=lambda one: (nearness(one[0], file), one[1] == thing.__name__))
        full = [f"mg.{other}.{alias}".replace("..", ".") for other, alias, _ in called]
        mine = f"mg.{space}.{name}".replace("..", ".")
        told[space][file if space or file.startswith(HOUSE) else "others"].append(Entry(mine, thing, sorted({*full} - {mine}, key=len)))
    return told, values


def nearness(space, file):
    """How well a namespace suits a file: the longest that begins the file's path is the nearest."""
    path = space.replace(".", "/")
    return len(path) if path and (file == path or file.startswith(f"{path}/")) else 0 if not space else -1


# ---- pages ---------------------------------------------------------------------------------------------------------


def pages(differing):
    """The reference as documents: name -> text.

    Args:
        differing: (name of a function, expression, reason), for what TensorFlow answers otherwise.
    """
    told, values = entries()
    for space, files in told.items():
        for file, found in files.items():
            place = space.replace(".", "/") or "top"
            for entry in found:
                entry.page = f"reference/{place}" + (f"/{file.rpartition('/')[2]}" if parted(files) else "")
    at = {id(entry.thing): entry for files in told.values() for found in files.values() for entry in found}
    texts, spaces = {}, namespaces()
    for space in spaces:
        texts |= dict(of_namespace(space, told[space], values[space], at, differing))
    listed = [f"| {{doc}}`{title_of(space)} <{place_of(space)}>` | {first_line(module(space))} |" for space in spaces]
    tree = "\n".join(place_of(space) for space in spaces)
    texts["reference/index"] = INDEX.format(rows="\n".join(listed), tree=tree)
    return texts


INDEX = """# Reference

Each public name once, from the source: its signature, its docstring with examples that the tests run, and, of an op, what its
VJPs compute. All names are TensorFlow's, under `mg` in place of `tf`, unless it is said otherwise. All of them, with their methods, stand in the {{ref}}`index <genindex>`.

| namespace | |
|---|---|
{rows}

```{{toctree}}
:hidden:

{tree}
```
"""


def place_of(space):
    return space.replace(".", "/") or "top"


def title_of(space):
    return f"mg.{space}".rstrip(".")


def parted(files):
    return len(files) > 1 and sum(map(len, files.values())) > 12


def of_namespace(space, files, values, at, differing):
    """The pages of a namespace: one, or one with the names and one for each file."""
    head = f"# {title_of(space)}\n\n{told_as_text(body_of(module(space).__doc__ or ''))}\n"
    names = [name_row(name, thing, at) for name, thing in members(space) if id(thing) in at]
    table = "## Names\n\n| name | |\n|---|---|\n" + "\n".join(names) + "\n" if names else ""
    constants = "\n## Values\n\n| name | value |\n|---|---|\n" + "\n".join(value_row(space, *one) for one in values) if values else ""
    ordered = {file: sorted(found, key=lambda entry: entry.name) for file, found in sorted(files.items(), key=last_others)}
    if not parted(files):
        shown = "\n".join(of_entry(entry, differing) for found in ordered.values() for entry in found)
        yield f"reference/{place_of(space)}", f"{head}\n{table}{constants}\n\n{shown}"
        return
    inner = [found[0].page for found in ordered.values()]
    tree = "\n".join(f"/{page}" for page in inner)
    yield f"reference/{place_of(space)}", f"{head}\n{table}{constants}\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n"
    for (file, found), page in zip(ordered.items(), inner, strict=True):
        title = file.rpartition("/")[2].replace("_", " ").capitalize()
        shown = "\n".join(of_entry(entry, differing) for entry in found)
        where = "" if file == "others" else f", in `minigrad/{file}.py`"
        yield page, f"# {title}\n\nA part of {{doc}}`{title_of(space)} </reference/{place_of(space)}>`{where}.\n\n{shown}"


def last_others(item):
    return item[0] == "others", item[0]


def name_row(name, thing, at):
    return f"| {{py:obj}}`{name} <{at[id(thing)].name}>` | {first_line(thing)} |"


def value_row(space, name, value):
    shown = re.sub(r" at 0x\w+", "", repr(value)).replace("|", "\\|")
    return f"| `{title_of(space)}.{name}` | `{shown}` |"


def first_line(thing):
    """The first sentence of a docstring, for a cell of a table."""
    text = " ".join(body_of(inspect.getdoc(thing) or "").split("\n\n")[0].split())
    text = re.sub(r"^(?:tf[\w.]*|minigrad): (.)", lambda found: found[1].upper(), re.split(r"(?<=\.) (?=[A-Z`])", text)[0])
    return safe(text).replace("|", "\\|")


# ---- an entry ------------------------------------------------------------------------------------------------------


def of_entry(entry, differing):
    """The text of one function or class."""
    thing, kind = entry.thing, "class" if isinstance(entry.thing, type) else "function"
    parts = [facts(entry), told_as_text(body_of(inspect.getdoc(thing) or ""))]
    if entry.op:
        parts += [derivatives(thing), declaration(thing)]
    parts += [f"**Differs from TensorFlow.** `{text}`: {why}." for name, text, why in differing if name in (entry.name, *entry.others)]
    if kind == "class":
        parts += [inherited(thing), *(of_member(entry.name, name, one) for name, one in methods(thing))]
    return directive(kind, f"{entry.name}{signature(thing)}", "\n\n".join(filter(None, parts)), 5 if kind == "class" else 4)


def directive(kind, head, body, ticks):
    fence = ":" * ticks
    return f"{fence}{{py:{kind}}} {head}\n{body}\n{fence}\n"


def facts(entry):
    """Its other names, and what TensorFlow calls it."""
    name = entry.name.removeprefix("mg.")
    there = "not in TensorFlow" if name.rpartition(".")[2] in OURS else f"TensorFlow: `tf.{name}`"
    kernel = f", kernel `{entry.thing.kernel}`" if entry.op and entry.thing.kernel else ""
    also = f"also {', '.join(f'`{other}`' for other in entry.others)}; " if entry.others else ""
    return f"*{also}{there}{kernel}*"


def signature(thing):
    """Parameters and what is returned, with the names of types as one writes them."""
    if isinstance(thing, enum.EnumMeta):
        return ""
    try:
        text = str(inspect.signature(thing))
    except ValueError:
        return "(...)"
    text = re.sub(r"<[^<>]*>", "...", text)
    text = re.sub(r"(?:minigrad|numpy|collections|typing|types)\.(?:[a-z_]+\.)*(?=\w)", "", text)
    return text.replace("'", "") if "-> '" in text else text


def methods(kind):
    """What a class says of itself: its public functions and properties."""
    own = [(name, getattr(one, "__func__", one)) for name, one in vars(kind).items() if not name.startswith("_")]
    own = [(name, one) for name, one in own if name not in vars(Listener)]
    return sorted((name, one) for name, one in own if isinstance(one, (types.FunctionType, property)) and one.__doc__)


def of_member(of, name, one):
    if isinstance(one, property):
        return directive("property", f"{of}.{name}", told_as_text(body_of(inspect.getdoc(one))), 4)
    head = re.sub(r"^\((self|cls)(, )?", "(", signature(one))
    return directive("method", f"{of}.{name}{head}", told_as_text(body_of(inspect.getdoc(one))), 4)


def inherited(kind):
    bases = [base.__name__ for base in kind.__bases__ if base not in (object, Listener) and base.__module__.startswith("minigrad")]
    return f"Inherits from {', '.join(f'`{base}`' for base in bases)}." if bases else ""


def derivatives(op):
    """What the VJPs of an op compute."""
    if not op.math:
        return "No gradient flows through it." if not any(op.vjps.values()) else ""
    rows = "\n".join(f"| `{x}` | `{line}` |".replace("||", "\\|\\|") for x, line in op.math.items())
    return f"| gradient by | from `upstream`, that by the output |\n|---|---|\n{rows}"


def declaration(op):
    """The source of an op, without its docstring, folded."""
    try:
        text = inspect.getsource(op.__wrapped__)
    except OSError:
        return ""
    text = re.sub(r'\n +r?"""(?:.|\n)*?"""', "", text, count=1).rstrip()
    return f":::{{dropdown}} Its declaration, with the VJPs\n```python\n{text}\n```\n:::"


# ---- docstrings ----------------------------------------------------------------------------------------------------


def body_of(doc):
    """A docstring without the lines on gradients, which stand in a table of their own."""
    return re.split(r"\n\n *Gradients \(upstream", inspect.cleandoc(doc))[0]


def told_as_text(doc):
    """A docstring in MyST: paragraphs, lists of arguments, examples."""
    return "\n\n".join(block(text) for text in doc.split("\n\n") if text.strip())


def block(text):
    head, _, rest = text.partition("\n")
    if head.rstrip(":") in HEADS and head.endswith(":"):
        told = inspect.cleandoc(rest)
        return f"**{head.rstrip(':')}**\n\n{safe(told) if head in PROSE else items(told)}"
    if text.lstrip().startswith(">>>"):
        return f"```pycon\n{inspect.cleandoc(text)}\n```"
    if text.startswith("    "):
        return f"```python\n{inspect.cleandoc(text)}\n```"
    return safe(text)


def items(text):
    """Entries like `name: what it is`, whose further lines are indented."""
    found = re.split(r"\n(?=\S)", text)
    return "\n".join("- " + item(" ".join(one.split())) for one in found)


def item(text):
    name, colon, rest = text.partition(": ")
    named = re.fullmatch(r"[\w*.\[\]]+(, [\w*.\[\]]+)*", name)
    return f"`{name}`: {safe(rest)}" if colon and named else safe(text)


def safe(text):
    """Words that Markdown would take for its own."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if k % 2 else re.sub(r"([<>\[\]_|]|\*\*|\*(?=\w+[,)]))", r"\\\1", part) for k, part in enumerate(parts))
