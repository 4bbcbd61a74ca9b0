"""Install the course from this folder, without a network: `python3 install.py` (on Windows: `py install.py`)."""

import sys

if __name__ == "__main__" and not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
    # Nothing is imported from the folder of this file.
    here = sys.path.pop(0)
    import os

    sys.path[:] = [place for place in sys.path if os.path.realpath(place) != os.path.realpath(here)]

import errno
import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

PACK = Path(__file__).resolve().parent
ENVIRONMENT = PACK / ".venv"
PROGRAMS = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")
SUMS = "SHA256SUMS"
SYSTEMS = {  # by sys.platform: the prefixes of wheel tags, and the machine names for `minigrad pack --platform`
    "linux": ("manylinux", {"x86_64": "linux", "aarch64": "linux-arm"}),
    "darwin": ("macosx", {"arm64": "macos", "x86_64": "macos-intel"}),
    "win32": ("win", {"AMD64": "windows"}),
}
DISKS = "Get-PSDrive" if os.name == "nt" else "df -h"  # shows the free space
FULL = {f"[Errno {number}]" for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)} | {"[WinError 112]"}
FORBIDDEN = {f"[Errno {number}]" for number in (errno.EACCES, errno.EPERM, errno.EROFS)} | {"[WinError 5]"}


def main():
    """Create an environment here, install the wheels into it, and print how to begin. Returns the exit code."""
    for obstacle in (wrong_python, damage, linked, no_rights, no_room, no_venv):
        found = obstacle()
        if found:
            return complain(*found)
    print(f"Installing into {shown(ENVIRONMENT)}. This takes a minute or two.", flush=True)
    complete = False
    try:
        said = install()
        if said:
            return complain(*(no_room() or reason(said)))
        complete = True
    finally:
        if not complete:
            shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    print(f"Done. To begin:\n{shown(typed(PROGRAMS / 'minigrad'))} course")
    return 0


def install():
    """Create the environment, and install into it. Returns the output of a step that failed, else ""."""
    inside = PROGRAMS / "python"
    offline = ["--isolated", "--no-index", "--find-links", PACK / "wheels"]
    quick = ["--no-compile", "--disable-pip-version-check", "--quiet"]
    return (
        run(sys.executable, "venv", "--clear", "--without-pip", ENVIRONMENT)
        or run(inside, "ensurepip", "--default-pip")
        or run(inside, "pip", "install", *offline, *quick, "minigrad[course]")
    )


def run(python, module, *arguments):
    """Run a module, isolated from the working folder. Returns its output if it failed, else ""."""
    command = [python, "-I", "-m", module, *arguments]
    together = dict(stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    done = subprocess.run(command, check=False, **together)
    return (done.stdout.strip() or f"{module} said nothing") if done.returncode else ""


# ---- what is in the way: each returns a sentence and what to type, or None ----------------------------------------


def wrong_python():
    """Is there no wheel for this version of Python on this machine?"""
    made = [wheel.stem.split("-")[2:] for wheel in (PACK / "wheels").glob("numpy-*.whl")]
    beginning, names = SYSTEMS.get(sys.platform, ("none", {}))
    machine, mine = platform.machine(), "{}.{}".format(*sys.version_info)
    ending = machine.lower()
    suitable = [dotted(tag) for tag, _, system in made if system.startswith(beginning) and system.endswith(ending)]
    if not made or mine in suitable:
        return None
    made_for = sorted(f"Python {dotted(tag)} on {system.split('.')[-1]}" for tag, _, system in made)
    here = f"This is Python {platform.python_version()} on {platform.system()} {machine}."
    what = f"{here} The pack was made for: {', '.join(made_for)}."
    if suitable:
        return what, python(max(suitable, key=lambda version: int(version[2:]))) + " install.py"
    return what, f"minigrad pack --platform {names.get(machine, 'linux')} --python {mine} (where there is a network)"


def dotted(tag):
    """The Python version in the name of a wheel: "cp312" -> "3.12"."""
    return f"{tag[2]}.{tag[3:]}"


def damage():
    """Is a file not as it was packed? (Learners work on copies beside these files.)"""
    try:
        lines = [line.partition("  ") for line in (PACK / SUMS).read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError):
        return damaged(SUMS)
    sums = {name: was for was, _, name in lines}
    strange = {f"wheels/{wheel.name}" for wheel in (PACK / "wheels").glob("[!.]*")} - set(sums)
    wrong = sorted(strange) + [name for name in sums if not is_as_packed(PACK / name, sums[name])]
    return damaged(wrong[0]) if wrong else None


def damaged(name):
    instead = f"cd {quoted(PACK.parent)}; {python()} -m zipfile -e {quoted(PACK.name + '.zip')} again"
    return f"This pack is damaged: {shown(name)} is not as it was packed.", instead


def is_as_packed(path, was):
    """Is this a file with this sum, as far as it can be read?"""
    try:
        return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == was
    except OSError:
        return False


def linked():
    """Is there something else where the environment is to be? What a link leads to would be deleted."""
    elsewhere = ENVIRONMENT.is_symlink() or Path(os.path.realpath(str(ENVIRONMENT))) != ENVIRONMENT
    if not elsewhere and (ENVIRONMENT.is_dir() or not ENVIRONMENT.exists()):
        return None
    what = "a link, and what it leads to would be deleted" if elsewhere else "no folder"
    return f"{ENVIRONMENT} is {what}.", f"{'del' if os.name == 'nt' else 'rm'} {quoted(ENVIRONMENT)}"


def no_rights():
    """Can no file be made here?"""
    try:
        with tempfile.TemporaryFile(dir=PACK):
            return None
    except OSError as problem:
        return reason(str(problem))


def no_room():
    """Is the disk too full for what the wheels contain, and for an environment?"""
    needed = 30e6
    for wheel in (PACK / "wheels").glob("*.whl"):
        with zipfile.ZipFile(wheel) as file:
            needed += 1.1 * sum(member.file_size for member in file.infolist())
    free = shutil.disk_usage(PACK).free
    if free > needed:
        return None
    return f"The disk is too full: {PACK} needs {needed / 1e6:.0f} MB, and {free / 1e6:.0f} MB are free.", DISKS


def no_venv():
    """Can this Python make no environments?"""
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if not missing:
        return None
    what = f"This Python cannot make environments, as its module {missing[0]} is not installed."
    version = "{}.{}".format(*sys.version_info)
    if sys.platform == "linux":
        return what, f"sudo apt install python{version}-venv"
    return what, "open https://www.python.org/downloads"


def reason(said):
    """The reason for a failure, from the text that reports it."""
    lines = said.splitlines()
    last = shown(next((line for line in lines if any(mark in line for mark in FULL | FORBIDDEN)), lines[-1]))
    if any(mark in said for mark in FULL):
        return f"The disk is full, or there is a limit ({last}).", DISKS
    if any(mark in said for mark in FORBIDDEN):
        posix = "cp -r {0} ~/{1}; chmod -R u+w ~/{1}; python3 ~/{1}/install.py"
        copy = "xcopy /e /i {0} %USERPROFILE%\\{1}" if os.name == "nt" else posix
        return f"You may not write into {PACK} ({last}).", copy.format(quoted(PACK), quoted(PACK.name))
    print(shown(said), file=sys.stderr)
    return f"It could not be installed ({last}).", f"{python()} install.py"


# ---- what is shown -------------------------------------------------------------------------------------------------


def python(version=""):
    """How this or another Python is called here."""
    return f"py -{version or 3}" if os.name == "nt" else f"python{version or 3}"


def quoted(path):
    """A path as it is typed in a shell."""
    return shlex.quote(str(path)) if os.name == "posix" else f'"{path}"'


def typed(program):
    """The path of a program as it is typed in a shell to run it."""
    if os.name == "posix":
        return quoted(program)
    return f"& {quoted(program)}" if " " in str(program) else str(program)


def shown(text):
    """A text without the characters that a terminal obeys."""
    return "".join(one if one.isprintable() or one == "\n" else ascii(one)[1:-1] for one in str(text))


def complain(what, instead):
    """Print what is wrong and what to type, and return the exit code."""
    print(shown(f"{what}\nTry: {instead}"), file=sys.stderr)
    return 1


def guarded():
    """Run main, and end with a sentence whatever comes between."""
    if hasattr(sys.stdout, "reconfigure"):  # an old Python has it not, and a closed output is None
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return main()
    except KeyboardInterrupt:
        print("\nInterrupted. Nothing was installed.", file=sys.stderr)
        return 130
    except OSError as problem:
        return complain(*reason(str(problem)))


if __name__ == "__main__":
    sys.exit(guarded())
