"""The command ``swingbridge``, also as ``python -m swingbridge`` (D-8)."""

from __future__ import annotations

import os
import signal
import sys

from ._core import run_command


def main() -> int:
    """Run the command line of this process and return its exit code."""
    # What is opened would take the place of a standard stream that was closed.
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    # The command listens to interrupts itself. Python's own handler would raise once it is over.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_command(["swingbridge", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
