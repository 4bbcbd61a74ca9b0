"""Run the tests of the engine with the oldest and with the newest NumPy that this Python takes.

    python -m tests.versions

Each gets an environment of its own, made for the run and deleted after it.
"""

import pathlib
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).parents[1]
OLDEST = {(3, 10): "2.0.0", (3, 11): "2.0.0", (3, 12): "2.0.0", (3, 13): "2.1.0"}  # the first that was built for this Python
TOOLS = ["executing", "hypothesis>=6", "pytest>=8"]  # the first is IPython's; explain needs it with Python 3.10
ELSEWHERE = {"test_binder", "test_browser", "test_course", "test_course_cards", "test_readme", "test_inspector"}  # need more than NumPy


def passes(numpy):
    """Do the tests pass with this NumPy?"""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = pathlib.Path(folder, "Scripts" if sys.platform == "win32" else "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--editable", ROOT, numpy, *TOOLS], check=True)
        subprocess.run([python, "-c", "import sys, numpy; print('Python', sys.version.split()[0], 'NumPy', numpy.__version__)"], check=True)
        tests = [path for path in sorted(ROOT.glob("tests/**/test_*.py")) if path.stem not in ELSEWHERE]
        options = ["-q", "-p", "no:cacheprovider", "-o", "addopts="]
        return subprocess.run([python, "-m", "pytest", *options, *tests], cwd=ROOT).returncode == 0


def main():
    oldest = OLDEST.get(sys.version_info[:2])
    chosen = [f"numpy=={oldest}"] if oldest else []
    return 1 - all([passes(numpy) for numpy in [*chosen, "numpy"]])


if __name__ == "__main__":
    sys.exit(main())
