"""The command `minigrad`: what it says of a machine, and what it does when something is in its way."""

import contextlib
import errno
import importlib
import io
import itertools
import json
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import types
from pathlib import Path

import pytest

from minigrad.__main__ import main, parsed
from minigrad.classroom import book, checkup, course, lab, telling, whole

ROOT = Path(__file__).parent.parent
NOBODY = 65534

installed = pytest.mark.skipif(not checkup.version("minigrad"), reason="minigrad is not installed here")


def told(capsys, *arguments):
    """The exit code, and what was said on stderr."""
    code = main(arguments)
    return code, capsys.readouterr().err


# ---- what it understands -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["course", "check", "pack", "build", "book", "site"])
def test_every_command_helps_with_an_example_that_it_understands(name, capsys):
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    example = re.search(r"example: minigrad ([^$]*)", capsys.readouterr().out)[1].split()
    assert parsed()[0].parse_known_args(example)[0].command == name


@pytest.mark.parametrize("arguments", [[], ["check", "twice"], ["course", "--port", "99999"], ["course", "--port", "x"], ["dance"]])
def test_what_is_not_understood_ends_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2


COMMANDS = {
    "course": ("lab.open_course", dict(
        lesson=None, reset=False, folder=None, own=False, listed=False, opened=True, port=None, further=[])),
    "course --reset --folder there --own --list --no-lab --port 65535 --debug": ("lab.open_course", dict(
        lesson=None, reset=True, folder="there", own=True, listed=True, opened=False, port=65535, further=["--debug"])),
    "course --port 1": ("lab.open_course", dict(
        lesson=None, reset=False, folder=None, own=False, listed=False, opened=True, port=1, further=[])),
    "explain --html page.html train.py -x 3": ("explaining.explain", dict(page="page.html", script="train.py", arguments=["-x", "3"])),
    "explain train.py": ("explaining.explain", dict(page=None, script="train.py", arguments=[])),
    "check": ("checkup.check", {}),
    "pack": ("pack.pack", dict(platforms=None, pythons=None, out=".")),
    "pack --platform windows --platform macos --python 3.12 --python 3.13 --out there": ("pack.pack", dict(
        platforms=["windows", "macos"], pythons=["3.12", "3.13"], out="there")),
    "class codes.txt": ("together.summarise", dict(codes="codes.txt", picture=None)),
    "class --picture class.png -": ("together.summarise", dict(codes="-", picture="class.png")),
    "build": ("building.build", dict(lessons=[])),
    "build 07 8": ("building.build", dict(lessons=["07", "8"])),
    "book": ("book.book", dict(out=None)),
    "book --out there": ("book.book", dict(out="there")),
    "site --pyodide here --out there": ("site.site", dict(release="here", out="there")),
}  # fmt: skip


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_gives_all_that_is_typed_to_its_function_and_ends_as_that_says(line, monkeypatch):
    (run, options), given = COMMANDS[line], []
    module, function = run.split(".")
    for code, ended in ((None, 0), (0, 0), (3, 3)):
        monkeypatch.setattr(
            importlib.import_module(f"minigrad.classroom.{module}"), function, lambda code=code, **named: given.append(named) or code
        )
        assert main(line.split()) == ended and given.pop() == options


@pytest.mark.parametrize(("line", "said"), [
    ("check twice", "minigrad check: error: unrecognized arguments: twice"),
    ("check \x1b[2J\u202e", r"minigrad check: error: unrecognized arguments: \x1b[2J\u202e"),
    ("book --ou there", "minigrad book: error: unrecognized arguments: --ou there"),
    ("course --port 0", "argument --port: 0 is no port: they are numbered from 1 to 65535"),
    ("course --port 65536", "argument --port: 65536 is no port: they are numbered from 1 to 65535"),
    ("course --port x", "argument --port: invalid port value: 'x'"),
    ("", "the following arguments are required: command"),
    ("explain", "the following arguments are required: SCRIPT, ..."),
    ("class", "the following arguments are required: CODES.txt"),
    ("site", "the following arguments are required: --pyodide, --out"),
    ("site --out there", "the following arguments are required: --pyodide"),
    ("site --pyodide here", "the following arguments are required: --out"),
])  # fmt: skip
def test_what_is_missing_or_too_much_is_named(line, said, capsys):
    with pytest.raises(SystemExit) as end:
        main(line.split())
    assert end.value.code == 2 and said.removesuffix(", ...") in capsys.readouterr().err


def test_what_the_course_does_not_know_goes_to_jupyterlab(monkeypatch):
    given = {}
    monkeypatch.setattr(lab, "open_course", lambda **options: given.update(options))
    assert main(["course", "--lesson", "07", "--ServerApp.token=x", "--no-browser"]) == 0
    unasked = {"reset": False, "folder": None, "own": False, "listed": False, "opened": True, "port": None}
    assert given == {"lesson": "07", "further": ["--ServerApp.token=x", "--no-browser"]} | unasked


@pytest.mark.parametrize("command", [["course", "--lesson", "77"], ["build", "77"]])
def test_an_unknown_lesson_is_answered_with_those_that_there_are(command, capsys):
    code, said = told(capsys, *command)
    assert code == 1
    assert "There is no lesson 77. There are 00 01 02" in said
    assert "Try: minigrad " in said


@pytest.mark.parametrize(
    "lesson", ["**", "/etc", "", " ", "..", "[", "\0", "ü", "\u0660\u0667", "\udcff", "\x1b[2J", "a\nb", "9" * 100_000]
)
@pytest.mark.parametrize("command", [["course", "--lesson"], ["build"]])
def test_nothing_that_is_typed_as_a_lesson_is_a_traceback(command, lesson, capsys):
    code, said = told(capsys, *command, lesson)
    assert (code, said.startswith("minigrad: There is no lesson "), len(said.splitlines())) == (1, True, 2)
    assert said.replace("\n", "").isprintable() and len(said) < 400


@pytest.mark.parametrize("out", ["", "\0", "/dev/null", "/dev/null/x", "a" * 100_000, "\x1b[2J\0"])
@pytest.mark.parametrize("command", ["pack", "book"])
def test_nothing_that_is_typed_as_a_folder_is_a_traceback(command, out, capsys, monkeypatch):
    monkeypatch.setattr(checkup, "packages", list)
    monkeypatch.setattr(book, "NEEDS", ())
    code, said = told(capsys, command, "--out", out)
    assert (code, said.startswith("minigrad: Nothing can be written to "), len(said) < 400) == (1, True, True)
    assert said.replace("\n", "").isprintable()


def test_a_book_that_cannot_be_made_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setattr(checkup, "packages", list)
    monkeypatch.setattr(book, "NEEDS", ("sphinx_of_nobody",))
    code, said = told(capsys, "book")
    assert (code, "sphinx_of_nobody: not installed" in said, "pip install --editable '.[course,book]'" in said) == (1, True, True)


@pytest.mark.parametrize("ended", [0, 1])
def test_a_book_is_made_where_it_is_told_and_ends_as_sphinx_does(ended, tmp_path, monkeypatch, capsys):
    places = []
    monkeypatch.setattr(checkup, "packages", list)
    monkeypatch.setattr(book, "NEEDS", ())
    monkeypatch.setattr(book, "module", lambda name: types.SimpleNamespace(make=lambda place: places.append((name, place)) or ended))
    monkeypatch.setattr(book.time, "monotonic", itertools.count(100.0, 7.0).__next__)
    assert main(["book", "--out", str(tmp_path / "there")]) == ended
    assert capsys.readouterr().out == ("" if ended else f"{tmp_path / 'there' / 'index.html'}  7 s\n")
    assert main(["book"]) == ended
    assert places == [("book.make", place) for place in (tmp_path / "there", ROOT / "course" / "book" / "_build" / "html")]


# ---- what is in the way --------------------------------------------------------------------------------------------------


@pytest.fixture
def ready(tmp_path, monkeypatch):
    """A machine on which nothing is wrong, an empty folder, and a JupyterLab that only tells how it was started."""
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("jupyterlab")
    from jupyterlab.labapp import LabApp

    started = []
    monkeypatch.setattr(checkup, "quick", lambda *_: [])
    monkeypatch.setattr(LabApp, "launch_instance", started.extend)
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "")  # which the command writes into
    return started


def test_the_kernels_of_the_course_run_its_startup_script_and_then_the_users_own(ready, monkeypatch):
    monkeypatch.setenv("PYTHONSTARTUP", "own.py")
    monkeypatch.setenv("MINIGRAD_PYTHONSTARTUP", "")
    assert main(["course"]) == 0
    assert Path(os.environ["PYTHONSTARTUP"]).parts[-2:] == ("labconfig", "startup.py")
    assert os.environ["MINIGRAD_PYTHONSTARTUP"] == "own.py"
    assert ready and lab.QUIET in os.environ["JUPYTER_CONFIG_PATH"].split(os.pathsep)


def test_a_taken_port_is_named_with_one_that_is_free(ready, capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        code, said = told(capsys, "course", "--port", str(taken))
    assert code == 1
    assert f"Port {taken} is taken" in said
    assert checkup.is_free(int(re.search(r"Try: minigrad course --port (\d+)", said)[1]))
    assert ready == []


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a port is free as soon as its server has ended")
def test_a_port_whose_last_connection_was_just_closed_is_free():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as guest:
        port = server.getsockname()[1]
        server.accept()[0].close()  # whoever closes first keeps the port for a while
        assert guest.recv(1) == b""
    assert checkup.is_free(port)


def test_a_port_for_programs_with_rights_is_not_called_taken(ready, monkeypatch, capsys):
    monkeypatch.setattr(checkup, "binding_error", lambda number: errno.EACCES if number < 1024 else 0)
    code, said = told(capsys, "course", "--port", "80")
    assert (code, ready, "special rights" in said) == (1, [], True)
    assert said.endswith(f"Try: minigrad course --port {checkup.free_after(checkup.PORT)}\n")


@pytest.mark.parametrize(("arguments", "place"), [
    (["--ip=0.0.0.0"], "0.0.0.0"), (["--ip", "::"], "'::'"), (["--ServerApp.ip=10.0.0.7"], "10.0.0.7"), (["--ip="], "all addresses"),
    (["--ip=127.0.0.1", "--ip=lab.example"], "lab.example"), ([], ""), (["--ip=127.0.0.9"], ""), (["--ServerApp.ip", "::1"], ""),
])  # fmt: skip
def test_an_address_that_others_reach_is_told_in_one_line(ready, monkeypatch, capsys, arguments, place):
    monkeypatch.setattr(checkup, "is_root", lambda: False)
    main(["course", "--no-lab"])
    capsys.readouterr()
    code, said = told(capsys, "course", "--no-browser", *arguments)
    assert (code, len(said.splitlines())) == (0, bool(place))
    if place:
        assert f"it listens at {place}, not on this machine alone" in said and "runs programs as you" in said


def test_an_address_in_a_configuration_file_is_told_too(ready, monkeypatch, capsys, tmp_path):
    (tmp_path / "jupyter_server_config.py").write_text("c.ServerApp.ip = '0.0.0.0'")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    assert "it listens at 0.0.0.0" in told(capsys, "course", "--no-browser")[1]


def test_what_to_type_keeps_what_was_asked_for(ready, capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        said = told(capsys, "course", "--lesson", "7", "--reset", "--port", str(other.getsockname()[1]), "--no-browser")[1]
    assert re.search(r"Try: minigrad course --lesson 07 --reset --port \d+ --no-browser\n", said)


def test_the_number_of_a_lesson_may_be_short_and_needs_its_option(ready, capsys):
    assert told(capsys, "course", "--lesson", "7")[0] == 0
    assert "--LabApp.default_url=/lab/tree/07_why_none.ipynb" in ready
    code, said = told(capsys, "course", "7")
    assert (code, said.endswith("Try: minigrad course --lesson 07\n")) == (1, True)


@pytest.mark.skipif(os.name != "posix", reason="paths as POSIX has them")
@pytest.mark.parametrize(
    ("called", "shown"), [("/a/bin/minigrad", "/a/bin/minigrad"), ("/a b/minigrad", '"/a b/minigrad"'), ("pytest", "minigrad")]
)
def test_what_to_type_is_typed_as_it_was_just_now(called, shown, monkeypatch):
    monkeypatch.setattr(sys, "argv", [called])
    assert str(telling.Trouble("x", "cd ~; minigrad course")).endswith(f"Try: cd ~; {shown} course")
    assert telling.as_called("pip install minigrad") == "pip install minigrad"


@pytest.mark.skipif(os.name != "posix", reason="paths as POSIX has them")
def test_what_uvx_has_put_on_the_path_is_typed_in_full(tmp_path, monkeypatch):
    command = tmp_path / "minigrad"
    command.touch(0o755)
    monkeypatch.setattr(sys, "argv", [str(command)])
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("UV", raising=False)
    assert telling.as_called("minigrad course") == "minigrad course"
    monkeypatch.setenv("UV", "/usr/bin/uv")  # as uvx does for what it runs
    assert telling.as_called("minigrad course") == f"{command} course"


def test_a_free_port_is_the_one_that_is_used(ready, capsys):
    free = checkup.free_after(20000)
    assert told(capsys, "course", "--port", str(free), "--no-browser")[0] == 0
    assert {f"--port={free}", "--ServerApp.port_retries=0", "--no-browser"} <= set(ready)


def test_nobody_is_asked_about_news_or_told_of_updates_unless_they_set_it_themselves(ready, monkeypatch, tmp_path, capsys):
    from jupyterlab_server.config import ConfigManager

    own = tmp_path / "labconfig" / "default_setting_overrides.json"
    own.parent.mkdir()
    own.write_text('{"@jupyterlab/apputils-extension:themes": {"theme": "JupyterLab Dark"}}')
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(tmp_path))
    assert told(capsys, "course")[0] == 0
    found = ConfigManager(config_dir_name="labconfig").get("default_setting_overrides")
    assert found["@jupyterlab/apputils-extension:notification"] == {"fetchNews": "false", "checkForUpdates": False}
    assert found["@jupyterlab/apputils-extension:themes"] == {"theme": "JupyterLab Dark"}


def test_without_a_browser_it_says_where_to_look_and_goes_on(ready, monkeypatch, capsys):
    monkeypatch.setattr(checkup, "has_browser", lambda: False)
    code, said = told(capsys, "course")
    assert code == 0
    assert "no browser was found on this machine" in said
    assert "--LabApp.default_url=/lab/tree/00_start_here.ipynb" in ready


def test_root_is_warned_and_let_in(ready, monkeypatch, capsys):
    monkeypatch.setattr(checkup, "is_root", lambda: True)
    code, said = told(capsys, "course")
    assert (code, "--allow-root" in ready) == (0, True)
    assert "you are root" in said


def test_reset_needs_a_lesson(ready, capsys):
    code, said = told(capsys, "course", "--reset")
    assert (code, ready) == (1, [])
    assert said.endswith("Try: minigrad course --lesson 07 --reset\n")


def test_reset_opens_the_lesson_anew_and_keeps_what_stood_in_it(ready, own_course, capsys):
    lesson = own_course / "07_why_none.ipynb"
    mine = lesson.read_text(encoding="utf-8").replace("mg.inspect(tape, y, x)", "mine = 7")
    lesson.write_text(mine, encoding="utf-8")
    code, said = told(capsys, "course", "--lesson", "07", "--reset")
    assert code == 0
    assert "mine = 7" not in lesson.read_text(encoding="utf-8")
    copy = Path(re.search(r"kept in (\S+)\.\n", said)[1])
    assert re.fullmatch(r"07_why_none\.\d{4}-\d\d-\d\d\.1\.ipynb", copy.name) and copy.parent == own_course / "my_copies"
    assert copy.read_text(encoding="utf-8") == mine
    assert "--LabApp.default_url=/lab/tree/07_why_none.ipynb" in ready


def test_a_program_of_ones_own_has_a_notebook(ready, capsys):
    assert told(capsys, "course", "--own")[0] == 0
    assert "--LabApp.default_url=/lab/tree/own_program.ipynb" in ready
    assert (Path("minigrad-course") / "own_program.ipynb").exists()


def test_a_damaged_or_deleted_lesson_can_be_had_again(ready, own_course, capsys):
    lesson = own_course / "07_why_none.ipynb"
    handed_out = lesson.read_bytes()
    lesson.write_text("{broken", encoding="utf-8")
    assert told(capsys, "course", "--lesson", "07", "--reset")[0] == 0
    assert lesson.read_bytes() == handed_out
    lesson.unlink()
    assert told(capsys, "course", "--lesson", "07")[0] == 0
    assert lesson.read_bytes() == handed_out


@pytest.mark.parametrize("git", [True, False])
def test_an_original_that_is_damaged_or_missing_is_named_and_nothing_is_laid(git, ready, own_clone, capsys):
    if git:
        (own_clone.parent / ".git").mkdir()
    again = f'git -C "{own_clone.parent}" checkout course/' if git else "-m pip install --force-reinstall minigrad"
    for name, damage in (("07_why_none.ipynb", lambda file: file.write_text("{broken")), ("glossary.md", Path.unlink)):
        damage(own_clone / name)
        code, said = told(capsys, "course")
        assert (code, f"{name} is " in said, again in said, ready) == (1, True, True, [])
        assert not (own_clone.parent / "minigrad-course").exists()
        shutil.copyfile(ROOT / "course" / name, own_clone / name)


def test_build_names_a_damaged_lesson(own_clone, monkeypatch, capsys):
    monkeypatch.setattr(checkup, "packages", list)
    (own_clone / "07_why_none.ipynb").write_text("{broken", encoding="utf-8")
    code, said = told(capsys, "build", "07")
    assert (code, said.splitlines()[1]) == (1, "minigrad: 07_why_none.ipynb is damaged.")


def stopped_by(problem, monkeypatch):
    """A command that ends with an exception."""

    def stopped():
        raise problem

    monkeypatch.setattr(checkup, "check", stopped)


def test_ctrl_c_is_one_line_and_exit_code_130(monkeypatch, capsys):
    stopped_by(KeyboardInterrupt(), monkeypatch)
    assert told(capsys, "check") == (130, "\nminigrad: interrupted.\n")


@pytest.mark.skipif(os.name != "posix", reason="advice for a POSIX shell")
@pytest.mark.parametrize(("number", "advice"), [(errno.ENOSPC, "df -h"), (errno.EACCES, "ls -ld '/a b'"), (errno.EIO, "ls -ld '/a b'")])
def test_what_the_system_refuses_is_named_with_what_to_look_at(number, advice, monkeypatch, capsys):
    stopped_by(OSError(number, os.strerror(number), "/a b"), monkeypatch)
    assert told(capsys, "check") == (1, f"minigrad: {os.strerror(number)}: '/a b'.\nTry: {advice}\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize(("output", "code", "told"), [("> /dev/full", 1, "No space left on device"), ("| true", 1, "")])
def test_output_that_nobody_takes_is_no_traceback(output, code, told):
    program = "import sys, time; from minigrad.__main__ import main; from minigrad.classroom import checkup\n"
    program += "checkup.findings = lambda: time.sleep(0.3) or iter(['x'])\nsys.exit(main(['check']))"
    line = f'"{sys.executable}" -c "$PROGRAM" {output}; echo ${{PIPESTATUS[0]}}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PROGRAM": program}
    done = subprocess.run(["bash", "-c", line], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == f"{code}\n"
    assert (told in done.stderr, len(done.stderr.splitlines())) == (True, 2 if told else 0)


def test_a_full_disk_is_told_apart_from_missing_rights(tmp_path, monkeypatch):
    @contextlib.contextmanager
    def full(**options):
        yield types.SimpleNamespace(write=lambda content: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checkup.tempfile, "TemporaryFile", full)
    finding = checkup.lessons_folder()
    assert "cannot be written (No space left on device)" in finding.seen
    assert finding.instead == telling.LOOK_AT_DISKS and not (tmp_path / "minigrad-course").exists()


def test_no_folder_that_others_can_guess_is_advised(monkeypatch):
    pytest.importorskip("jupyter_core")
    monkeypatch.setattr(checkup, "can_write", lambda place: False)
    assert checkup.jupyters_folder().instead == 'export JUPYTER_RUNTIME_DIR="$(mktemp -d)"'


@pytest.mark.parametrize("called", [".venv/bin/pytest", sys.executable])
def test_a_working_folder_that_was_deleted_is_told(called, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [called])
    monkeypatch.setattr(course.Path, "cwd", lambda *_: (_ for _ in ()).throw(FileNotFoundError()))
    assert told(capsys, "course") == (1, "minigrad: The working folder has been deleted.\nTry: cd ~; minigrad course\n")


def test_build_stops_where_nothing_can_be_written(own_clone, monkeypatch, capsys):
    monkeypatch.setattr(checkup, "packages", list)
    monkeypatch.setattr(checkup, "can_write", lambda place: False)
    code, said = told(capsys, "build", "00")
    assert (code, "cannot be written" in said) == (1, True)


def test_a_pack_needs_a_place_before_it_begins(tmp_path, capsys):
    file = tmp_path / "file"
    file.touch()
    code, said = told(capsys, "pack", "--out", str(file))
    assert (code, said) == (1, f"minigrad: Nothing can be written to {file}.\nTry: minigrad pack --out ~\n")


@installed
def test_build_keeps_what_stood_in_a_lesson_that_changes_and_copies_none_that_does_not(own_clone, capsys):
    lesson = own_clone / "00_start_here.ipynb"
    stored = lesson.read_text(encoding="utf-8")
    assert told(capsys, "build", "00")[0] == 0
    assert not (own_clone / "my_copies").exists()
    mine = stored.replace("The grey boxes are", "These boxes are").replace(": not attempted yet.", ": no such thing.")
    assert mine.count("These boxes are") == 1 <= mine.count(": no such thing.")
    lesson.write_text(mine, encoding="utf-8")
    code, said = told(capsys, "build", "00")
    (copy,) = (own_clone / "my_copies").iterdir()
    assert (code, copy.name in said, copy.read_text(encoding="utf-8")) == (0, True, mine)
    assert lesson.read_text(encoding="utf-8") == stored.replace("The grey boxes are", "These boxes are")


def test_an_installation_without_lessons_is_told_apart(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(course, "PACKAGE", tmp_path / "minigrad")
    code, said = told(capsys, "course")
    assert code == 1
    assert "This installation of minigrad has no lessons." in said


# Who may write everywhere becomes a user who owns nothing.
ASK = f"import os; from minigrad.classroom import checkup; os.geteuid() or os.setuid({NOBODY}); print(checkup.lessons_folder())"


@pytest.mark.skipif(os.name != "posix", reason="about permissions as POSIX has them")
def test_a_folder_that_cannot_be_written_is_noticed(own_course):
    visible = own_course.parent
    for place in (visible, *list(visible.parents)[:-2]):
        place.chmod(place.stat().st_mode | 0o055)
    own_course.chmod(0o555)
    try:
        said = subprocess.check_output([sys.executable, "-c", ASK], text=True, cwd=visible, env={**os.environ, "PYTHONPATH": str(ROOT)})
    finally:
        own_course.chmod(0o755)
    assert said.startswith("wrong  lessons ")
    assert "cannot be written" in said
    assert "try: minigrad course --folder ~/minigrad-course" in said
    assert not checkup.lessons_folder().wrong


# ---- the screen ----------------------------------------------------------------------------------------------------------


@installed
def test_check_finds_everything_well_where_the_course_is_installed():
    done = subprocess.run([sys.executable, "-m", "minigrad", "check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^ok +kernel +answers after", done.stdout, re.MULTILINE)
    assert re.search(r"^ok +widget +the inspector can be drawn", done.stdout, re.MULTILINE)
    assert done.stdout.splitlines()[-1] == "All is well. Begin: minigrad course"
    assert len(done.stdout.splitlines()) <= 24


@installed
def test_the_kernel_is_asked_where_the_source_does_not_lie(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(checkup, "PROBE", "import os; print(os.path.exists('minigrad'))")
    assert checkup.asked_a_kernel() == ("False", "")


@installed
def test_the_kernel_imports_nothing_that_others_put_into_the_temporary_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(checkup.tempfile, "tempdir", str(tmp_path))
    (tmp_path / "numpy.py").write_text("raise SystemExit('imported from the temporary folder')")
    assert checkup.asked_a_kernel() == ("widget", "")
    assert [one.name for one in tmp_path.iterdir()] == ["numpy.py"]


# `minigrad build 00` in another clone.
BUILD = """
import sys
from pathlib import Path
from minigrad.__main__ import main
from minigrad.classroom import course
course.PACKAGE = Path.cwd() / "minigrad"
sys.exit(main(["build", "00"]))
"""


@installed
@pytest.mark.skipif(os.name != "posix", reason="about signals as POSIX has them")
def test_build_that_is_interrupted_ends_its_kernel_and_leaves_the_lesson(own_clone):
    lesson = own_clone / "00_start_here.ipynb"
    waiting = "open('begun', 'w').close(); import time; time.sleep(99)"
    slow = lesson.read_text(encoding="utf-8").replace("from helpers import", f"{waiting}; from helpers import", 1)
    lesson.write_text(slow, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    building = subprocess.Popen([sys.executable, "-c", BUILD], stderr=subprocess.PIPE, text=True, env=environment)
    while building.poll() is None and not (own_clone / "begun").exists():
        time.sleep(0.05)
    building.send_signal(signal.SIGINT)
    said = building.communicate(timeout=30)[1]
    assert (building.returncode, said) == (130, "building 1/1: 00_start_here.ipynb\n\nminigrad: interrupted.\n")
    assert lesson.read_text(encoding="utf-8") == slow and not list(own_clone.rglob("*.new"))


def findings(monkeypatch, versions):
    monkeypatch.setattr(checkup, "version", lambda package: versions.get(package, ""))
    monkeypatch.setattr(checkup, "needs", lambda: {"jupyterlab": "<5,>=4.4", "anywidget": ">=0.9"})
    return {finding.what: finding for finding in checkup.packages()}


def test_an_old_jupyterlab_and_a_missing_kernel_are_named_with_the_line_that_fixes_them(monkeypatch):
    found = findings(monkeypatch, {"minigrad": "0.1.0", "jupyterlab": "3.6.8", "anywidget": "0.11.0"})
    assert {what: finding.wrong for what, finding in found.items()} == {"jupyterlab": True, "anywidget": False, "ipykernel": True}
    assert found["jupyterlab"].seen == "3.6.8 does not suit: <5,>=4.4 is needed"
    assert found["ipykernel"].seen == "is not installed"
    assert found["jupyterlab"].instead.endswith('-m pip install --upgrade "jupyterlab<5,>=4.4" "ipykernel"')
    assert found["ipykernel"].instead == "the same line"


def test_what_is_wrong_stops_the_course_before_jupyterlab_starts(monkeypatch, capsys):
    monkeypatch.setattr(checkup, "quick", lambda *_: [checkup.Finding("jupyterlab", "is not installed", "pip install jupyterlab")])
    code, said = told(capsys, "course")
    assert (code, said) == (1, "minigrad: jupyterlab is not installed.\nTry: pip install jupyterlab\n")


def test_a_finding_is_a_line_with_its_mark_and_what_to_try_below_it(monkeypatch, capsys):
    fine, wrong = checkup.Finding("port", "8888 is free"), checkup.Finding("numpy", "is not installed", "pip install numpy")
    note = checkup.Finding("browser", "none here", "open it elsewhere", note=True)
    assert [str(one) for one in (fine, wrong, note)] == [
        "ok     port         8888 is free",
        "wrong  numpy        is not installed\n                    try: pip install numpy",
        "note   browser      none here\n                    try: open it elsewhere",
    ]
    odd = checkup.Finding("lessons", "a\x1b[2J cannot be written", "minigrad course --folder a\u202e")
    assert str(odd).replace("\n", "").isprintable() and str(telling.Trouble("x\x1b", "ls -ld x\x1b")).count("x\\x1b") == 2
    monkeypatch.setattr(checkup, "version", lambda package: "")
    for found, end in (
        ([fine, note], "All is well. Begin: minigrad course"),
        ([wrong, fine, wrong], "2 to fix. Begin with the first, then: minigrad check"),
    ):
        monkeypatch.setattr(checkup, "findings", lambda found=found: iter(found))
        assert checkup.check() == (end[0] == "2")
        lines = capsys.readouterr().out.splitlines()
        assert lines == [lines[0], *"\n".join(map(str, found)).splitlines(), end]
        assert lines[0] == f"minigrad (not installed), Python {platform.python_version()}, {platform.system()}"


def test_what_a_machine_lacks_is_told_with_what_to_type(monkeypatch):
    for has, free, is_root in ((True, True, False), (False, False, True)):
        monkeypatch.setattr(checkup, "has_browser", lambda has=has: has)
        monkeypatch.setattr(checkup, "is_free", lambda number, free=free: free or number > 8890)
        monkeypatch.setattr(checkup, "is_root", lambda is_root=is_root: is_root)
        found = [checkup.root(), checkup.port(), checkup.browser()]
        assert not any(one.wrong for one in found), "the course works all the same"
        if has:
            assert [str(one) for one in found] == [
                "ok     user         without special rights", "ok     port         8888 is free", "ok     browser      is there",
            ]  # fmt: skip
    assert [(one.mark, one.seen, one.instead) for one in found] == [
        ("note", "root: whoever opens the page is root too", "adduser learner; su - learner"),
        ("note", "8888 is taken, perhaps by a course still open", "minigrad course --port 8891"),
        ("note", "none here: open the address that is printed in one", "minigrad course --no-browser"),
    ]
    monkeypatch.setattr(checkup, "is_free", lambda number: False)
    assert checkup.free_after(65530) == 8888, "if all are taken, JupyterLab looks on"


@pytest.mark.parametrize(("number", "why", "instead"), [
    (errno.EACCES, "Permission denied", "minigrad course --folder ~/minigrad-course"), (errno.ENOSPC, "No space left on device", telling.LOOK_AT_DISKS),
    (errno.EDQUOT, "Disk quota exceeded", telling.LOOK_AT_DISKS),
])  # fmt: skip
def test_a_folder_that_refuses_what_is_written_is_wrong_and_says_why(number, why, instead, monkeypatch, tmp_path):
    monkeypatch.setattr(checkup, "refusal", lambda place: number)
    found = checkup.lessons_folder(str(tmp_path / "not" / "there"))
    assert (found.what, found.seen, found.instead, found.wrong) == ("lessons", f"{tmp_path} cannot be written ({why})", instead, True)
    pytest.importorskip("jupyter_core")
    other = checkup.jupyters_folder()
    assert other.what == "jupyter" and other.seen.endswith(f" cannot be written ({why})") and other.wrong
    assert other.instead == ('export JUPYTER_RUNTIME_DIR="$(mktemp -d)"' if number == errno.EACCES else instead)
    monkeypatch.setattr(checkup, "refusal", lambda place: 0)
    assert str(checkup.can_be_written(tmp_path)) == f"ok     lessons      {tmp_path}"
    assert checkup.unwritable("x", tmp_path, "y").seen == f"{tmp_path} cannot be written", "it was refused a moment ago"


def test_nothing_is_left_where_it_was_tried_to_write(tmp_path):
    assert checkup.refusal(tmp_path / "new") == 0 and [*(tmp_path / "new").iterdir()] == []
    assert checkup.refusal(Path("a\0b")) == errno.EINVAL
    (tmp_path / "file").write_text("")
    assert checkup.refusal(tmp_path / "file") in (errno.EEXIST, errno.ENOTDIR) and not checkup.can_write(tmp_path / "file")


def test_where_minigrad_only_lies_in_a_folder_that_alone_is_told(monkeypatch):
    assert checkup.version("a-package-of-nobody") == ""
    monkeypatch.setattr(checkup, "version", lambda package: "")
    (found,) = checkup.packages()
    assert (
        str(found)
        == f"wrong  minigrad     is not installed, only lies here\n{'':20}try: \"{sys.executable}\" -m pip install --editable '.[course]'"
    )


def test_the_course_needs_what_the_metadata_say_and_no_more(monkeypatch):
    lines = ["numpy>=1.26", "jupyterlab<5,>=4.4 ; extra == 'course'", "sphinx>=8 ; extra == 'book'", "tomli ; python_version < '3.11'"]
    monkeypatch.setattr(checkup.importlib.metadata, "requires", lambda name: lines)
    assert checkup.needs() == {"numpy": ">=1.26", "jupyterlab": "<5,>=4.4", "tomli": ""}


def test_a_book_or_site_outside_a_clone_says_where_it_is_made(monkeypatch, capsys):
    monkeypatch.setattr(checkup, "clone", lambda: None)
    with pytest.raises(telling.Trouble, match=r"The site is made in a clone of the source\.\nTry: cd the-clone; minigrad site"):
        checkup.source_for("site", ())
    monkeypatch.undo()
    with pytest.raises(telling.Trouble, match="of_nobody, nor_this: not installed"):
        checkup.source_for("site", ("of_nobody", "json", "nor_this"))
    assert checkup.source_for("book", ("json",)) == ROOT


def test_all_that_is_looked_at_comes_in_order_and_a_kernel_only_where_there_is_one(monkeypatch):
    for name in ("packages", "kernel"):
        monkeypatch.setattr(checkup, name, lambda name=name: iter([name]))
    for name in ("root", "port", "browser", "jupyters_folder"):
        monkeypatch.setattr(checkup, name, lambda name=name: name)
    monkeypatch.setattr(checkup, "lessons_folder", lambda given: f"lessons {given}")
    monkeypatch.setattr(checkup, "version", lambda package: "1")
    assert [*checkup.findings()] == ["packages", "lessons None", "jupyters_folder", "root", "port", "browser", "kernel"]
    monkeypatch.setattr(checkup, "version", lambda package: "")
    assert [*checkup.findings()] == ["packages", "lessons None", "root", "port", "browser"]
    assert [*checkup.quick("there")] == ["packages", "lessons there"]


def test_what_was_typed_is_shown_up_to_120_letters():
    assert (telling.shown("a" * 120), telling.shown("a" * 121)) == ("a" * 120, repr(f"{'a' * 120}..."))
    assert [telling.shown(text) for text in ("a/b-c.d", "a b", "", "a.", "ü")] == ["a/b-c.d", "'a b'", "''", "'a.'", "'ü'"]


def test_long_work_is_a_bar_on_a_terminal(monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    assert [*telling.counted(["a", Path("/there/b"), "c"], "making")] == ["a", Path("/there/b"), "c"]
    bars = [f"\r\033[K[{'#' * full:24}] making {k}/3: {name}" for k, name, full in ((1, "a", 0), (2, "b", 8), (3, "c", 16))]
    assert terminal.getvalue() == "".join([*bars, f"\r\033[K[{'#' * 24}] making: done\n"])


def test_a_kernel_that_does_not_answer_is_wrong(monkeypatch):
    monkeypatch.setattr(checkup, "asked_a_kernel", lambda: ("", "does not start (No such kernel named python3)"))
    (finding,) = checkup.kernel()
    assert finding.wrong
    assert "ipykernel install --sys-prefix --name python3" in finding.instead


def test_a_kernel_that_starts_not_or_says_nothing_for_a_minute_tells_why(monkeypatch):
    pytest.importorskip("jupyter_client")
    from jupyter_client import kernelspec, manager

    ended = []

    def silent(code, timeout, output_hook):
        output_hook({"content": {"text": " half"}})
        assert timeout == 60
        raise TimeoutError

    def started(kernel_name, **options):
        if problems:
            raise problems.pop()
        client = types.SimpleNamespace(execute_interactive=silent, stop_channels=lambda: ended.append("client"))
        return types.SimpleNamespace(shutdown_kernel=lambda now: ended.append(now)), client

    monkeypatch.setattr(manager, "start_new_kernel", started)
    problems = [RuntimeError("it died"), OSError("no rights"), kernelspec.NoSuchKernel("python3")]
    said = ["No such kernel named python3", "no rights", "it died"]
    assert [checkup.asked_in(".") for _ in said] == [("", f"does not start ({one})") for one in said]
    assert ended == []
    assert checkup.asked_in(".") == ("half", "does not answer within a minute") and ended == ["client", True]


@pytest.mark.parametrize("command", ["pack", "book"])
def test_what_is_not_installed_stops_what_is_made(command, monkeypatch, capsys):
    monkeypatch.setattr(book, "NEEDS", ())
    monkeypatch.setattr(checkup, "packages", lambda: [checkup.Finding("numpy", "is not installed", "pip install numpy")])
    assert told(capsys, command, "--out", "there") == (1, "minigrad: numpy is not installed.\nTry: pip install numpy\n")


def test_a_machine_has_a_browser_if_python_finds_one(monkeypatch):
    monkeypatch.setattr(checkup.webbrowser, "get", lambda: "one")
    assert checkup.has_browser() is True
    monkeypatch.setattr(checkup.webbrowser, "get", lambda: (_ for _ in ()).throw(checkup.webbrowser.Error("none")))
    assert checkup.has_browser() is False


def test_the_next_free_port_lies_behind_the_one_that_is_taken(monkeypatch):
    monkeypatch.setattr(checkup, "is_free", lambda number: number not in (8001, 8002))
    assert [checkup.free_after(number) for number in (8000, 8001, 8003, 65534)] == [8003, 8003, 8004, 65535]


def test_without_packaging_every_version_suits(monkeypatch):
    assert not checkup.suits("3.6.8", ">=4.4")
    monkeypatch.setattr(checkup.importlib.util, "find_spec", lambda name: None if name == "packaging" else name)
    assert checkup.suits("3.6.8", ">=4.4"), "packaging comes with JupyterLab, which another finding misses then"


def test_a_jupyterlab_without_the_widgets_front_end_is_wrong(monkeypatch):
    pytest.importorskip("jupyter_core")
    monkeypatch.setattr(checkup, "asked_a_kernel", lambda: ("widget", ""))
    monkeypatch.setattr(checkup, "FRONT_ENDS", ("anywidget", "not-there"))
    _, widget = checkup.kernel()
    assert widget.wrong
    assert widget.seen == "JupyterLab has no not-there"


def test_one_thing_wrong_is_exit_code_1_and_a_note_is_not(monkeypatch, capsys):
    note = checkup.Finding("browser", "none here", "open it elsewhere", note=True)
    for found, code in (([note], 0), ([note, checkup.Finding("numpy", "is not installed", "pip install numpy")], 1)):
        monkeypatch.setattr(checkup, "findings", lambda found=found: iter(found))
        assert checkup.check() == code
    assert "1 to fix" in capsys.readouterr().out


def test_long_work_tells_how_far_it_is(capsys):
    assert list(telling.counted(["a", "b"], "doing")) == ["a", "b"]
    assert capsys.readouterr().err.splitlines() == ["doing 1/2: a", "doing 2/2: b"]


# ---- what is never lost --------------------------------------------------------------------------------------------------

KEEP_ON = """
import sys
sys.path.insert(0, sys.argv[1])
from helpers import diary
for n in range(10**6):
    diary.keep("solved", f"01.{n % 300}", "yes")
    print(n, flush=True)
"""


def test_whoever_is_killed_while_writing_notes_leaves_a_whole_file(tmp_path):
    file = tmp_path / "progress.json"
    for wait in (0.05, 0.1, 0.2, 0.4):
        env = {**os.environ, "PYTHONPATH": str(ROOT), "MINIGRAD_PROGRESS": str(file)}
        writer = subprocess.Popen([sys.executable, "-c", KEEP_ON, str(ROOT / "course")], stdout=subprocess.PIPE, env=env)
        writer.stdout.readline()
        time.sleep(wait)
        writer.kill()
        writer.communicate()
        assert json.loads(file.read_text())["solved"]["01.0"] == "yes"


@pytest.mark.parametrize("busy", [0, 3, 50, 51])
def test_a_file_that_another_process_reads_is_replaced_a_little_later(busy, monkeypatch):
    waits, left = [], iter([True] * busy)

    def replace(path):
        if next(left, False):
            raise PermissionError(path)

    monkeypatch.setattr(whole.time, "sleep", waits.append)
    with pytest.raises(PermissionError) if busy > 50 else contextlib.nullcontext():
        whole.put_in_place(types.SimpleNamespace(replace=replace), "there")
    assert waits == [0.02] * min(busy, 50)
