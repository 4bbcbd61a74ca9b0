"""Runs programs of several cells, without Jupyter: `python tests/walking.py FILE`, with the walks as JSON on its input.

A walk is a list of cells, each a name and a source. Walks that begin alike run once as far as they do; where they part,
the process forks. Each walk adds a line to FILE: its name, and what each of its cells has printed, shown or raised.
"""

import ast
import contextlib
import io
import itertools
import json
import linecache
import os
import subprocess
import sys
import tempfile
import traceback
import zlib
from pathlib import Path

COURSE = Path(__file__).parent.parent / "course"
RAISED = "raised: "


def walked(walks):
    """What the cells of each walk have said, by walk and cell, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said.jsonl"
        alone = {"MPLBACKEND": "agg", "MINIGRAD_PROGRESS": f"{folder}/progress.json", "PYTHONPATH": paths()}
        done = subprocess.run(
            [sys.executable, "-W", "ignore", __file__, str(said)],
            input=json.dumps(walks),
            text=True,
            capture_output=True,
            cwd=COURSE,
            env=os.environ | alone,
        )
        assert done.returncode == 0, done.stderr
        return dict(map(json.loads, said.read_text(encoding="utf-8").splitlines()))


def paths():
    return os.pathsep.join([str(COURSE), str(COURSE.parent), os.environ.get("PYTHONPATH", "")])


def walk(walks, said, space, file):
    """Go on with walks that have come as far as this together."""
    while True:
        ended = [name for name, cells in walks.items() if not cells]
        for name in ended:
            with open(file, "a", encoding="utf-8") as lines:
                lines.write(json.dumps([name, said]) + "\n")
        walks = {name: cells for name, cells in walks.items() if cells}
        ways = [dict(same) for _, same in itertools.groupby(sorted(walks.items(), key=first), key=first)]
        if len(ways) != 1:
            for way in ways:
                apart(way, said, space, file)
            return
        name, source = first(next(iter(walks.items())))
        said[name] = run(name, source, space)
        walks = {name: cells[1:] for name, cells in walks.items()}


def first(walk):
    return walk[1][0]


def apart(way, said, space, file):
    """The same, in a process that leaves this one as it is."""
    child = os.fork()
    if not child:
        try:
            walk(way, said, space, file)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def run(name, source, space):
    """Run a cell. Its last line is shown if it is an expression, as in a notebook."""
    file = f"<cell {name}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    *lines, last = ast.parse(source).body or ast.parse("pass").body
    show = isinstance(last, ast.Expr)
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
        try:
            exec(compile(ast.Module(lines if show else [*lines, last], []), file, "exec"), space)
            shown = eval(compile(ast.Expression(last.value), file, "eval"), space) if show else None
            if shown is not None:
                print(shown)
        except Exception as problem:
            print(f"{RAISED}{type(problem).__name__}: {problem}")
    return out.getvalue()


def picture():
    """In place of what a screen would show: a number for each picture, by what is drawn."""
    for number in plt.get_fignums():
        drawn = [art.get_xydata().tolist() for ax in plt.figure(number).axes for art in ax.lines]
        drawn += [art.get_array().tolist() for ax in plt.figure(number).axes for art in ax.images]
        print("picture", zlib.crc32(repr(drawn).encode()))
    plt.close("all")


if __name__ == "__main__":
    import matplotlib.pyplot as plt
    from helpers import diary, trying

    from minigrad.tracing import places

    diary.change = lambda change: change(diary.memory)  # walks that part keep notes of their own
    trying.SECONDS = 30.0  # for an answer: on a busy machine it takes longer, and is the same
    places.USERS[__file__] = False  # each cell is a program of its own, as in a notebook
    plt.show = picture
    walk(json.load(sys.stdin), {}, {"__name__": "__main__"}, sys.argv[1])
