"""Run the methods of one test file, and say of each: passed, not applicable, or failed, and why."""

import contextlib
import io
import re
import traceback
import types
import unittest
import warnings

from .accepted import ACCEPTED, AWAY
from .shim import NotApplicable, TestCase, shimmed


def outcomes(path):
    """{method: (kind, why)} of a test file."""
    try:
        space = loaded(path)
    except Exception as problem:
        return {"(the file)": judged(problem, path, "")}
    cases = [
        one for one in vars(space).values() if isinstance(one, type) and issubclass(one, TestCase) and one.__module__ == space.__name__
    ]
    told = {}
    for case in cases:
        for name in unittest.defaultTestLoader.getTestCaseNames(case):
            told[f"{case.__name__}.{name}"] = outcome(case, name, path)
    return told


def loaded(path):
    """The test file as a module that imports minigrad where it says Keras."""
    space = types.ModuleType(f"keras.src.{path.stem}")
    space.__file__, space.__builtins__ = str(path), shimmed
    exec(compile(path.read_text("utf-8"), str(path), "exec"), vars(space))
    return space


def outcome(case, name, path):
    """Run one method."""
    label = f"{path.stem.removesuffix('_test')} {case.__name__}.{name}"
    for mark in (*getattr(case, "pytestmark", ()), *getattr(getattr(case, name), "pytestmark", ())):
        if mark.name == "skip" or (mark.name == "skipif" and mark.args[0] is True):
            return "not applicable", "Keras itself skips it here"
    test, heard = case(name), Heard()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        test.run(heard)
    return judged(heard.problem, path, label) if heard.problem else ("passed", "")


class Heard(unittest.TestResult):
    """What a method raised, as an exception."""

    problem = None

    def addError(self, test, err):
        self.problem = self.problem or err[1]

    addFailure = addError

    def addSkip(self, test, reason):
        self.problem = NotApplicable("Keras itself skips it here")

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.addError(test, err)


def judged(problem, path, label):
    """(kind, why) of a method that raised: is what it needs away on purpose, or accepted, or does minigrad fail?"""
    if isinstance(problem, NotApplicable):
        return "not applicable", str(problem)
    if label in ACCEPTED:
        return "not applicable", f"accepted: {ACCEPTED[label]}"
    frames = traceback.extract_tb(problem.__traceback__)
    lines = [frame.line for frame in frames if frame.filename == str(path)]
    text = "\n".join([*lines[-1:], f"{type(problem).__name__}: {problem}"])
    for pattern, why in AWAY.items():
        if re.search(pattern, text):
            return "not applicable", why
    where = next((f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in reversed(frames)), "")
    return "failed", " | ".join(text.split("\n"))[:400] + f" ({where})"
