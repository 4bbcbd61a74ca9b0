"""A report on a whole program, run under a trace: each question to its tapes, with an explanation and a film."""

import ast
import html
import importlib.util
import linecache
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import visible
from .inspector import inspect
from .inspector.html import framed, policy
from .tracing.log import Trace
from .tracing.values import finite

FILMS = 8  # how many questions get a film
BROKEN = "none", "partial", "nan"
INSTEAD = {"tensorflow": "minigrad", "keras": "minigrad.keras"}


@dataclass
class AskingLine:
    """A line that asked a tape: its first question, or its first with gradients of another kind (None, not finite).

    Attributes:
        line, number: the statement, and its line number.
        answers: an Explanation for each source.
        film: what `mg.inspect` shows; None if there were too many.
        times: how often the line asked and got gradients of this kind.
    """

    line: str
    number: int
    answers: Any = ()
    film: Any = None
    times: int = 1

    @property
    def broken(self) -> bool:
        """Whether a gradient is None, partial or not finite."""
        return any(answer.status in BROKEN for answer in self.answers)

    @property
    def head(self) -> str:
        times = f" (asked {self.times} times)" if self.times > 1 else ""
        return visible(f"line {self.number}: {self.line}{times}", None)


class Report:
    """The findings about a program. Print it.

    Attributes:
        questions: an AskingLine for each line that asked a tape and each kind of gradients that it got.
        problem: the error that ended the program; "" if there was none.
    """

    def __init__(self):
        self.found, self.waiting, self.problem = {}, [], ""

    @property
    def questions(self) -> "list[AskingLine]":
        return [*self.found.values()]

    @property
    def broken(self) -> "list[AskingLine]":
        return [one for one in self.questions if one.broken]

    @property
    def film(self):
        """The film of the first broken question, else of the last question; None if there is none."""
        films = [one.film for one in (*self.broken, *reversed(self.questions)) if one.film is not None]
        return films[0] if films else None

    def judge(self, event, tape, explain) -> None:
        """Note a question to a tape. (Called by the trace.)

        Explanations wait until no tape records: they make Tensors, which a replay of a block would not make.
        """
        kinds = tuple([kind_of_gradient(dx) for dx in event.slopes])
        key = event.place.spot, kinds
        if key in self.found:
            self.found[key].times += 1
            return
        number = event.place.spot[1]
        self.found[key] = question = AskingLine(event.place.text, number)
        self.waiting.append((question, tape, explain))
        if not event.tapes:
            self.answer()

    def answer(self) -> None:
        """Explain the waiting questions."""
        while self.waiting:
            question, tape, explain = self.waiting.pop(0)
            question.answers = explain()
            filmed = sum(one.film is not None for one in self.questions)
            question.film = inspect(tape) if filmed < FILMS else None

    def lines(self) -> "list[str]":
        """The number of questions, and the broken ones."""
        asked, broken = len(self.questions), self.broken
        many = f"{asked} question{'s' * (asked != 1)} to tapes"
        others = [one for one in self.questions if not one.broken]
        untried = sum(any(answer.status == "untried" for answer in one.answers) for one in others)
        lines = [f"{many}, {len(broken) or 'none'} with a gradient that is None, partial or not finite"]
        lines[0] += f"; {untried} with one that could not be tried" if untried else ""
        for one in broken:
            lines += ["", one.head, *(f"  {line}" for line in one.answers.lines())]
        return lines + (["", f"the program ended with {self.problem}"] if self.problem else [])

    def __str__(self):
        return "\n".join(self.lines())

    __repr__ = __str__

    def _repr_html_(self):
        return self.to_html(lambda question: "")

    def to_html(self, below) -> str:
        """The answers; `below` returns what to show below those of an AskingLine."""
        head, *_ = self.lines()
        parts = [f"<h4>{html.escape(one.head)}</h4>{one.answers._repr_html_()}{below(one)}" for one in self.questions]
        ended = f"<p>the program ended with {html.escape(self.problem)}</p>" if self.problem else ""
        return f"<p>{html.escape(head)}</p>{''.join(parts)}{ended}"

    def save_html(self, path) -> None:
        """Write a page with the answers and the films, which works without a network."""
        Path(path).write_text(PAGE.format(policy=policy(*OWN), answers=self.to_html(film_of)), "utf-8")


def kind_of_gradient(dx) -> str:
    if dx is None:
        return "none"
    return "finite" if finite(dx) else "not finite"


def film_of(question) -> str:
    film = question.film
    return "" if film is None else framed(film.to_html(), film.to_svg(), str(film))


OWN = "script-src 'unsafe-inline'", "img-src data:"  # content of the page itself
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">{policy}
<meta name="viewport" content="width=device-width"><title>minigrad: gradients of a program</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 1em/1.5 system-ui, sans-serif; max-width: 90em; margin: 2em auto; padding: 0 1em }}
table {{ border-collapse: collapse; margin-bottom: 1em }}
td, th {{ border: 1px solid #999; padding: 0.3em 0.6em; vertical-align: top; overflow-wrap: anywhere }}
th {{ min-width: 4em }}
</style></head>
<body><h1>Gradients of a program</h1>
{answers}
</body></html>
"""


def examine(text, file, names) -> Report:
    """Run a program with a trace on.

    Args:
        text: the source. If TensorFlow is not installed, its imports of tensorflow or keras import minigrad.
        file: the name of the source file.
        names: the namespace that it runs in.

    Raises:
        SyntaxError: the source is not valid Python.
    """
    tree = ast.parse(text, file)
    foreign = any(first(name) in INSTEAD for name in imported(tree)) or "tensorflow" in sys.modules
    on_tensorflow = foreign and importlib.util.find_spec("tensorflow") is not None
    report, log = Report(), of_tensorflow() if on_tensorflow else Trace()
    log.judge = report.judge
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    code = compile(tree if on_tensorflow else Imports().visit(tree), file, "exec")
    try:
        with log:
            try:
                exec(code, names)
            finally:
                report.answer()
    except SystemExit as end:
        report.problem = f"exit code {end.code}" if end.code else ""
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        report.problem = f"{type(problem).__name__}: {visible(problem)}"
    return report


def of_tensorflow() -> Trace:
    """A trace for TensorFlow, which then runs all functions eagerly, since a trace does not hear ops in a graph."""
    for name, value in {"TF_CPP_MIN_LOG_LEVEL": "2", "TF_NUM_INTRAOP_THREADS": "1"}.items():
        os.environ.setdefault(name, value)  # a replay has only one thread
    import tensorflow as tf

    from .tensorflow import trace

    tf.config.run_functions_eagerly(True)
    return trace()


def imported(tree) -> list:
    """The names of the modules that a program imports."""
    found = [one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names]
    parts = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level]
    return found + [node.module for node in parts]


def first(module) -> str:
    return module.partition(".")[0]


class Imports(ast.NodeTransformer):
    """Makes a program import minigrad instead of TensorFlow, without moving its lines."""

    def visit_Import(self, node):
        for one in node.names:
            inner = instead_of(one.name)
            if inner != one.name and one.asname is None:
                one.asname = one.name.partition(".")[0]
                inner = INSTEAD[one.asname]
            one.name = inner
        return node

    def visit_ImportFrom(self, node):
        node.module = instead_of(node.module) if node.module and not node.level else node.module
        return node


def instead_of(module) -> str:
    outer, dot, rest = module.partition(".")
    return f"{INSTEAD.get(outer, outer)}{dot}{rest}"


def load_ipython_extension(shell) -> None:
    """Called by `%load_ext minigrad`: define the magic `%%explain`, which runs a cell and explains its gradients.

    `%%explain page.html` also writes the explanations to that page.
    """
    from IPython.display import display

    def explain(line, cell):
        count = shell.execution_count
        report = examine(shell.transform_cell(cell), shell.compile.cache(cell, count), shell.user_ns)
        display(report)
        if report.film is not None:
            display(report.film)
        if line.strip():
            report.save_html(line.strip())

    shell.register_magic_function(explain, "cell")
