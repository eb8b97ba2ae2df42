# SPDX-License-Identifier: Apache-2.0
"""Softwarp, a GPU made of software, as a Python package.

The command is `softwarp`, or `python -m softwarp`. The pytest plugin is
`pytest --softwarp` (pytest_plugin.py).
"""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent / "root"
"""Where Softwarp is installed: bin, lib, include, share."""

COMMAND = ROOT / "bin" / "softwarp"
"""The command itself, a program of the machine."""
