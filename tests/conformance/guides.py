"""Notebooks, such as TensorFlow's guides, on minigrad and on TensorFlow: which cells print the same?

A notebook runs twice on TensorFlow: of what it does not print twice (times, numbers that are drawn) the form is compared.
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
NOISE = re.compile(r"^(WARNING|INFO|ERROR|[IWEF]\d{4}|\d{4}-\d\d-\d\d|To enable|  (?=File )).*\n?(    .*\n?)*", re.MULTILINE)
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
        except Exception:
            traceback.print_exc(limit=0)
        sys.stderr.flush()


def printed(library, notebook):
    """What each cell prints, in a process of its own."""
    command = [sys.executable, "-u", "-m", "tests.conformance.guides", library, str(notebook)]
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ | quiet, check=False)
    return [plain(text) for text in run.stdout.decode(errors="replace").split(CELL)[1:]]


def plain(text):
    """Without logs, without places in files and in memory, and without a library's name before its words."""
    text = NOISE.sub("", text)
    text = re.sub(r"\b(tensorflow|minigrad|keras)(\.\w+)*\.(?=\w)|\b(tf|mg)\.(?=\w)", "", text)
    return re.sub(r"0x[0-9a-f]+", "0x", text).strip()


def form(text):
    """A text with its numbers unknown; and what is said again and again, once."""
    lines = re.sub(r"[ \t]+", " ", NUMBER.sub("#", text).replace("[ ", "[")).splitlines()
    return [line for line, before in zip(lines, [None, *lines]) if line != before]


def differing_guides(tensorflow, wanted):
    """Run each notebook of the folder: what a cell prints here and there if that differs, None if it does not."""
    for notebook in sorted(pathlib.Path(wanted.folder).glob("*.ipynb")):
        ours, theirs, again = (printed(library, notebook) for library in ("minigrad", "tensorflow", "tensorflow"))
        for k, (mine, his, twice) in enumerate(zip(ours, theirs, again)):
            alike = mine == his if his == twice else form(mine) == form(his)
            yield None if alike else f"{notebook.stem}, cell {k}\nminigrad:\n{mine}\nTensorFlow:\n{his}"


if __name__ == "__main__":
    play(*sys.argv[1:])
