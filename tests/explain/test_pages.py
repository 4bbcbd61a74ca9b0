"""The pages of the codes: their programs do what they say. And the examples in the docstrings."""

import doctest
import importlib
import importlib.util
import linecache
import re
import textwrap

import numpy as np
import pytest

import minigrad as mg


def run_page(text, module):
    """Run a page's program: what its last line gives, or the name of the error; with the target and the source asked about."""
    space = {"tf": module, "np": np}
    *before, last = text.splitlines()
    exec("\n".join(before), space)
    question, _, comment = last.partition("#")
    try:
        result = eval(question.strip(), space)
    except (RuntimeError, LookupError, AttributeError) as error:
        result = type(error).__name__
    words = re.match(r"(\w+)\.(?:gradient|jacobian)\((\w+), (\w+)\)", question)
    return result, comment.strip(), [space[word] for word in words.groups()]


def as_page(result):
    return result if isinstance(result, (str, type(None))) else np.asarray(result)


def agrees(result, comment):
    if result is None or isinstance(result, str):
        return comment.split(",")[0] == str(result)
    numbers = [float(word) for word in re.findall(r"nan|-?\d+\.?\d*", comment.partition(",")[0])]
    return np.allclose(np.ravel(result), numbers, rtol=1e-3, equal_nan=True)


@pytest.mark.variants
@pytest.mark.parametrize("name", mg.explain.codes())
@pytest.mark.parametrize("part", ["broken", "fixed"])
def test_the_programs_on_a_page_do_what_they_say(name, part):
    page = mg.explain.codes(name)
    file = f"<page {name} {part}>"
    linecache.cache[file] = 0, None, getattr(page, part).splitlines(True), file
    with mg.trace():
        result, comment, (tape, target, source) = run_page(getattr(page, part), mg)
    assert agrees(as_page(result), comment), (result, comment)
    answer = tape.explain(target, source)
    assert (name in answer.codes) is (part == "broken"), f"\n{answer}"


@pytest.mark.skipif(not importlib.util.find_spec("tensorflow"), reason="TensorFlow is not installed")
@pytest.mark.parametrize("name", mg.explain.codes())
@pytest.mark.parametrize("part", ["broken", "fixed"])
def test_the_programs_on_a_page_do_the_same_in_tensorflow(name, part):
    import tensorflow

    result, comment, _ = run_page(getattr(mg.explain.codes(name), part), tensorflow)
    assert agrees(as_page(result), comment), (result, comment)


def test_a_code_prints_as_its_page():
    page = mg.explain.codes("SUMMED")
    meaning, programs = str(page).split("\n\n  broken\n")
    assert meaning == f"SUMMED\n  {page.meaning}"
    broken, fixed = [textwrap.dedent(program) for program in programs.split("\n\n  fixed\n")]
    assert (broken, fixed) == (page.broken, page.fixed)


def test_codes_lists_all_pages():
    assert len(mg.explain.codes()) == 20
    with pytest.raises(KeyError, match=r"NOTHING is none of LEFT_ENGINE, STATE, .*FLAT"):
        mg.explain.codes("NOTHING")


@pytest.mark.parametrize("name", ["tracing.log", "explain.answer", "explain.causes", "explain.search", "explain.experiment"])
def test_examples_in_docstrings(name):
    assert doctest.testmod(importlib.import_module(f"minigrad.{name}")).failed == 0
