# SPDX-License-Identifier: Apache-2.0
"""Binaries that need no particular Python: one wheel for all of a platform."""
from setuptools import setup
try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before 70.1
    from wheel.bdist_wheel import bdist_wheel
from setuptools.dist import Distribution


class Binary(Distribution):
    def has_ext_modules(self):
        return True


class AnyPython(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(distclass=Binary, cmdclass={"bdist_wheel": AnyPython})
