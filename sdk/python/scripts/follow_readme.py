"""Follows README.md as a new user does: installs a wheel in an empty environment, and runs
each example of the README in an empty folder, without anything else of this repository.

    python scripts/follow_readme.py dist/*.whl

The examples use the registry of CENSUS_SDK_TEST_URL with the key CENSUS_SDK_TEST_KEY; without
these variables, recorded responses.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import readme

sys.path.insert(0, str(readme.ROOT / "tests"))

import recorded

SERVING = {"examples/webhook.py"}


def run(python: Path, folder: Path, wheel: Path, url: str, key: str) -> None:
    """Install the wheel and run the examples; it raises CalledProcessError."""
    pip = [str(python), "-I", "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "install", str(wheel)], check=True, cwd=folder)
    subprocess.run([*pip, "check"], check=True, cwd=folder)
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "CENSUS_"))},
        "CENSUS_URL": url,
        "CENSUS_API_KEY": key,
    }
    text = (readme.ROOT / "README.md").read_text(encoding="utf-8")
    for match in readme.BLOCK.finditer(text):
        name = match.group(2)
        code = match.group(0).partition("```python\n")[2].removesuffix("```")
        file = folder / Path(name).name
        file.write_text(code, encoding="utf-8")
        if name in SERVING:
            subprocess.run([str(python), "-m", "py_compile", file.name], check=True, cwd=folder)
            continue
        command = [str(python), "-W", "error::DeprecationWarning", file.name]
        done = subprocess.run(command, check=True, cwd=folder, env=environment, capture_output=True)
        print(f"{name}: {len(done.stdout.splitlines())} lines")


def main() -> None:
    """Run with the wheel of the arguments."""
    wheel = Path(sys.argv[1]).resolve()
    url = os.environ.get("CENSUS_SDK_TEST_URL")
    key = os.environ.get("CENSUS_SDK_TEST_KEY", "mcp_" + "x" * 43)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        venv.create(folder / ".venv", with_pip=True)
        if url is None:
            url, _ = stack.enter_context(recorded.registry())
        try:
            run(folder / ".venv" / "bin" / "python", folder, wheel, url, key)
        except subprocess.CalledProcessError as e:
            sys.exit(f"{e}\n{(e.stderr or b'').decode()}")


if __name__ == "__main__":
    main()
