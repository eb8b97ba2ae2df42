# SPDX-License-Identifier: Apache-2.0
"""Runs test modules of a package with unittest, a process each.

    python modules.py SECONDS PACKAGE... [-MODULE...]

A package is a dotted name; all test_*.py below it are run, each for at most so
many seconds, but for the modules named with a minus. Prints a line for each module and for each test that fails, and
the sums last. Exit status 0 whatever the tests say.
"""
import importlib.util
import os
import re
import subprocess
import sys

RESULT = re.compile(r"^(?P<test>.+?) \.\.\. (?:.* )?"
                    r"(?P<what>ok|FAIL|ERROR|skipped .*|expected failure)$")
SUMMARY = re.compile(r"^(FAIL|ERROR): (\S+ \(.*\))$")


def modules_of(package):
    spec = importlib.util.find_spec(package)
    if spec is None:
        sys.exit(f"{package}: not installed")
    if not spec.submodule_search_locations:
        return [package]
    found = []
    top = list(spec.submodule_search_locations)[0]
    for folder, _, files in os.walk(top):
        inside = os.path.relpath(folder, top).replace(os.sep, ".")
        prefix = package if inside == "." else f"{package}.{inside}"
        found += [f"{prefix}.{f[:-3]}" for f in files
                  if f.startswith("test_") and f.endswith(".py")]
    return sorted(found)


def run(module, seconds):
    """(passed, failed, skipped, names of those that failed)."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "unittest", "-v", module],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", timeout=seconds, stdin=subprocess.DEVNULL)
        text, end = done.stdout, None
        if done.returncode < 0:
            end = f"signal {-done.returncode}"
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode(errors="replace")
        end = f"more than {seconds} s"
    keep = os.environ.get("CLIENTS_LOGS")
    if keep:
        with open(os.path.join(keep, module + ".txt"), "w") as log:
            log.write(text)
    ran = re.findall(r"^Ran (\d+) tests?", text, re.M)
    failed = sorted({m[2] for line in text.splitlines()
                     if (m := SUMMARY.match(line))})
    skips = re.findall(r"skipped=(\d+)", text)
    if end or not ran:
        done_ok = len(re.findall(r" \.\.\. ok$|^ok$", text, re.M))
        return done_ok, len(failed) + 1, 0, failed + [end or "no result"]
    skipped = int(skips[-1]) if skips else 0
    total = int(ran[-1])
    if "ERROR: setUpClass" in text:
        total += 1
    return max(total - skipped - len(failed), 0), len(failed), skipped, failed


def main():
    seconds = int(sys.argv[1])
    sums = [0, 0, 0]
    packages = [p for p in sys.argv[2:] if not p.startswith("-")]
    left_out = {p[1:] for p in sys.argv[2:] if p.startswith("-")}
    for package in packages:
        for module in modules_of(package):
            if module in left_out:
                continue
            passed, failed, skipped, names = run(module, seconds)
            sums = [a + b for a, b in zip(sums, (passed, failed, skipped))]
            print(f"{module}: {passed} passed, {failed} failed, "
                  f"{skipped} skipped", flush=True)
            for name in names:
                print(f"    {name}", flush=True)
    print(f"all: {sums[0]} passed, {sums[1]} failed, {sums[2]} skipped")


main()
