"""The offline pack: made by one command, installed by one command with no index in reach, and read from disk.

Making and installing it takes two to three minutes.
"""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from lab import new_page

from minigrad.__main__ import main
from minigrad.classroom import checkup, install, pack, wheels

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
    assert {path.name for path in for_learners.iterdir()} == {"START_HERE.txt", "install.py", "wheels", "course", "pages"}
    assert [path.stem for path in sorted((for_learners / "course").glob("*.ipynb"))] == LESSONS
    assert [path.stem for path in sorted((for_learners / "pages").glob("[0-9]*.html"))] == LESSONS
    assert all((for_learners / place / "glossary.md").exists() for place in ("course", "pages"))
    assert not [path for path in for_learners.rglob("*") if "teacher" in path.name or path.name.startswith(".")]
    assert {path.name for path in (for_teachers / "teachers").iterdir()} == {path.name for path in (ROOT / "course" / "teachers").iterdir()}
    assert wheels.needed(wheels.here(), for_learners / "wheels").keys() <= names(for_learners / "wheels")


def names(folder):
    return {wheel.name.split("-")[0].replace("_", "-").replace(".", "-").lower() for wheel in folder.iterdir()}


def test_it_is_installed_without_a_network_and_runs(packed):
    for_learners, _ = packed
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "PYTHON"))} | NO_NETWORK
    done = subprocess.run([sys.executable, "install.py"], cwd=for_learners, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    program = done.stdout.splitlines()[-1].removesuffix(" course")
    checked = subprocess.run([program, "check"], cwd="/", env=environment, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert f"{for_learners}/course" in checked.stdout
    where = [for_learners / ".venv/bin/python", "-c", "import minigrad; print(minigrad.__file__)"]
    assert subprocess.check_output(where, text=True, cwd="/", env=environment).startswith(str(for_learners))


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
    page.wait_for_timeout(500)  # the frame grows with its film
    tall = page.locator("iframe.film").first.evaluate("frame => frame.contentDocument.documentElement.scrollHeight - frame.clientHeight")
    assert tall <= 0, "the film is not cut off"
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


def test_a_python_that_the_pack_was_not_made_for_is_told_which_is(monkeypatch, tmp_path, capsys):
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / "numpy-2.4.6-cp312-cp312-win_amd64.whl").touch()
    monkeypatch.setattr(install, "PACK", tmp_path)
    monkeypatch.setattr(install.subprocess, "call", lambda command: "pip" in command)
    assert install.main() == 1
    assert "The pack was made for: Python 3.12 on win_amd64.\nTry: python3." in capsys.readouterr().err


def wheel(folder, name, *requires):
    about = "".join(f"Requires-Dist: {one}\n" for one in requires)
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as made:
        made.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\n{about}\n")


@pytest.mark.skipif(os.name != "posix", reason="paths as POSIX has them")
def test_how_to_begin_can_be_typed_as_it_stands():
    assert [install.typed(Path(one)) for one in ("/a/minigrad", "/a b/l'école/minigrad")] == [
        "/a/minigrad",
        "'/a b/l'\"'\"'école/minigrad'",
    ]


def test_what_is_needed_is_read_as_it_is_there_not_here(tmp_path):
    wheel(tmp_path, "minigrad", "numpy>=2", 'lab[fast]>=4; extra == "course"', 'pytest; extra == "test"')
    wheel(tmp_path, "lab", 'console; sys_platform == "win32"', 'bell; sys_platform == "darwin"', 'rocket; extra == "fast"')
    shared = {"numpy": "numpy>=2", "lab": "lab>=4", "rocket": "rocket"}
    for system, own in (("windows", {"console": "console"}), ("macos", {"bell": "bell"}), ("linux", {})):
        assert wheels.needed(wheels.Target(system, "3.12"), tmp_path) == shared | own
