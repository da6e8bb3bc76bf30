"""Replaces itself by a command that the kernel kills when the process that started it ends, in whatever way.

Run as a program of its own, since nothing may be done between fork and exec of a process that has threads.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(parent: str, *command: str) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # That process may have ended before the kernel was told.
    if os.getppid() == int(parent):
        os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
