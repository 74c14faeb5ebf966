"""Machine code for the wheel: what the estimators call, compiled for the processors that most machines have.

``MAXMARGIN_MACHINE_CODE=0 pip wheel .`` leaves it out; the wheel then runs everywhere, and compiles where it runs.
``MAXMARGIN_COMPILE_ONLY=svm.SVC,svm.SVR pip wheel .`` compiles for these estimators alone.
Machine code belongs to one version of Python and of Numba, those of the environment that the wheel is built in.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_X86 = ("x86_64", "amd64", "x64")


class MachineCode(BuildHookInterface):
    """Compiles for the wheel, and says that it is for one platform."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What has to be there to compile: all that the package and its command need."""
        if not _wanted():
            return []
        core = self.metadata.core
        found = list(core.dependencies)
        todo = ["cli"]
        while todo:
            for line in core.optional_dependencies[todo.pop()]:
                if line.startswith(f"{core.name}["):
                    todo += line[len(core.name) + 1 : -1].split(",")
                else:
                    found.append(line)
        return found

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the wheel is written; editable installations compile where they are."""
        if version != "standard" or not _wanted():
            return
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        self._compile(folder / "machine_code")
        for path in sorted((folder / "machine_code").iterdir()):
            build_data["force_include"][str(path)] = f"maxmargin/_machine_code/{path.name}"
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def _compile(self, into: Path) -> None:
        levels = ("x86-64-v4", "x86-64-v3") if platform.machine().lower() in _X86 else ("generic",)
        known = into.parent / f"maxmargin-{self.metadata.version}.dist-info"  # the package knows its version from here
        known.mkdir()
        (known / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: maxmargin\nVersion: {self.metadata.version}\n", encoding="utf-8"
        )
        path = os.pathsep.join([str(Path(self.root, "src")), str(into.parent), *filter(None, sys.path)])
        words = [word for level in levels for word in ("--level", level)]
        only = filter(None, os.environ.get("MAXMARGIN_COMPILE_ONLY", "").split(","))
        words += [word for name in only for word in ("--only", name.strip())]
        command = [sys.executable, "-m", "maxmargin.compile", "--into", str(into), *words]
        subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=True)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what is in the wheel now."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def _wanted() -> bool:
    return os.environ.get("MAXMARGIN_MACHINE_CODE") != "0"
