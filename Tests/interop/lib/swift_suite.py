"""A Swift test suite that reads and writes files beside another program."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]


def run(suite, directory, arguments):
    """Runs it with KIST_INTEROP_DIR at `directory`; ends the script where it fails."""
    environment = dict(os.environ, KIST_INTEROP_DIR=str(directory), SWIFT_BACKTRACE="enable=no")
    command = ["swift", "test", "--disable-xctest", "--filter", suite, *arguments]
    if subprocess.run(command, cwd=ROOT, env=environment).returncode != 0:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: swift test failed")
