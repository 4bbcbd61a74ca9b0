"""The offline pack: made by one command, installed by one command with no index in reach, and read from disk.

Making and installing it takes two to three minutes.
"""

import errno
import os
import platform
import re
import shutil
import subprocess
import sys
import types
import zipfile
from pathlib import Path

import pytest
from lab import TOKEN, new_page, run_all, serving, step_and_click

from minigrad.__main__ import main
from minigrad.classroom import checkup, contents, install, pack, pages, wheels

ROOT = Path(__file__).parent.parent
LESSONS = [path.stem for path in sorted((ROOT / "course").glob("[0-9][0-9]_*.ipynb"))]
NO_NETWORK = dict.fromkeys(("PIP_INDEX_URL", "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="what binder/ pins is for Python 3.11 and later")


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """What `minigrad pack` makes, unpacked: the folder for learners, and that for teachers."""
    if not checkup.version("minigrad"):
        pytest.skip("minigrad is not installed here")
    out, stick = tmp_path_factory.mktemp("out"), tmp_path_factory.mktemp("stick")
    subprocess.run([sys.executable, "-m", "minigrad", "pack", "--out", out], cwd=ROOT, check=True)
    for file in out.iterdir():
        shutil.unpack_archive(file, stick)
    for_teachers, for_learners = sorted(stick.iterdir(), key=lambda place: "teachers" not in place.name)
    return for_learners, for_teachers


def test_it_holds_what_a_class_needs_and_teachers_have_theirs_apart(packed):
    for_learners, for_teachers = packed
    assert {path.name for path in for_learners.iterdir()} == {"START_HERE.txt", "SHA256SUMS", "install.py", "wheels", "pages"}
    assert [path.stem for path in sorted((for_learners / "pages").glob("[0-9]*.html"))] == LESSONS
    assert (for_learners / "pages" / "glossary.md").exists()
    assert not [path for path in for_learners.rglob("*") if "teacher" in path.name or path.name.startswith(".")]
    assert {path.name for path in (for_teachers / "teachers").iterdir()} == {path.name for path in (ROOT / "course" / "teachers").iterdir()}
    assert wheels.needed(wheels.here(), for_learners / "wheels").keys() <= names(for_learners / "wheels")


def names(folder):
    return {wheel.name.split("-")[0].replace("_", "-").replace(".", "-").lower() for wheel in folder.iterdir()}


@pytest.fixture(scope="module")
def installed_pack(packed):
    """The folder of a pack that was installed without a network, and how to run something in it."""
    for_learners, _ = packed
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "PYTHON"))} | NO_NETWORK
    environment["PIP_NO_COMPILE"] = "1"
    done = subprocess.run([sys.executable, "install.py"], cwd=for_learners, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    program = done.stdout.splitlines()[-1].removesuffix(" course")
    return for_learners, lambda *command, cwd="/": subprocess.check_output(
        command if command[0].startswith("/") else [program, *command], cwd=cwd, env=environment, text=True
    )


def test_it_is_installed_without_a_network_and_runs(installed_pack):
    place, run = installed_pack
    assert run("check").splitlines()[-1].startswith("All is well.")
    assert run(str(place / ".venv/bin/python"), "-c", "import minigrad; print(minigrad.__file__)").startswith(str(place))


def test_the_lessons_come_out_of_the_wheel_and_one_is_worked_in(installed_pack, browser, tmp_path):
    place, run = installed_pack
    run("course", "--no-lab", cwd=place)
    home = place / "minigrad-course"
    assert [path.stem for path in sorted(home.glob("[0-9]*.ipynb"))] == LESSONS
    with serving(home, tmp_path, place / ".venv/bin/python") as (address, _):
        page = new_page(browser, f"{address}/lab/tree/02_the_tape.ipynb?token={TOKEN}")
        run_all(page)
        film = page.locator(".mg-inspector").first
        film.wait_for()
        step_and_click(page, film)
        assert page.trouble == []
        page.context.close()


def test_a_page_opens_from_disk_and_its_film_moves(packed, browser):
    for_learners, _ = packed
    page = new_page(browser, (for_learners / "pages" / "index.html").as_uri(), offline=True, color_scheme="dark")
    assert page.locator("li a").count() == len(LESSONS)
    page.click("text='Not None, but wrong'")
    page.wait_for_selector("iframe.film")
    films = page.locator("iframe.film").count()
    assert films == (ROOT / "course" / "08_not_none_but_wrong.ipynb").read_text().count('"mg.inspect(')
    film = page.frame_locator("iframe.film >> nth=0").locator(".mg-inspector")
    film.focus()
    page.keyboard.press("Home")
    assert film.locator(".question").inner_text() == "dy/dx = ?"
    page.keyboard.press("End")
    assert "?" not in film.locator(".question").inner_text()
    whole = "frame => frame.contentDocument.documentElement.scrollHeight <= frame.clientHeight"
    page.wait_for_function(whole, arg=page.locator("iframe.film").first.element_handle())  # it grows with its film
    ground = page.frame_locator("iframe.film >> nth=0").locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    assert ground == "rgb(255, 255, 255)", "the film is light, as the page around it"
    page.click("text='All lessons'")
    assert page.locator("li a").count() == len(LESSONS)
    assert page.trouble == []
    page.context.close()


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_page_fetches_nothing_and_holds_all_that_was_printed(packed, lesson):
    text = (packed[0] / "pages" / f"{lesson}.html").read_text(encoding="utf-8")
    assert not re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=[\"']?(?:https?:)?//[^>]*", text)
    assert not re.search(r"widget-view|Error displaying", text)
    assert text.count("jp-CodeCell") >= (ROOT / "course" / f"{lesson}.ipynb").read_text().count('"cell_type": "code"')


# ---- what is in the way --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("asked", "said"), [
    (["--platform", "amiga"], "There is no platform amiga. There are linux, linux-arm, macos, macos-intel, windows."),
    (["--python", "three"], "three is no version of Python."),
])  # fmt: skip
def test_what_is_not_there_is_answered_with_what_is(asked, said, capsys, monkeypatch):
    monkeypatch.setattr(checkup, "refuse", lambda findings: None)
    assert main(["pack", *asked]) == 1
    assert f"minigrad: {said}\nTry: minigrad pack --" in capsys.readouterr().err


def test_all_platforms_go_with_all_versions_and_this_machine_stands_for_what_is_not_asked(monkeypatch):
    here = wheels.here()
    asked = wheels.targets(["windows", "linux"], ["3.12", "3.13"])
    assert [str(one) for one in asked] == [f"{system}, Python 3.{minor}" for system in ("windows", "linux") for minor in (12, 13)]
    assert wheels.targets(None, None) == [here] and here.python == PYTHON
    assert wheels.targets(["macos"], None) == [wheels.Target("macos", PYTHON)]
    assert wheels.targets(None, ["3.12"]) == [wheels.Target(here.system, "3.12")]
    monkeypatch.setattr(wheels.platform, "machine", lambda: "68000")
    with pytest.raises(pack.Trouble, match=rf"A pack for {sys.platform} on 68000 is not foreseen\.\nTry: minigrad pack --platform linux"):
        wheels.here()


def test_a_pack_is_made_in_a_clone_and_where_there_is_room(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checkup, "refusal", lambda place: errno.ENOSPC)
    with pytest.raises(OSError, match=r"No space left on device: 'there'"):
        pack.pack(None, None, "there")
    monkeypatch.setattr(pack, "clone", lambda: None)
    assert main(["pack"]) == 1
    said = "A pack is made in a clone of the source; one that is made can just be copied.\nTry: cd the-clone; minigrad pack\n"
    assert capsys.readouterr().err == f"minigrad: {said}"


def test_a_page_shows_a_film_in_its_frame_and_not_the_page_that_stands_for_it(monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbconvert")
    plain = {"text/html": '<div class="mg-page">static</div>', "text/plain": "a film"}
    shown = [nbformat.v4.new_output("display_data", plain), nbformat.v4.new_output("stream", text="printed")]
    cells = [nbformat.v4.new_markdown_cell("# A title\n\nwords"), nbformat.v4.new_code_cell("x = 1", outputs=shown)]
    book, asked = nbformat.v4.new_notebook(cells=cells), []
    monkeypatch.setattr(pages, "module", lambda name: types.SimpleNamespace(executed=lambda lesson: asked.append((name, lesson)) or book))
    title, text = pages.page_of(Path("07_why_none.ipynb"))
    assert (title, asked) == ("A title", [("build", Path("07_why_none.ipynb"))])
    assert "printed" in text and "words" in text and "static" not in text


def test_pip_is_asked_for_a_target():
    target = wheels.Target("linux", "3.12")
    tags = [*(f"manylinux_2_{minor}" for minor in range(28, 4, -1)), "manylinux2014", "manylinux2010", "manylinux1"]
    platforms = [part for tag in tags for part in ("--platform", f"{tag}_x86_64")]
    assert target.options() == ["--python-version", "3.12", "--implementation", "cp", *platforms]
    assert target.markers() == {
        "sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64",
        "python_version": "3.12", "python_full_version": "3.12.0",
    }  # fmt: skip


def test_our_wheel_is_made_of_a_copy_that_is_gone_afterwards(monkeypatch, tmp_path):
    asked, copied = [], []

    def pip(*arguments):
        asked.append(arguments)
        copied.extend(path.relative_to(arguments[-1]).as_posix() for path in Path(arguments[-1]).rglob("*.*"))
        wheel(tmp_path, "minigrad")

    monkeypatch.setattr(wheels, "pip", pip)
    assert wheels.our_wheel(ROOT, tmp_path) == tmp_path / "minigrad-1.0-py3-none-any.whl"
    ((*options, copy),) = asked
    assert options == ["wheel", "--no-deps", "--wheel-dir", str(tmp_path)] and not Path(copy).exists()
    assert {"pyproject.toml", "README.md", "minigrad/__init__.py", "course/07_why_none.ipynb"} <= {*copied}


def test_a_disk_that_is_full_when_wheels_come_is_told_as_such(monkeypatch):
    full = subprocess.CompletedProcess([], 1, "", f"ERROR: [Errno {errno.ENOSPC}] x")
    monkeypatch.setattr(wheels.subprocess, "run", lambda command, **options: full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        wheels.pip("wheel")
    assert caught.value.errno == errno.ENOSPC


def test_without_a_network_it_says_so(monkeypatch, tmp_path):
    for name, value in NO_NETWORK.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_RETRIES", "0")
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(pack.Trouble, match="pip could not fetch what the pack needs"):
        wheels.fetch(wheels.here(), {"numpy": "2.4.6"}, tmp_path)


def test_a_wheel_that_does_not_exist_is_named(monkeypatch, tmp_path):
    def no_wheel(command, **options):
        return subprocess.CompletedProcess(command, 1, "", "(from versions: 1.0)\nERROR: No matching distribution found for numpy==0.1\n")

    monkeypatch.setattr(wheels.subprocess, "run", no_wheel)
    with pytest.raises(pack.Trouble, match=r"There is no wheel of numpy==0\.1"):
        wheels.fetch(wheels.here(), {"numpy": "0.1"}, tmp_path)


def wheel(folder, name, *requires):
    about = "".join(f"Requires-Dist: {one}\n" for one in requires)
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as made:
        made.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\n{about}\n")


def test_what_is_needed_is_read_as_it_is_there_not_here(tmp_path):
    wheel(tmp_path, "minigrad", "numpy>=2", 'lab[fast]>=4; extra == "course"', 'pytest; extra == "test"')
    wheel(tmp_path, "lab", 'console; sys_platform == "win32"', 'bell; sys_platform == "darwin"', 'rocket; extra == "fast"')
    shared = {"numpy": "numpy>=2", "lab": "lab>=4", "rocket": "rocket"}
    for system, own in (("windows", {"console": "console"}), ("macos", {"bell": "bell"}), ("linux", {})):
        assert wheels.needed(wheels.Target(system, "3.12"), tmp_path) == shared | own


# ---- what belongs to it --------------------------------------------------------------------------------------------------


def tracked(folder):
    """What git tracks in a folder of the source."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    return set(subprocess.check_output(["git", "ls-files", folder], cwd=ROOT, text=True).split())


def test_all_that_git_tracks_in_the_course_is_listed():
    listed = {f"course/{name}" for name in (*contents.for_learners(), *contents.for_teachers())}
    book = {name for name in tracked("course") if name.startswith("course/book/")}  # which is made in a clone
    for_authors = {f"course/{name}.py" for name in ("build", "conftest", "minutes", "slides")}
    assert tracked("course") - book - for_authors == listed


def test_our_wheel_holds_what_git_tracks_and_no_note_that_lies_beside(tmp_path):
    source = tmp_path / "source"
    for name in (*tracked("minigrad"), *tracked("course"), "pyproject.toml", "README.md", "LICENSE"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    beside = "my_notes.md", ".progress.json", "my_copies/07_why_none.ipynb", "98_draft.ipynb", "helpers/mine.py", "pictures/mine.png"
    for name in ("minigrad/note.txt", *(f"course/{name}" for name in beside)):
        (source / name).parent.mkdir(exist_ok=True)
        (source / name).write_text("secret")
    for link, there in (
        ("helpers/linked.py", "helpers/mine.py"),
        ("helpers/folder", "helpers/cards"),
        ("99_linked.ipynb", "98_draft.ipynb"),
    ):
        (source / "course" / link).symlink_to(source / "course" / there)
    with zipfile.ZipFile(wheels.our_wheel(source, tmp_path)) as made:
        lessons = {f"minigrad/course/{name}" for name in contents.for_learners()}
        assert {name for name in made.namelist() if "dist-info" not in name} == tracked("minigrad") | lessons
    (source / "minigrad" / "note.py").symlink_to(tmp_path / "elsewhere.py")
    with pytest.raises(pack.Trouble, match=rf'note\.py is a link.*\nTry: git -C "{source}" status$'):
        wheels.our_wheel(source, tmp_path)


@pytest.fixture
def quick(own_clone, monkeypatch):
    """A clone whose packs have no wheels and no pages."""
    shutil.copytree(ROOT / "binder", own_clone.parent / "binder")
    monkeypatch.setattr(checkup, "packages", list)
    monkeypatch.setattr(wheels, "our_wheel", lambda source, into: into.mkdir())
    monkeypatch.setattr(wheels, "fetch", lambda *what: None)
    monkeypatch.setattr(pack, "write_pages", lambda into: into.mkdir())
    return own_clone


def packed_names(out):
    """The paths in the zips of a folder, without their first parts."""
    names = set()
    for file in out.glob("*.zip"):
        with zipfile.ZipFile(file) as made:
            assert made.testzip() is None
            names |= {name.partition("/")[2] for name in made.namelist()}
    return names


def test_a_pack_takes_what_is_listed_and_nothing_else(quick, capsys):
    """It is written into the folder of the course, too."""
    for name in (
        "secret.txt",
        ".env",
        "99_mine.ipynb",
        "helpers/mine.py",
        "helpers/cards/lesson_98.py",
        "teachers/marks.md",
        "pictures/x.png",
    ):
        (quick / name).write_text("secret")
    os.utime(quick / "glossary.md", (0, 0))  # a zip knows no year before 1980
    (quick / "link").symlink_to("/")
    assert main(["pack", "--out", str(quick)]) == 0
    assert "99_mine.ipynb is no lesson" in capsys.readouterr().err
    assert packed_names(quick) == {"START_HERE.txt", "install.py", install.SUMS, *contents.for_teachers()}
    assert not list(quick.glob(".minigrad*"))


@pytest.mark.skipif(os.name != "posix", reason="needs links and pipes")
@pytest.mark.parametrize("name", ["glossary.md", "helpers/card.py", "helpers/cards/lesson_07.py", "teachers/routes.md", "helpers/cards"])
@pytest.mark.parametrize("kind", ["link", "gone", "pipe", "folder"])
def test_what_is_no_file_of_the_course_is_refused_by_its_name(name, kind, quick, tmp_path, capsys):
    path = quick / name
    if path.is_dir() and kind == "folder":
        pytest.skip("it is one")
    path.rename(tmp_path / "elsewhere")
    {"link": lambda: path.symlink_to(tmp_path / "elsewhere"), "gone": lambda: None, "pipe": lambda: os.mkfifo(path), "folder": path.mkdir}[
        kind
    ]()
    code, said = main(["pack", "--out", str(tmp_path / "out")]), capsys.readouterr().err
    if (name, kind) == ("helpers/cards/lesson_07.py", "gone"):
        assert (code, "07_why_none.ipynb is no lesson" in said) == (0, True)
        return
    problem, advice = said.splitlines()
    assert code == 1 and path.name in problem and (advice == f"Try: {pack.restored(name)}" or name == "helpers/cards")
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.parametrize("problem", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("where", ["copy", "zip"])
def test_a_pack_that_is_stopped_leaves_nothing_and_the_one_before_it_as_it_was(where, problem, quick, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    assert main(["pack", "--out", str(out)]) == 0
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    (quick / "teachers" / "routes.md").write_text("new")
    write = zipfile.ZipFile.write

    def stopped(made, path, *rest, **options):
        if where == "zip" and "teachers" not in str(path):
            return write(made, path, *rest, **options)
        raise problem

    monkeypatch.setattr(zipfile.ZipFile, "write", stopped)
    assert main(["pack", "--out", str(out)]) == (130 if isinstance(problem, KeyboardInterrupt) else 1)
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before


# ---- installing it -------------------------------------------------------------------------------------------------------

HERE = {"linux": "manylinux_2_28_", "darwin": "macosx_14_0_", "win32": "win_"}[sys.platform] + platform.machine().lower()
PYTHON = "{}.{}".format(*sys.version_info)
TAG = PYTHON.replace(".", "")


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A pack with one wheel and two pages, which seems to be installed when its steps are run."""
    root = tmp_path / "pack"
    for name in ("wheels", "pages"):
        (root / name).mkdir(parents=True)
    with zipfile.ZipFile(root / "wheels" / f"numpy-2.4.6-cp{TAG}-cp{TAG}-{HERE}.whl", "w") as made:
        made.writestr("numpy.py", "x = 1\n" * 1000)
    (root / "pages" / "07_why_none.html").write_text("page")
    (root / "pages" / "index.html").write_text("page")
    shutil.copyfile(install.__file__, root / "install.py")
    pack.zipped(root)
    monkeypatch.setattr(install, "PACK", root)
    monkeypatch.setattr(install, "ENVIRONMENT", root / ".venv")
    monkeypatch.setattr(install, "run", lambda *command: "")
    return root


def installed(capsys):
    """The exit code, and what was said on stderr."""
    return install.guarded(), capsys.readouterr().err


def test_a_whole_pack_is_installed_though_a_lesson_was_worked_in(small, capsys):
    assert install.guarded() == 0
    begin = f"Done. To begin:\n{install.typed(install.PROGRAMS / 'minigrad')} course\n"
    said = f"Installing into {small / '.venv'}. This takes a minute or two.\n{begin}"
    assert capsys.readouterr() == (said, "")
    (small / "minigrad-course").mkdir()
    (small / "minigrad-course" / "07_why_none.ipynb").write_text('{"cells": []}')
    (small / "minigrad-course" / "my_notes.txt").write_text("mine")
    assert installed(capsys) == (0, "")


@pytest.mark.parametrize("name", ["wheels/numpy", "pages/07", "pages/index", "install.py", "SHA256SUMS"])
@pytest.mark.parametrize("damage", ["truncated", "gone", "pipe", "flipped"])
def test_damage_is_named_before_anything_is_made(name, damage, small, monkeypatch, capsys):
    monkeypatch.setattr(install, "install", lambda: pytest.fail("it went on"))
    (path,) = small.glob(f"{name}*")
    content = path.read_bytes()
    path.unlink()
    if damage == "pipe" and hasattr(os, "mkfifo") and name != "SHA256SUMS":
        os.mkfifo(path)
    elif damage == "truncated":
        path.write_bytes(content[:3])
    elif damage == "flipped":
        path.write_bytes(bytes([content[0] ^ 128]) + content[1:])
    code, said = installed(capsys)
    first, second = said.splitlines()
    if name != "wheels/numpy" or damage != "gone":
        assert "This pack is damaged: " in first
    assert code == 1 and second.startswith("Try: cd ") and "pack.zip again" in second
    assert not (small / ".venv").exists()


def test_a_wheel_that_was_put_beside_the_others_is_refused(small, capsys):
    (small / "wheels" / "numpy-99-py3-none-any.whl").write_text("evil")
    code, said = installed(capsys)
    assert (code, "wheels/numpy-99-py3-none-any.whl is not as it was packed" in said) == (1, True)


def test_what_a_system_puts_beside_the_wheels_is_no_damage(small, capsys):
    (small / "wheels" / ".DS_Store").write_text("seen by a Mac")
    assert installed(capsys) == (0, "")


def test_a_wheel_that_cannot_be_read_is_damage_and_not_a_folder_that_cannot_be_written(small, monkeypatch, capsys):
    def denied(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", denied)
    code, said = installed(capsys)
    assert (code, said.startswith("This pack is damaged: "), "You may not write" in said) == (1, True, False)


def test_what_cannot_be_seen_in_the_path_of_a_pack_is_shown_escaped(small, monkeypatch, capsys):
    place = small.rename(small.with_name("a\x1b[2J\u202eb"))
    monkeypatch.setattr(install, "PACK", place)
    monkeypatch.setattr(install, "ENVIRONMENT", place / ".venv")
    monkeypatch.setattr(install, "PROGRAMS", place / ".venv" / "bin")
    assert install.guarded() == 0
    (place / ".venv").write_text("x")
    assert install.guarded() == 1
    said = "".join(capsys.readouterr())
    assert said.count("a\\x1b[2J\\u202eb") == 4 and said.replace("\n", "").isprintable()


@pytest.mark.parametrize("output", [None, types.SimpleNamespace(write=str, flush=str)])
def test_neither_a_closed_output_nor_one_of_an_old_python_is_a_traceback(output, small, monkeypatch):
    monkeypatch.setattr(sys, "stdout", output)
    assert install.guarded() == 0


@pytest.mark.skipif(os.name != "posix", reason="needs links")
@pytest.mark.parametrize("kind", ["link", "dangling", "itself", "file"])
def test_nothing_is_deleted_through_a_link(kind, small, tmp_path, capsys):
    precious = tmp_path / "precious"
    if kind == "link":
        precious.mkdir()
        (precious / "work").write_text("mine")
    place = small / ".venv"
    place.write_text("x") if kind == "file" else place.symlink_to(place if kind == "itself" else precious)
    code, said = installed(capsys)
    assert (code, f"Try: rm {place}\n" in said, "is a link" in said) == (1, True, kind != "file")
    assert (small / ".venv").is_symlink() == (kind != "file") and (precious / "work").exists() == (kind == "link")


@pytest.mark.parametrize(("tag", "told"), [
    (f"cp{TAG}-cp{TAG}-amiga_68000", f"minigrad pack --platform .* --python {re.escape(PYTHON)}"),
    (f"cp399-cp399-{HERE}", r"(python3\.99|py -3\.99) install\.py\n"),
])  # fmt: skip
def test_a_python_that_the_pack_was_not_made_for_is_told_which_is(tag, told, small, capsys):
    (wheel,) = (small / "wheels").iterdir()
    wheel.rename(wheel.with_name(f"numpy-2.4.6-{tag}.whl"))
    code, said = installed(capsys)
    assert code == 1 and said.startswith(f"This is Python {platform.python_version()} on ") and "The pack was made for: Python 3." in said
    assert re.search(f"Try: {told}", said)


@pytest.mark.parametrize(("said", "told"), [
    (f"x\nERROR: [Errno {errno.ENOSPC}] No space: '/x'\nnote", f"The disk is full, or there is a limit (ERROR: [Errno {errno.ENOSPC}]"),
    (f"[Errno {errno.EFBIG}] big", "The disk is full, or there is a limit"),
    (f"Error: [Errno {errno.EACCES}] Denied", "You may not write into "),
    ("noise\nERROR: odd \x1b[2J", "It could not be installed (ERROR: odd \\x1b[2J)"),
])  # fmt: skip
def test_a_step_that_fails_is_told_with_its_reason_and_leaves_no_environment(said, told, small, monkeypatch, capsys):
    def failing(*command):
        (small / ".venv").mkdir(exist_ok=True)
        return said if "pip" in command else ""

    monkeypatch.setattr(install, "run", failing)
    code, seen = installed(capsys)
    assert code == 1 and told in seen and seen.splitlines()[-1].startswith("Try: ") and "\x1b" not in seen
    assert not (small / ".venv").exists()


def test_an_install_that_is_interrupted_leaves_no_environment(small, monkeypatch, capsys):
    def stopped(*command):
        (small / ".venv").mkdir()
        raise KeyboardInterrupt

    monkeypatch.setattr(install, "run", stopped)
    assert installed(capsys) == (130, "\nInterrupted. Nothing was installed.\n")
    assert not (small / ".venv").exists()


def test_a_disk_that_is_too_full_is_told_before_anything_is_made(small, monkeypatch, capsys):
    monkeypatch.setattr(install.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9 - 10**6, 10**6))
    code, said = installed(capsys)
    assert (code, "The disk is too full: " in said, "needs 30 MB, and 1 MB are free." in said) == (1, True, True)


def test_the_room_that_is_needed_is_that_of_the_unpacked_wheels_and_a_tenth_more(small, monkeypatch, capsys):
    for wheel in (small / "wheels").glob("*.whl"):
        wheel.unlink()
    with zipfile.ZipFile(small / "wheels" / "big-1-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("zeros", bytes(10**7))
    free = {}
    monkeypatch.setattr(install.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9, free["now"]))
    free["now"] = 41_000_000
    assert "needs 41 MB, and 41 MB are free" in install.no_room()[0]
    free["now"] += 1
    assert install.no_room() is None


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_venv_is_told_what_to_install(module, small, monkeypatch, capsys):
    monkeypatch.setattr(install.importlib.util, "find_spec", lambda name: None if name == module else name)
    monkeypatch.setattr(install.sys, "platform", "linux")
    monkeypatch.setattr(install, "wrong_python", lambda: None)
    code, said = installed(capsys)
    assert (code, f"its module {module} is not installed" in said) == (1, True)
    assert said.endswith(f"Try: sudo apt install python{PYTHON}-venv\n")
    monkeypatch.setattr(install.sys, "platform", "darwin")
    assert installed(capsys)[1].endswith("Try: open https://www.python.org/downloads\n")


def test_a_disk_that_fails_at_another_place_is_told_too(monkeypatch, capsys):
    monkeypatch.setattr(install, "main", lambda: os.listdir("/dev/null/x"))
    assert installed(capsys)[0] == 1
    monkeypatch.setattr(install, "main", lambda: os.listdir("a" * 5000))
    code, said = installed(capsys)
    assert (code, "It could not be installed ([Errno 36]" in said, said.endswith(f"Try: {install.python()} install.py\n")) == (
        1,
        True,
        True,
    )


def test_on_windows_it_is_typed_as_there(monkeypatch):
    monkeypatch.setattr(install, "os", types.SimpleNamespace(name="nt"))
    assert (install.python(), install.python("3.12")) == ("py -3", "py -3.12")
    assert (install.quoted("C:\\a b"), install.typed("C:\\minigrad"), install.typed("C:\\a b")) == (
        '"C:\\a b"',
        "C:\\minigrad",
        '& "C:\\a b"',
    )
    assert install.reason("[WinError 5] no")[1] == f'xcopy /e /i "{install.PACK}" %USERPROFILE%\\"{install.PACK.name}"'
    monkeypatch.undo()
    assert (install.python(), install.python("3.12")) == ("python3", "python3.12")


def test_a_folder_without_rights_is_told(small, monkeypatch, capsys):
    def denied(**options):
        raise PermissionError(errno.EACCES, "Permission denied", "x")

    monkeypatch.setattr(install.tempfile, "TemporaryFile", denied)
    code, said = installed(capsys)
    assert (code, f"You may not write into {small}" in said) == (1, True)
    copy = f"~/{install.quoted(small.name)}"
    assert said.endswith(f"Try: cp -r {small} {copy}; chmod -R u+w {copy}; python3 {copy}/install.py\n"), "a copy is as little writable"


@pytest.mark.variants
@pytest.mark.parametrize("started", [["install.py"], ["../pack/install.py"], ["-S", "install.py"], ["-I", "install.py"]])
def test_install_imports_nothing_that_lies_beside_it(started, small):
    """Not even in the processes that it starts: without wheels it fails at pip, the last of them."""
    for name in ("hashlib", "json", "logging", "pip", "ensurepip", "platform", "shlex", "subprocess", "tempfile", "venv", "zipfile"):
        (small / f"{name}.py").write_text("open('executed', 'w')")
    (small.parent / "link").symlink_to(small)
    environment = {**os.environ, "PYTHONPATH": f"{small.parent / 'link'}{os.pathsep}."}
    done = subprocess.run([sys.executable, *started], cwd=small, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "No matching distribution found for minigrad" in done.stderr
    assert not (small / "executed").exists() and not (small / ".venv").exists()


@pytest.mark.skipif(os.name != "posix", reason="paths as POSIX has them")
def test_how_to_begin_can_be_typed_as_it_stands():
    assert [install.typed(Path(one)) for one in ("/a/minigrad", "/a b/l'école/minigrad")] == [
        "/a/minigrad",
        "'/a b/l'\"'\"'école/minigrad'",
    ]
