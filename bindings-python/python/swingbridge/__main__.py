"""The command ``swingbridge``, also as ``python -m swingbridge`` (D-8)."""

from __future__ import annotations

import signal
import sys

from ._core import run_command


def main() -> int:
    """Run the command line of this process and return its exit code."""
    # The command listens to interrupts itself. Python's own handler would raise once it is over.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_command(["swingbridge", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
