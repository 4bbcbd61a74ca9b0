"""A trial of a fix: the tape's block is replayed with changed source code, and its gradient is computed again.

A fix is right if the target keeps its value and the gradient equals the measured slope.
"""

import ast
import gc
import linecache
import sys
import textwrap
import traceback
import types
from inspect import CO_OPTIMIZED

import numpy as np

from ..engine.listening import Listener, listening
from ..engine.operands import convert
from ..engine.tensor import Tensor
from ..tracing import checkpoint
from ..tracing.checkpoint import NotTried
from ..tracing.log import Asked
from ..tracing.places import user_frame
from ..tracing.source import parsed
from ..tracing.values import finite
from .experiment import FURTHER, distance
from .replay import sources_now

BLOCKS = ast.With, ast.FunctionDef, ast.AsyncFunctionDef


# ---- in the program --------------------------------------------------------------------------------------------------


def edited(file, edits) -> str:
    """The source code of a file with these edits applied; each edit keeps the number of lines."""
    lines, own = [line.encode() for line in linecache.getlines(file)], {one for one in edits if one.file == file}
    for _, (line, column, last, last_column), text in sorted(own, reverse=True):
        after = lines[last - 1][last_column:]
        lines[line - 1 : last] = [lines[line - 1][:column] + text.encode() + after, *[b"\n"] * (last - line)]
    return b"".join(lines).decode()


def fixed_source(edits) -> str:
    """The source code of the blocks and functions that contain these edits, with the edits applied."""
    found = {}
    for edit in edits:
        text = edited(edit.file, edits)
        blocks = [one for one in ast.walk(ast.parse(text)) if isinstance(one, BLOCKS)]
        around = [one for one in blocks if one.lineno <= edit.span[0] <= one.end_lineno]
        for inner in sorted(around, key=lambda one: one.lineno)[-1:]:
            found[textwrap.dedent("\n".join(text.splitlines()[inner.lineno - 1 : inner.end_lineno]))] = None
    return "\n\n".join(found)


def fitting(q, guesses, safe=False):
    """The first combination of guesses that is right, as a tuple; None if none is right or none can be tried.

    Args:
        q: the Question, with its Experiment.
        guesses: a list of Lines for each place that needs a fix.
        safe: whether every op must return finite numbers; a fix can then be right even without a measured slope.
    """
    asked = q.experiment is not None and not any(hasattr(one, "trainable") for one in q.targets)
    if not asked or not guesses or not all(guesses) or not (safe or q.experiment.slopes):
        return None
    for k in range(max(map(len, guesses))):
        lines = tuple([one[min(k, len(one) - 1)] for one in guesses])
        if is_right(q, [edit for line in lines for edit in line.edits], safe):
            return lines
    return None


def is_right(q, edits, safe) -> bool:
    """Whether the block with these edits gives the same target, and the gradient that was measured."""
    tried = q.experiment
    try:
        gradient, all_finite = try_with(q, edits, Trial)
    except NotTried:
        return False
    if gradient is None or np.shape(gradient) != np.shape(tried.point) or not np.isfinite(gradient).all():
        return False
    had = 0.0 if q.known is None else q.known
    off = [(distance(gradient, one), distance(had, one)) for one in tried.slopes[:1]]
    mends = [now < np.inf and not now > before / 4 for now, before in off]  # most of what was lost
    return all(mends) and (all_finite or not safe) and not tried.unlike(gradient, *FURTHER)


def try_with(q, edits, kind, others=()):
    """Replay the block with these edits in a Trial of this kind, ask for the same gradient, and return the answer.

    The gradients of `others`, given by their numbers, are asked for too.
    """
    files = {edit.file: edited(edit.file, edits) for edit in edits}
    slopes = {number for e in q.history.trace.every(Asked) for number in e.gave}
    wanted = [(convert(one).value, one.id in slopes) for one in q.targets]
    weights = [q.seeds[one.id] for one in q.targets] if q.weighted else None
    return q.experiment.try_out(kind, files=files, wanted=wanted, sources=[q.source.id, *others], weights=weights)


# ---- in the replay ---------------------------------------------------------------------------------------------------


class Trial(Listener):
    """Runs the changed block when the tape is opened, and asks for the gradient when it is closed.

    The targets have other numbers now, and are known by their values, and as gradients if they are. The answer is the
    gradient, and whether every op returned finite numbers.
    """

    def __init__(self, trace, command):
        self.tape, self.files, self.sources = (command[one] for one in ("tape", "files", "sources"))
        self.weights, self.begun, self.finite, self.within = command["weights"], False, True, False
        self.wanted = [(*one, []) for one in command["wanted"]]  # with the Tensors that have this value

    def started(self, tape):
        if not self.begun and tape.number == self.tape:
            self.open(tape)
        elif self.begun and self.asked_one is None:
            self.asked_one = tape  # the first one that the changed block opens

    def open(self, tape):
        """Run the changed block in place of the original one."""
        self.begun, self.asked_one, frame, self.handled = True, tape, user_frame()[0], sys.exc_info()[1]
        self.replace_functions()
        if frame.f_code.co_filename in self.files:
            self.asked_one = None
            listening.now = tuple([one for one in listening.now if one is not tape])
            tape.entered, tape.steps = False, None
            run_on(frame, self.files[frame.f_code.co_filename])
            checkpoint.finish("the changed program ended before the target was made")

    def hear(self, op, inputs, output, attributes):
        for one in output if output.__class__ is list else [output]:
            self.finite = self.finite and finite(one.value)
            if not self.within:  # a term of a gradient may have the value of a target
                self.match(one)

    def follows(self, steps, seeds, source_ids, recorded):
        self.within = True
        return super().follows(steps, seeds, source_ids, recorded)

    def asked(self, tape, targets, sources, results):
        self.within = False
        for one in results:
            if isinstance(one, Tensor):
                self.match(one, is_gradient=True)

    def raised(self, tape, targets, sources, problem):
        self.within = False

    def match(self, one, is_gradient=False):
        for value, of_gradient, found in self.wanted:
            like = one.value.dtype == value.dtype and one.value.shape == value.shape and of_gradient == is_gradient
            if like and np.all(np.abs(one.value - value) <= 1e-7 + 1e-4 * np.abs(value)):
                found.append(one)

    def stopped(self, tape):
        if self.begun and tape is self.asked_one and sys.exc_info()[1] is self.handled:  # or the block raised
            live = [[one for one in found if one.id in tape.tracked_ids] for *_, found in self.wanted]
            if all(live):
                targets = [found[-1] for found in live]
                sources = sources_now(self.numbers_with(tape))
                results = tape.gradient(targets, sources, output_gradients=self.weights)
                checkpoint.finish(self.answer(tape, results[0]))

    def numbers_with(self, tape) -> list:
        """The numbers of the sources: one that the block makes comes as far after this tape as after its own."""
        return [one if one < self.tape else one + tape.number - self.tape for one in self.sources]

    def answer(self, tape, result):
        return None if result is None else convert(result).value, self.finite  # of IndexedSlices, the dense array

    def replace_functions(self):
        """Give the functions of the changed files their new code, except those that are running."""
        modules = [compile(text, file, "exec") for file, text in self.files.items()]
        new = {(code.co_name, code.co_firstlineno): code for module in modules for code in codes_in(module)}
        callers = [one for one, _ in traceback.walk_stack(user_frame()[0])]
        running = {one.f_code for one in callers}
        spaces = [vars(one) for one in [*sys.modules.values()] if getattr(one, "__file__", None) in self.files]
        for one in gc.get_referrers(*spaces, *[one.f_globals for one in callers]):
            if type(one) is types.FunctionType and one.__code__.co_filename in self.files:
                old = one.__code__
                code = new.get((old.co_name, old.co_firstlineno), old)
                if code.co_freevars == old.co_freevars and old not in running:
                    one.__code__ = code


def codes_in(code):
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from codes_in(one)


def run_on(frame, text):
    """Run a frame's current statement and those after it from other source code."""
    module, line = parsed(tuple(text.splitlines(keepends=True))), frame.f_lineno
    blocks = [one for one in module.parent if isinstance(one, ast.With) and one.lineno <= line]
    first = [one for one in blocks if line <= max(one.lineno, one.body[0].lineno - 1)][-1]
    file, body = frame.f_code.co_filename, module.body_of(first)
    statements = body[body.index(first) :]
    if not frame.f_code.co_flags & CO_OPTIMIZED:  # a cell or a script
        return exec(compile(ast.Module(statements, []), file, "exec"), frame.f_globals, frame.f_locals)
    names, space = [name for name in frame.f_locals if name.isidentifier()], dict(frame.f_globals)
    function = ast.parse(f"def replayed({', '.join(names)}): pass").body[0]
    function.body = statements
    exec(compile(ast.fix_missing_locations(ast.Module([function], [])), file, "exec"), space)
    return space["replayed"](**{name: frame.f_locals[name] for name in names})
