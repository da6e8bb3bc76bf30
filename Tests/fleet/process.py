"""What every part of the fleet's test takes: programs to run, to kill and to wait for."""

import os
import subprocess
import threading
import time

# A busy machine takes its time; what is to happen happens long before.
PATIENCE = 60


def run(*words, **options):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=PATIENCE, **{"check": False, **options})
    if done.returncode != 0:
        raise RuntimeError("%s: %d\n%s%s" % (" ".join(map(str, words)), done.returncode, done.stdout, done.stderr))
    return done.stdout


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def eventually(what, condition, seconds=PATIENCE):
    """Waits for what comes true, and returns it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise RuntimeError("not within %g s: %s" % (seconds, what))


def at_last(job):
    """What a program says that may fail now, but not for long."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return job()
        except RuntimeError:
            if time.monotonic() > end:
                raise
        time.sleep(0.05)


def at_once(jobs):
    """Runs every job on a thread of its own; the first exception is raised here."""
    failures = []

    def guarded(job):
        try:
            job()
        except BaseException as failure:  # pylint: disable=broad-except
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


class Process:
    """A program that the test starts, kills and starts again; all that it says goes into one file."""

    def __init__(self, folder):
        self.log = folder / "log"
        self.process = None

    def launch(self, *words, **environment):
        inherited = {name: os.environ[name] for name in ("PATH", "OPENSSL_ia32cap") if os.environ.get(name)}
        environment = {**inherited, "SWIFT_BACKTRACE": "enable=no", **{name: str(value) for name, value in environment.items()}}
        with open(self.log, "a") as log:
            self.process = subprocess.Popen([*map(str, words)], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        return self

    def kill(self):
        """kill -9."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self):
        """In order."""
        self.process.terminate()
        expect(self.process.wait(PATIENCE) == 0, "%s does not end in order" % self.log.parent)
        self.process = None

    def said(self, text):
        return self.log.read_text().count(text)

    def wait_for(self, text, times=1):
        eventually("%s says %s" % (self.log, text), lambda: self.said(text) >= times)
