# SPDX-License-Identifier: Apache-2.0
"""pytest --softwarp: the tests run under Softwarp, and a kernel that fails
fails the test during which it did, with its line.

The run starts once more, as `softwarp run python -m pytest ...`, before pytest
begins to capture output. What kernels do wrong comes from SOFTWARP_FAULTS, a
file that gets one line of JSON for each; its end is read after each test.
"""
import json
import os
import pathlib
import sys
import tempfile

import pytest

from . import COMMAND

INSIDE = "SOFTWARP_PYTEST"
"""Set in the second run: the file of faults."""

_reader = None


def pytest_addoption(parser):
    group = parser.getgroup("softwarp", "a GPU made of software")
    group.addoption("--softwarp", action="store_true",
                    help="run the tests under Softwarp, without a GPU")
    group.addoption("--softwarp-device", metavar="NAME",
                    help="the device to pretend to be (implies --softwarp)")
    group.addoption("--softwarp-check", metavar="TOOLS",
                    help="run under `softwarp check` with these tools, such as "
                         "all or race,memory; its report follows the tests' "
                         "(implies --softwarp)")


@pytest.hookimpl(tryfirst=True, hookwrapper=True)
def pytest_load_initial_conftests(early_config):
    options = early_config.known_args_namespace
    asked = (options.softwarp or options.softwarp_device or
             options.softwarp_check)
    if asked and INSIDE not in os.environ:
        _start_again(options, early_config.invocation_params.args)
    yield


def _start_again(options, arguments):
    folder = tempfile.mkdtemp(prefix="softwarp-pytest-")
    os.environ[INSIDE] = os.path.join(folder, "faults")
    command = [str(COMMAND), "run"]
    if options.softwarp_check:
        command = [str(COMMAND), "check", "--tool", options.softwarp_check]
    if options.softwarp_device:
        command += ["--device", options.softwarp_device]
    command += [sys.executable, "-m", "pytest", *map(str, arguments)]
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execv(COMMAND, command)
    except OSError as error:
        raise pytest.UsageError(
            f"--softwarp: {COMMAND} can't be started: {error.strerror}")


def pytest_configure(config):
    global _reader
    if INSIDE in os.environ:
        # With pytest-xdist each worker has a file of its own.
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        path = pathlib.Path(f"{os.environ[INSIDE]}.{worker}")
        os.environ["SOFTWARP_FAULTS"] = str(path)
        _reader = _Reader(path)


def pytest_unconfigure(config):
    if _reader:
        _reader.remove()


def pytest_report_header(config):
    if _reader:
        return f"softwarp: {COMMAND}"
    return None


class _Reader:
    """The faults that were added to the file since they were last asked for."""

    def __init__(self, path):
        self.path = path
        self.read = 0

    def take(self):
        try:
            with open(self.path, "rb") as file:
                file.seek(self.read)
                whole = file.read().rpartition(b"\n")
        except FileNotFoundError:
            return []
        self.read += len(whole[0]) + len(whole[1])
        return [json.loads(line) for line in whole[0].splitlines() if line]

    def remove(self):
        try:
            self.path.unlink()
            self.path.parent.rmdir()
        except OSError:  # another worker's file is still there
            pass


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if not _reader:
        return
    report = outcome.get_result()
    for fault in _reader.take():
        where = f"{fault['file']}:{fault['line']}: " if "file" in fault else ""
        report.sections.append(("softwarp", fault["report"]))
        if report.passed:
            report.outcome = "failed"
            report.longrepr = (f"{where}kernel {fault['kernel']}: "
                               f"{fault['message']}")
