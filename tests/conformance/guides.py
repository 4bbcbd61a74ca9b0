"""Notebooks, such as TensorFlow's guides, on minigrad and on TensorFlow: which cells print the same?

A notebook runs twice on TensorFlow: of what it does not print twice (times, numbers that are drawn) the form is compared.
Of an error its class and what it says are compared, without the places; minigrad may say more on the same line.
"""

import ast
import json
import linecache
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

CELL = "\n==== cell ====\n"
UNTOLD = re.compile(
    r"""^(WARNING|INFO|ERROR|[IWEF]\d{4}\s|\d{4}-\d\d-\d\d|To\ enable).*\n  # logs
    | ^\ \ File\ .*\n(\ {4}.*\n)*  # places, with their source
    | in\ user\ code:\n\n(\ {4}.*\n)+\n\ {4}\w+:\   # TensorFlow's places
    | \n\n<.*was\ defined\ here:\n(.*\n)*?.*is\ out\ of\ scope\.
    | \{\{.*\}\}\ | __inference_(?=\w+) | (?<=\w)_\d+(?=\ as\ input|\]$)|\ name:\ *$  # names inside TensorFlow
    | \b(tensorflow|minigrad|keras)(\.\w+)*\.(?=\w) | \b(tf|mg)\.(?=\w)  # a library's name before its words
    | (?<=0x)[0-9a-f]+  # places in memory""",
    re.MULTILINE | re.VERBOSE,
)
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?")


def cells(notebook):
    """The source of each cell with code, without the notebook's own commands."""
    parts = [part for part in json.loads(pathlib.Path(notebook).read_text("utf-8"))["cells"] if part["cell_type"] == "code"]
    return [re.sub(r"^[!%].*$", "", "".join(part["source"]), flags=re.MULTILINE) for part in parts]


def play(library, notebook):
    """Run each cell, and print its result and its error as a notebook does."""
    space = {"__name__": "__main__"}
    for k, source in enumerate(cells(notebook)):
        print(CELL, end="", flush=True)
        source = re.sub(r"\b(import|from) tensorflow\b", rf"\1 {library}", source)
        file = f"{tempfile.gettempdir()}/cell_{k}.py"
        linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
        tree = ast.parse(source, file)
        last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        try:
            exec(compile(tree, file, "exec"), space)
            result = last and eval(compile(last, file, "eval"), space)
            print(end="" if result is None else f"{result!r}\n")
        except Exception as problem:
            print(*traceback.format_exception_only(problem))


def printed(library, notebook):
    """What each cell prints, in a process and a folder of its own."""
    command = [sys.executable, "-u", "-m", "tests.conformance.guides", library, str(pathlib.Path(notebook).resolve())]
    found = os.pathsep.join([str(pathlib.Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    env = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "PYTHONPATH": found}
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder, env=env, check=False)
    return [plain(text) for text in run.stdout.decode(errors="replace").split(CELL)[1:]]


def plain(text):
    """What was printed, of a chain of errors the last one."""
    *before, last = re.split(r"(?:The above exception|During handling).*\n\n", text)
    return UNTOLD.sub("", "".join([one[: one.rfind("Traceback (most")] for one in before]) + last).strip()


def form(text):
    """A text with its numbers unknown; and what is said again and again, once."""
    text = re.sub(r"[ \t]*([][]|,\s*)[ \t]*", lambda found: found[1].strip(), NUMBER.sub("#", text))
    lines = re.sub(r"[ \t]+", " ", text).splitlines()
    return [line for line, before in zip(lines, [None, *lines]) if line != before]


def alike(ours, theirs, again):
    if theirs != again:
        return form(ours) == form(theirs)
    mine, his = ours.splitlines(), theirs.splitlines()
    return len(mine) == len(his) and all(x == y or x.startswith(f"{y}. ") for x, y in zip(mine, his))


def differing_guides(tensorflow, wanted):
    """Run each notebook of the folder: what a cell prints here and there if that differs, None if it does not."""
    for notebook in sorted(pathlib.Path(wanted.folder).glob("*.ipynb")):
        three = [printed(library, notebook) for library in ("minigrad", "tensorflow", "tensorflow")]
        for k, (ours, theirs, again) in enumerate(zip(*three)):
            said = f"{notebook.stem}, cell {k}\nminigrad:\n{ours}\nTensorFlow:\n{theirs}"
            yield None if alike(ours, theirs, again) else said


if __name__ == "__main__":
    play(*sys.argv[1:])
