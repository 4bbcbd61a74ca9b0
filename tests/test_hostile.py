"""Names, values and lines of code that try to be more than text, and files that come from elsewhere."""

import ast
import copy
import doctest
import functools
import html.parser
import inspect
import json
import linecache
import pathlib
import re
import traceback
import warnings

import numpy as np
import pytest

import minigrad as mg
from minigrad.errors import visible

PACKAGE = pathlib.Path(mg.__file__).parent
SCRIPT = "<script>alert(1)</script>"
HOSTILE = [
    SCRIPT, "</script><script>alert(1)</script>", "</pre><img src=x onerror=alert(1)>", "\"' onmouseover=alert(1) x='", "<!--", "-->",
    "]]>", "</style><style>*{}", "&lt;b&gt;", "${alert(1)}", "{{7*7}}", "javascript:alert(1)", "\u202eevil", "a\nb\r\nc",
    "\x00\x1b[31m", "%s%n{0}", "\\u003cscript>", "</svg><svg onload=alert(1)>", "\u2028\u2029",
]  # fmt: skip
FORBIDDEN = {"img", "iframe", "object", "embed", "base", "form", "input", "video", "audio"}


class Tags(html.parser.HTMLParser):
    """The tags of a page, as a browser would find them, with their attributes, and what stands in its scripts."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.scripts, self.open, self.words = [], [], "", []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.open = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.open = ""

    def handle_data(self, data):
        if self.open == "script":
            self.scripts[-1] += data
        else:
            self.words.append(data)


def safe(page):
    """No tag but those that the page brings itself, and no attribute that runs anything."""
    found = Tags(page)
    for tag, attributes in found.tags:
        assert tag not in FORBIDDEN, f"<{tag}>"
        assert not [name for name in attributes if name.startswith("on")], attributes
        assert not str(attributes.get("href", "")).startswith("javascript"), attributes
    assert not any("alert(1)" in one and not in_a_string(one) for one in found.scripts)
    return found


def in_a_string(script):
    """Does the hostile text stand nowhere but inside the strings of a script (of JSON)?"""
    return "alert(1)" not in re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', script)


def told_by(name):
    """The film and the answers of a program whose names, values and lines are hostile."""
    line = f"y = x * c  # {name!r} {name}".split("\n")[0].split("\r")[0]
    source = (
        f"with mg.trace() as log, mg.GradientTape() as tape:\n    {line}\n    z = mg.identity(x.numpy()) * y\ndx = tape.gradient(z, x)\n"
    )
    source = source.replace("\u2028", "").replace("\u2029", "").replace("\x00", "")
    file = f"<cell {name!r}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    space = {"mg": mg, "x": mg.Variable(2.0, name=name), "c": mg.constant(3.0)}
    exec(compile(source, file, "exec"), space)
    return space


@pytest.mark.variants
@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_an_explanation_shows_hostile_names_as_text(name):
    space = told_by(name)
    for target, source in (("z", "x"), ("c", "x"), ("z", "c")):
        answer = space["tape"].explain(space[target], space[source])
        page = safe(answer._repr_html_())
        assert [tag for tag, _ in page.tags] == ["pre", "strong"]
        assert len(str(answer).splitlines()) <= 12 and max(map(len, str(answer).split("\n"))) <= 200
        json.dumps(answer.to_dict())


@functools.cache
def film_of(name):
    space = told_by(name)
    return mg.inspect(space["tape"], space["z"], space["x"]).to_html()


@pytest.mark.variants
@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_a_saved_film_shows_hostile_names_as_text(name):
    hostile = film_of(name)
    scripts = [[tag for tag, _ in Tags(page).tags].count("script") for page in (hostile, film_of("plain"))]
    assert safe(hostile) and scripts[0] == scripts[1]
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", hostile)  # nothing is fetched


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_reprs_show_hostile_values(name):
    assert name.encode() in mg.constant(name).numpy()
    assert repr(name.encode()) in repr(mg.constant(name))
    v = mg.Variable(1.0, name=name)
    assert repr(name + ":0") in repr(v)
    assert repr(f"{name}")[1:-1] in repr(mg.constant([name])) or "\\x" in repr(mg.constant([name])) or "\\u" not in repr(name)
    for one in (v, mg.constant(name), mg.GradientTape()):
        assert not hasattr(one, "_repr_html_") or safe(one._repr_html_())


@pytest.mark.parametrize("name", ["1", "a b", "", SCRIPT, "__class__ ", "a.b"])
def test_a_module_takes_no_name_that_is_no_identifier(name):
    with pytest.raises(ValueError, match="is not a valid module name"):
        mg.Module(name=name)


class Evil:
    """Everything that could be asked of it says so."""

    asked: "list[str]" = []  # noqa: RUF012 - one list for all, on purpose

    def __repr__(self):
        return SCRIPT

    __str__ = __repr__

    def __reduce__(self):
        Evil.asked.append("reduce")
        return (list, ())

    def __getattr__(self, name):
        if name.startswith(("__", "_repr")) or name == "_ipython_display_":
            raise AttributeError(name)
        Evil.asked.append(name)
        raise AttributeError(name)


@pytest.mark.parametrize("f", [mg.constant, mg.Variable, mg.sin, lambda x: mg.constant(1.0) + x, lambda x: mg.constant([1.0])[x]])
def test_a_foreign_object_is_refused_and_nothing_of_it_runs(f):
    with pytest.raises((ValueError, TypeError)):
        f(Evil())
    assert "reduce" not in Evil.asked


@pytest.mark.parametrize("wrong", [np.array([Evil()], object), [Evil()], [[1.0], Evil()], {"a": Evil()}])
def test_foreign_objects_in_arrays_and_lists_are_refused(wrong):
    with pytest.raises((ValueError, TypeError)):
        mg.constant(wrong)


def test_a_list_that_holds_itself_is_refused():
    endless = []
    endless.append(endless)
    for f in (mg.constant, mg.reduce_sum, mg.nest.flatten):
        with pytest.raises((ValueError, TypeError, RecursionError)):
            f(endless)


def test_a_huge_shape_is_an_error_and_no_crash():
    for f in (lambda: mg.zeros([2**40, 2**40]), lambda: mg.fill([2**62], 1.0), lambda: mg.constant(1.0, shape=[2**50, 2**50])):
        with pytest.raises((MemoryError, ValueError, OverflowError, TypeError, mg.errors.OpError)):
            f()


# ---- characters that cannot be seen ----------------------------------------------------------------------------------

CONTROLS = "".join(map(chr, (*range(32), *range(0x7F, 0xA0))))
DIRECTIONS = "".join(map(chr, (0x200B, 0x200E, 0x200F, 0x061C, 0xFEFF, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029)))
SURROGATES = "\ud800\udbff \udc00 \udfff"
LONG = "x" * 1_000_000
UNSEEN = {
    "c0-c1": CONTROLS,
    "bidi": DIRECTIONS,
    "surrogates": SURROGATES,
    "ansi": "\x1b[2J\x1b]0;title\x07\x9b1m",
    "combining": "e" + "\u0301" * 1000,
    "long": LONG,
    "long-bidi": "\u202e" * 1_000_000,
    "tags": "\U000e0041",
}
unseen = pytest.mark.parametrize("name", UNSEEN.values(), ids=UNSEEN)


@pytest.mark.parametrize("one", CONTROLS + DIRECTIONS + SURROGATES, ids=ascii)
def test_what_cannot_be_seen_is_escaped_as_in_a_repr(one):
    assert visible(f"a{one}b") == f"a{repr(one)[1:-1]}b" == visible(visible(f"a{one}b"))
    assert visible(f"a{one}b").isprintable()


def test_what_can_be_seen_stays_and_what_is_long_is_cut():
    assert visible("héllo 漢字 <b> \\x1b 'q'") == "héllo 漢字 <b> \\x1b 'q'"
    assert visible(LONG) == "x" * 197 + "..." and visible("abcdef", 5) == "ab..." and visible("abcde", 5) == "abcde"
    assert visible(LONG, None) == LONG


class Mute(str):
    """It can say nothing of itself."""

    def nothing(self, *given):
        raise ValueError("nothing")

    __str__ = __repr__ = __format__ = __len__ = __iter__ = __getitem__ = isprintable = nothing


@pytest.mark.parametrize("thing", [Mute(), 10**5000, type("E", (Exception,), {"__str__": Mute.nothing})()], ids=["text", "number", "error"])
def test_an_object_that_cannot_say_what_it_is_gives_its_type(thing):
    assert re.fullmatch(r"<[\w.]+ object>", visible(thing))


def texts_in(data):
    """All texts in plain data."""
    if isinstance(data, dict):
        return [text for part in data.items() for text in texts_in(part)]
    return (
        [text for part in data for text in texts_in(part)] if isinstance(data, (list, tuple)) else [data] if isinstance(data, str) else []
    )


SHOWN_EVERYWHERE = """
x = mg.Variable(2.0)
named = (lambda v: lambda: v)(mg.Variable(1.0, name="v" + name))  # it has no other name
held, nameless = {name: mg.Variable(3.0)}, {unsaid: mg.Variable(3.0)}
globals()[name + " too"] = mg.Variable(3.0)
tape = mg.GradientTape(persistent=True)
globals()[name] = tape
with mg.trace(), tape:
    words = mg.constant([name.encode("utf-8", "replace")])
    lengths = mg.strings.length(mg.strings.lower(words))
    y = x * held[name] * float(x) + len("LITERAL") * named() + globals()[name + " too"]  # LITERAL
    named().assign(3.0)
    z = failing(y) * nameless[unsaid]
sources = [x, named(), held[name], globals()[name + " too"]]
film = mg.inspect(tape, z, sources)
film_y = mg.inspect(tape, y, sources)
answers = tape.explain(z, [*sources, words, nameless[unsaid]])
"""


def everything_shown_of(name):
    """All texts that a program shows that has this name wherever data can have one."""

    @mg.custom_gradient
    def failing(x):
        def grad(dz):
            raise ValueError(name)

        return x * 1.0, grad

    source = SHOWN_EVERYWHERE.replace("LITERAL", re.sub(r"[\n\r\x00\ud800-\udfff]", "", name))
    file = f"<cell {name}>".replace("\x00", "")
    lines = [line + "\n" for line in source.split("\n")]
    linecache.cache[file] = len(source), None, lines, file
    space = {"mg": mg, "name": name, "unsaid": Silent(), "failing": failing}
    exec(compile(source, file.encode("utf-8", "replace"), "exec"), space)
    for film in (space["film"], space["film_y"]):
        yield from texts_in(film.plain)
        yield from film.to_html().split("\n")
        yield from str(film).split("\n")
    for answer in space["answers"]:
        yield from [repr(answer), *answer.lines(), *answer._repr_html_().split("\n"), *texts_in(answer.to_dict())]


class Silent:
    """Its name cannot be said."""

    def __repr__(self):
        raise ValueError("no text")


@unseen
@pytest.mark.variants
def test_films_and_explanations_show_what_cannot_be_seen_escaped_and_what_is_long_cut(name):
    texts = list(everything_shown_of(name))
    assert not [ascii(text) for text in texts if not text.isprintable()]
    assert max(map(len, texts)) < 250_000, "no longer than the front end, which is one line"
    "\n".join(texts).encode()


def raising(text):
    raise OSError(text)


REFUSED = {
    "assign": lambda name: mg.Variable(1.0, name=name).assign([1.0, 2.0]),
    "to_number": lambda name: mg.strings.to_number(name.encode("utf-8", "replace")),
    "assert_equal": lambda name: mg.debugging.assert_equal(name.encode("utf-8", "replace"), b"", message=name),
    "assert_integer": lambda name: mg.debugging.assert_integer(mg.constant(1.0), message=name),
    "py_function": lambda name: mg.py_function(lambda: raising(name), [], mg.float32),
    "file": lambda name: mg.print(1, output_stream=f"file:///none/{name}".replace("\x00", "")),
    "regex": lambda name: mg.strings.regex_full_match("a", "(" + name.encode("utf-8", "replace").decode()),
    "queue": lambda name: mg.queue.FIFOQueue(1, [mg.float32], name=name).dequeue(),
    "watch": lambda name: mg.GradientTape().watch(name),
    "layer": lambda name: mg.keras.layers.Dense(2, name=name.replace("/", "")).count_params(),
    "model": lambda name: mg.keras.Sequential(name=name.replace("/", ""))(mg.ones([1, 1])),
    "slash": lambda name: mg.keras.layers.Dense(2, name=f"/{name}"),
    "called": lambda name: mg.keras.layers.Dense(2, name=name.replace("/", ""))(name),
    "activation": lambda name: mg.keras.layers.Dense(2, activation=name),
    "loss": lambda name: mg.keras.losses.get(name),
    "optimizer": lambda name: mg.keras.optimizers.get(name),
    "regularizer": lambda name: mg.keras.layers.Dense(2, kernel_regularizer=name),
    "initializer": lambda name: mg.keras.layers.Dense(2, kernel_initializer=name),
    "einsum": lambda name: mg.einsum(name, mg.ones([1])),
}


@pytest.mark.parametrize("refused", REFUSED)
@pytest.mark.parametrize("name", ["c0-c1", "bidi", "surrogates", "ansi"])
def test_errors_show_what_cannot_be_seen_escaped(name, refused):
    name = UNSEEN[name]
    with pytest.raises((ValueError, TypeError, RuntimeError, mg.errors.OpError)) as caught:
        REFUSED[refused](name)
    assert str(caught.value).replace("\n", "").isprintable(), ascii(str(caught.value))


class Unseen:
    """What shows itself with characters that cannot be seen."""

    def __repr__(self):
        return UNSEEN["ansi"]


def public_functions():
    """Whatever can be called in minigrad's namespaces, each once: its name there, and what its arguments are called."""
    found = {}
    for space in (mg, *spaces(mg), *spaces(mg.keras)):
        for name in dir(space):
            one = getattr(space, name)
            ours = callable(one) and getattr(one, "__module__", "").startswith("minigrad")
            if ours and not (inspect.isclass(one) and issubclass(one, BaseException)):
                found.setdefault(id(one), (f"{space.__name__}.{name}", one, inspect.signature(one).parameters.values()))
    return found.values()


def spaces(above):
    return [one for name in dir(above) if inspect.ismodule(one := getattr(above, name))]


@pytest.mark.variants
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("others", [[[1.0, 2.0], [3.0, 4.0]], 1, [0, 1], "a"], ids=str)
@pytest.mark.parametrize(
    "bad", [UNSEEN["ansi"], (UNSEEN["bidi"],), {"a": UNSEEN["surrogates"]}, Unseen()], ids=lambda bad: type(bad).__name__
)
def test_no_error_of_any_function_shows_what_cannot_be_seen(bad, others, capfd):
    """But for the errors that Python and NumPy word themselves."""
    asked, shown = 0, []
    for name, function, parameters in public_functions():
        needed = {p.name: others for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
        for p in parameters:
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY):
                try:
                    function(**{**needed, p.name: bad})
                except Exception as problem:
                    raised = traceback.extract_tb(problem.__traceback__)[-1]
                    ours = PACKAGE in pathlib.Path(raised.filename).parents and raised.line.startswith("raise ")
                    asked += ours
                    if ours and not all(map(str.isprintable, str(problem).split("\n"))):
                        shown.append(f"{name}: {p.name}: {problem!r}")
    assert asked > 500
    assert not shown, ascii(shown)


@unseen
def test_reprs_show_names_escaped(name):
    name = name.replace("/", "")
    for one in (
        mg.Variable(1.0, name=name),
        mg.keras.Variable(1.0, name=name),
        mg.keras.layers.Dense(2, name=name),
        mg.keras.metrics.Mean(name),
    ):
        assert repr(one).isprintable(), ascii(repr(one))


def test_strings_are_printed_as_tensorflow_does(capsys):
    text = mg.constant(["\x1b[31m\u202e\x00\n", "\ufeff"])
    array = "[b'\\x1b[31m\\xe2\\x80\\xae\\x00\\n', b'\\xef\\xbb\\xbf']"
    assert repr(text) == f"<mg.Tensor: shape=(2,), dtype=string, numpy=array({array}, dtype=object)>"
    mg.print(text)
    assert capsys.readouterr().err == '["\\033[31m\u202e\\000\\n" "\ufeff"]\n'


# ---- what the package itself does ----------------------------------------------------------------------------------


def names_used(tree):
    """The functions called by name, and the modules imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id, node.lineno
        elif isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module, node.lineno


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_the_package_loads_no_pickles_and_fetches_nothing(path):
    used = {name.partition(".")[0] for name, _ in names_used(ast.parse(path.read_text("utf-8")))}
    opens = {"subprocess", "socket"} if path.parent.name == "classroom" else set()  # the command starts JupyterLab and pip
    runs = {"exec", "eval", "compile"} if path.name in ("trial.py", "report.py") else set()  # the user's own program
    runs |= {"eval"} if path.name == "formulas.py" else set()  # the mathematics that an op declares
    runs |= {"ctypes"} if path.name == "swap.py" else set()  # gives a tensor of TensorFlow another value, in a replay
    assert not (used - opens - runs) & {
        "pickle",
        "shelve",
        "marshal",
        "dill",
        "subprocess",
        "socket",
        "urllib",
        "http",
        "requests",
        "ctypes",
        "exec",
    }
    evaluates = {"custom.py"}  # the VJP of an op that waits for a registered gradient, made of names in our own code
    assert "eval" not in used - runs or path.name in evaluates
    assert "compile" not in used - runs or path.name in ("op.py", "compiled.py")  # ops, and functions that were traced


def examples_of(function):
    """The examples in a docstring, as trees."""
    try:
        return [ast.parse(one.source) for one in doctest.DocTestParser().get_examples(function.__doc__ or "")]
    except (SyntaxError, ValueError):
        return []


def calls_with(text, function):
    """The function's own example, once for each of its parameters, with this text in its place: statements to run before, and the call."""
    parameters = [
        one for one in inspect.signature(function).parameters.values() if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    ]
    statements = examples_of(function)
    for place, statement in enumerate(statements):
        calls = [
            one for one in ast.walk(statement) if isinstance(one, ast.Call) and ast.unparse(one.func).endswith(f".{function.__name__}")
        ]
        for position, parameter in enumerate(parameters if calls else ()):
            call = copy.deepcopy(calls[0])
            call.args = [ast.Constant(text) if k == position else one for k, one in enumerate(call.args)]
            if position >= len(call.args):
                call.keywords = [one for one in call.keywords if one.arg != parameter.name]
                call.keywords.append(ast.keyword(parameter.name, ast.Constant(text)))
            yield [ast.unparse(one) for one in statements[:place]], ast.unparse(call)
        if calls:
            return


SPACES = [
    mg, mg.data.Dataset, mg.image, mg.linalg, mg.math, mg.nn, mg.random, mg.strings, mg.keras.initializers, mg.keras.layers, mg.keras.losses,
    mg.keras.metrics, mg.keras.optimizers, mg.keras.optimizers.schedules,
]  # fmt: skip


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.__name__)
def test_an_error_shows_an_argument_as_text(space, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    warnings.simplefilter("ignore")
    texts = []
    for function in [thing for name, thing in sorted(vars(space).items()) if not name.startswith("_") and callable(thing)]:
        for before, call in calls_with("a\x1b[31m\u202e", function):
            names = {"mg": mg, "np": np}
            try:
                exec("\n".join([*before, call]), names)
            except Exception as error:
                texts.append((call, str(error).replace("\x1b[1m", "").replace("\x1b[0m", "")))  # bold, in Keras's own words
    assert len(texts) > 5
    assert [one for one in texts if not one[1].replace("\n", "").replace("\t", "").isprintable()] == []
