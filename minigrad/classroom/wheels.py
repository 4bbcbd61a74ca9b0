"""The wheels of a pack: minigrad's own, and those that the course needs on a platform, in the versions of binder/."""

import errno
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path

from . import contents
from .telling import Trouble, shown

MANYLINUX = [f"manylinux_2_{minor}" for minor in range(28, 4, -1)] + ["manylinux2014", "manylinux2010", "manylinux1"]
PLATFORMS = {  # the platform tags for pip, and the values of MARKERS
    "linux": ([f"{name}_x86_64" for name in MANYLINUX], ("linux", "Linux", "posix", "x86_64")),
    "linux-arm": ([f"{name}_aarch64" for name in MANYLINUX], ("linux", "Linux", "posix", "aarch64")),
    "macos": (["macosx_14_0_arm64"], ("darwin", "Darwin", "posix", "arm64")),
    "macos-intel": (["macosx_14_0_x86_64"], ("darwin", "Darwin", "posix", "x86_64")),
    "windows": (["win_amd64"], ("win32", "Windows", "nt", "AMD64")),
}
MARKERS = ("sys_platform", "platform_system", "os_name", "platform_machine")  # used in the conditions of requirements


@dataclass(frozen=True)
class Target:
    """A platform and a version of Python on which a pack will be installed.

    Args:
        system: a key of PLATFORMS.
        python: a version of Python, such as "3.12".
    """

    system: str
    python: str

    def __str__(self):
        return f"{self.system}, Python {self.python}"

    def markers(self) -> dict[str, str]:
        """The values of the environment markers in the conditions of requirements."""
        _, values = PLATFORMS[self.system]
        return {**dict(zip(MARKERS, values)), "python_version": self.python, "python_full_version": f"{self.python}.0"}

    def options(self) -> list[str]:
        """The options of pip for this target."""
        names, _ = PLATFORMS[self.system]
        platforms = [option for name in names for option in ("--platform", name)]
        return ["--python-version", self.python, "--implementation", "cp", *platforms]


def here() -> Target:
    """The platform and the Python version of this machine.

    Raises:
        Trouble: it is not one of the PLATFORMS.
    """
    machine = platform.machine()
    names = [name for name, (_, values) in PLATFORMS.items() if (values[0], values[3]) == (sys.platform, machine)]
    if not names:
        raise Trouble(f"A pack for {sys.platform} on {machine} is not foreseen.", "minigrad pack --platform linux")
    return Target(names[0], f"{sys.version_info.major}.{sys.version_info.minor}")


def targets(systems: Iterable[str] | None, pythons: Iterable[str] | None) -> list[Target]:
    """All combinations of platforms and Python versions; by default those of this machine.

    Raises:
        Trouble: there is no such platform or version.
    """
    for name in systems or ():
        if name not in PLATFORMS:
            problem = f"There is no platform {shown(name)}."
            raise Trouble(f"{problem} There are {', '.join(PLATFORMS)}.", "minigrad pack --platform linux")
    for version in pythons or ():
        if not re.fullmatch(r"3\.\d+", version):
            raise Trouble(f"{shown(version)} is no version of Python.", "minigrad pack --python 3.12")
    return [Target(system, python) for system in systems or [here().system] for python in pythons or [here().python]]


def our_wheel(source: Path, into: Path) -> Path:
    """Build the wheel of minigrad from a copy of its source, in which nothing else lies.

    Raises:
        Trouble: a file of the source is a link, or not a regular file.
    """
    inside = [path for path in (source / "minigrad").rglob("*") if path.is_symlink() or not path.is_dir()]
    inside += [source / "course" / name for name in contents.for_learners()]
    names = ["pyproject.toml", "README.md", "LICENSE", *(str(path.relative_to(source)) for path in inside)]
    with tempfile.TemporaryDirectory() as copy:
        contents.copy(source, names, Path(copy), lambda name: f'git -C "{source}" status')
        pip("wheel", "--no-deps", "--wheel-dir", str(into), copy)
    return next(into.glob("minigrad-*.whl"))


def fetch(target: Target, pins: dict[str, str], into: Path) -> None:
    """Download the wheels for a target: all pinned packages, and then the other requirements of these wheels.

    pip would evaluate the conditions of requirements for this machine, so they are evaluated here.

    Args:
        target: where they will be installed.
        pins: name -> version: {"numpy": "2.4.6", ...}.
        into: the folder for the wheels, which already contains that of minigrad.

    Raises:
        Trouble: there is no such wheel, or no network.
    """
    asked, missing = set(pins), [f"{name}=={version}" for name, version in pins.items()]
    while missing:
        pip("download", "--no-deps", "--only-binary=:all:", "--dest", str(into), *target.options(), *missing)
        wanted = needed(target, into)
        missing = [text for name, text in wanted.items() if name not in asked]
        asked |= wanted.keys()


def needed(target: Target, wheels: Path) -> dict[str, str]:
    """What the course requires on a target, as the wheels in a folder declare it: {"numpy": "numpy>=2.0", ...}."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    requires = {canonicalize_name(wheel.name.split("-")[0]): requirements(wheel) for wheel in wheels.glob("*.whl")}
    found, read, queue = {}, set(), [Requirement("minigrad[course]")]
    while queue:
        one = queue.pop()
        name = canonicalize_name(one.name)
        found.setdefault(name, f"{one.name}{one.specifier}")
        for extra in {"", *one.extras}:
            if (name, extra) in read:
                continue
            read.add((name, extra))
            wanted = map(Requirement, requires.get(name, ()))
            markers = {**target.markers(), "extra": extra}
            queue += [need for need in wanted if not need.marker or need.marker.evaluate(markers)]
    del found["minigrad"]
    return found


def requirements(wheel: Path) -> list[str]:
    """The requirements in the metadata of a wheel."""
    with zipfile.ZipFile(wheel) as file:
        metadata = next(name for name in file.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
        return Parser().parsestr(file.read(metadata).decode()).get_all("Requires-Dist") or []


def pip(*arguments: str) -> None:
    """Run pip.

    Raises:
        Trouble: it failed.
        OSError: the disk is full.
    """
    command = [sys.executable, "-m", "pip", *arguments, "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.returncode:
        return
    if f"[Errno {errno.ENOSPC}]" in done.stderr:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    absent = re.search(r"No matching distribution found for (\S+)", done.stderr)
    if absent and "from versions: none" not in done.stderr:
        raise Trouble(f"There is no wheel of {absent[1]} for what you asked.", "minigrad pack --python 3.12")
    last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
    raise Trouble(f"pip could not fetch what the pack needs ({last}).", "the same again, where there is a network")
