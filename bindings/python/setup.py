# SPDX-License-Identifier: MIT
"""Builds the package where libevenkeel and its header are installed. EVENKEEL_INCLUDE names another folder of headers."""
import os
import pathlib
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import generate  # noqa: E402


def pkg_config(*words):
    done = subprocess.run(["pkg-config", *words, "evenkeel"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit("evenkeel: the library's headers are not there: install libevenkeel-dev, or run make install")
    return done.stdout.strip()


class Build(build_py):
    def run(self):
        super().run()
        include = os.environ.get("EVENKEEL_INCLUDE") or pkg_config("--variable=includedir")
        generate.main(include, pathlib.Path(self.build_lib) / "evenkeel")


setup(name="evenkeel", version=os.environ.get("EVENKEEL_VERSION") or pkg_config("--modversion"),
      description="an emulated parallel machine, and nearest-neighbour load balancing on it", license="MIT",
      packages=["evenkeel"], install_requires=["cffi", "numpy"], extras_require={"frames": ["pandas"]},
      cmdclass={"build_py": Build})
