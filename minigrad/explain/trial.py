"""A trial of a fix: the tape's block is replayed with changed source code, and its gradient is computed again.

A fix is right if the target keeps its value and the gradient equals the measured slope.
"""

import ast
import contextlib
import gc
import itertools
import linecache
import sys
import textwrap
import traceback
import types
from inspect import CO_OPTIMIZED

import numpy as np

from .. import nest
from ..engine.listening import Listener, listening
from ..engine.op import convert
from ..tracing import checkpoint
from ..tracing.checkpoint import NotTried
from ..tracing.places import program_frame, user_frame
from ..tracing.source import parsed
from ..tracing.values import finite
from .experiment import distance
from .replay import sources_now, value_of

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
    if q.experiment is None or not guesses or not all(guesses):
        return None
    slope = q.experiment.slope
    for k in range(max(map(len, guesses))) if slope is not None or safe else ():
        lines = tuple([one[min(k, len(one) - 1)] for one in guesses])
        if is_right(q, [edit for line in lines for edit in line.edits], slope, safe):
            return lines
    return None


def is_right(q, edits, slope, safe) -> bool:
    """Whether the block with these edits gives the same target, and the gradient that was measured."""
    tried = q.experiment
    try:
        gradient, all_finite = try_with(q, edits, Trial)
    except NotTried:
        return False
    if gradient is None or np.shape(gradient) != np.shape(tried.point) or (safe and not all_finite):
        return False
    if slope is None:
        return np.isfinite(gradient).all()
    lost, left = (distance(dx, tried.slopes[0]) for dx in (0.0 if q.known is None else q.known, gradient))
    return left <= lost / 4 and not tried.unlike(gradient, [*tried.slopes, *tried.more_slopes])


def try_with(q, edits, kind):
    """Replay the block with these edits in a Trial of this kind, ask for the same gradient, and return the answer."""
    sources = {edit.file: edited(edit.file, edits) for edit in edits}
    names, total = [q.names.of(one.id, "") for one in q.targets], q.experiment.total(q.experiment.before)
    weights = [q.seeds[one.id] for one in q.targets] if q.weighted else None
    return q.experiment.try_out(kind, files=sources, names=names, source=q.source.id, total=total, weights=weights)


# ---- in the replay ---------------------------------------------------------------------------------------------------


running = None  # in a replay: the trial, which also answers at a call of `tape.explain` or `mg.inspect`


def ask_instead(tape, target):
    """In a trial, answer with the gradient where the program asks to explain or film it."""
    if running is not None and running.begun and tape is running.asked_one and running.fits(nest.flatten(target)):
        running.ask(tape, target)


class Trial(Listener):
    """Runs the changed block when the tape is opened, and answers when the gradient of the same target is asked for.

    The answer is the gradient, and whether every op returned finite numbers.
    """

    def __init__(self, trace, command, objects):
        global running
        running = self
        self.tape, self.files, self.names, self.source = (command[one] for one in ("tape", "files", "names", "source"))
        self.trace, self.objects, self.begun, self.finite = trace, objects, False, True
        self.total, self.weights = command["total"], command["weights"]

    def started(self, tape):
        if not self.begun and tape.number == self.tape:
            self.open(tape)
        elif self.begun and self.asked_one is None:
            self.asked_one = tape  # the first one that the changed block opens

    def open(self, tape):
        """Run the changed block in place of the original one."""
        self.begun, self.asked_one, frame = True, tape, user_frame()[0]
        self.replace_functions()
        if frame.f_code.co_filename in self.files:
            self.asked_one = None
            listening.now = tuple([one for one in listening.now if one is not tape])
            tape.entered, tape.steps = False, None
            self.ask_about(run_on(frame, self.files[frame.f_code.co_filename]))
        else:
            self.ask_at_end(program_frame(frame))

    def ask_at_end(self, program):
        """Ask when the program ends, as a later cell did."""
        end = program.f_trace

        def over(frame, event, argument):
            if event == "return":
                with contextlib.suppress(Exception):  # it would continue the caller
                    self.ask_about({**frame.f_globals, **frame.f_locals})
            end(frame, event, argument)
            return over

        program.f_trace = over

    def ask_about(self, space):
        self.ask(self.asked_one, [eval(name, space) for name in self.names])

    def replace_functions(self):
        """Give the functions of the changed files their new code, except those that are running."""
        modules = [compile(text, file, "exec") for file, text in self.files.items()]
        new = {spot_of(code): code for module in modules for code in codes_in(module)}
        callers = [one for one, _ in traceback.walk_stack(user_frame()[0])]
        running = {one.f_code for one in callers}
        spaces = [vars(one) for one in [*sys.modules.values()] if getattr(one, "__file__", None) in self.files]
        for one in gc.get_referrers(*spaces, *[one.f_globals for one in callers]):
            if type(one) is types.FunctionType and one.__code__.co_filename in self.files:
                code = new.get(spot_of(one.__code__))
                if code is not None and code.co_freevars == one.__code__.co_freevars and one.__code__ not in running:
                    one.__code__ = code

    def hear(self, op, inputs, output, attributes):
        made = output if output.__class__ is list else [output]
        self.finite = self.finite and all(finite(one.value) for one in made)

    def asked(self, tape, targets, sources, results):
        for source, result in zip(sources, results) if self.begun and tape is self.asked_one else ():
            if source.id == self.source and self.fits(targets):
                checkpoint.finish(self.answer(tape, targets, result))

    def answer(self, tape, targets, result):
        return None if result is None else convert(result).value, self.finite  # of IndexedSlices, the dense array

    def fits(self, targets) -> bool:
        """Whether these targets have the value that the target had."""
        weighted = zip(map(value_of, targets), self.weights or itertools.repeat(1))
        total = sum(float(np.sum(value * np.asarray(weights, np.complex128)).real) for value, weights in weighted)
        return abs(total - self.total) <= 1e-4 * max(1e-3, abs(self.total))

    def ask(self, tape, targets):
        """Ask the tape for the gradient; `asked` hears it and answers."""
        tape.gradient(targets, (self.objects or sources_now({self.source}))[0], output_gradients=self.weights)
        checkpoint.finish("the source was not asked for")


def spot_of(code):
    return code.co_name, code.co_firstlineno


def codes_in(code):
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from codes_in(one)


def run_on(frame, text):
    """Run a frame's current statement and those after it from other source code; return the names defined then."""
    module, line = parsed(tuple(text.splitlines(keepends=True))), frame.f_lineno
    blocks = [one for one in module.parent if isinstance(one, ast.With) and one.lineno <= line]
    first = [one for one in blocks if line <= max(one.lineno, one.body[0].lineno - 1)][-1]
    file, body = frame.f_code.co_filename, module.body_of(first)
    statements = body[body.index(first) :]
    if not frame.f_code.co_flags & CO_OPTIMIZED:  # a cell or a script
        exec(compile(ast.Module(statements, []), file, "exec"), frame.f_globals, frame.f_locals)
        return {**frame.f_globals, **frame.f_locals}
    names = [name for name in frame.f_locals if name.isidentifier()]
    function = ast.parse(f"def replayed({', '.join(names)}):\n    return locals()").body[0]
    for one in module.parent:
        if isinstance(one, ast.Return) and module.scope(one) is module.scope(first):  # instead of its own result
            one.value = function.body[0].value
    function.body[:0] = statements
    space = dict(frame.f_globals)
    exec(compile(ast.fix_missing_locations(ast.Module([function], [])), file, "exec"), space)
    return {**frame.f_globals, **space["replayed"](**{name: frame.f_locals[name] for name in names})}
