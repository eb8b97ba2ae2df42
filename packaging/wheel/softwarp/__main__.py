# SPDX-License-Identifier: Apache-2.0
"""`python -m softwarp ...` and the `softwarp` script: become the command."""
import os
import sys

from . import COMMAND


def main():
    try:
        os.execv(COMMAND, ["softwarp", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"softwarp: {COMMAND} can't be started: {error.strerror}")


if __name__ == "__main__":
    main()
