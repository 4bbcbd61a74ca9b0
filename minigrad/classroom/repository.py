"""The address of the repository: one setting in pyproject.toml, used for links and for the badge in README."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BADGE = "https://mybinder.org/badge_logo.svg"
FIRST = "minigrad-course/00_start_here.ipynb"


def repository(root: Path = ROOT) -> str:
    """The address given in the pyproject.toml of a folder; "" if there is none."""
    _, _, urls = (root / "pyproject.toml").read_text(encoding="utf-8").partition("\n[project.urls]\n")
    found = re.search(r'^repository *= *"(.+)"', urls.partition("\n[")[0], re.MULTILINE | re.IGNORECASE)
    return found[1].removesuffix("/").removesuffix(".git") if found else ""


def binder(address: str, path: str) -> str:
    """The link that opens a file of the repository on Binder; "" if Binder does not support the host.

    >>> binder("https://github.com/somebody/minigrad", "minigrad-course/07_why_none.ipynb")
    'https://mybinder.org/v2/gh/somebody/minigrad/HEAD?urlpath=lab/tree/minigrad-course/07_why_none.ipynb'
    """
    found = re.fullmatch(r"https://(github|gitlab)\.com/([\w.-]+)/([\w.-]+)", address)
    if not found:
        return ""
    host, owner, name = found.groups()
    place = f"gh/{owner}/{name}" if host == "github" else f"gl/{owner}%2F{name}"
    return f"https://mybinder.org/v2/{place}/HEAD?urlpath=lab/tree/{path}"


def badge(address: str) -> str:
    """The line of README with the button that opens the course on Binder; "" if Binder cannot open it."""
    link = binder(address, FIRST)
    return f"[![Open the course on Binder]({BADGE})]({link})" if link else ""


def with_badge(readme: str, line: str) -> str:
    """README with this badge below its title, replacing any previous one; without a badge if the line is empty.

    >>> with_badge("# minigrad\\n\\nText.\\n", "[badge]")
    '# minigrad\\n\\n[badge]\\n\\nText.\\n'
    """
    bare = re.sub(rf"^\[!\[[^\n]*{re.escape(BADGE)}[^\n]*\n\n?", "", readme, flags=re.MULTILINE)
    title, _, rest = bare.partition("\n\n")
    return f"{title}\n\n{line}\n\n{rest}" if line else bare


def main(root: Path = ROOT) -> None:
    """Write the badge into README, or remove it."""
    readme = root / "README.md"
    line = badge(repository(root))
    readme.write_text(with_badge(readme.read_text(encoding="utf-8"), line), encoding="utf-8")
    print(f"README.md has {line or 'no badge: pyproject.toml names no repository that Binder knows'}")


if __name__ == "__main__":
    main()
