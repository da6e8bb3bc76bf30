"""What an operator does by ``kist``, for a service that has some of an operator's rights: the command, its answer in JSON, and its refusals as problems.

What it only asks goes over a connection that is kept: a process for each question would take ten times as long.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import kist

from .common.problems import ANSWERS, Problem, problem

#: An answer has a key, or the list of all; more is none of kist's.
_ANSWER_BYTES = 64 * 1024 * 1024
_PING_SECONDS = 1.0
_UNASKED = "kistd does not answer; nothing was done"
_UNANSWERED = "kistd did not answer; the request may have been carried out"


class ApprovalNeeded(Exception):
    """A second person must approve; the same request, sent again, is then carried out once."""

    def __init__(self, request: str, until: str) -> None:
        super().__init__(request)
        self.request, self.until = request, until


class Busy(Problem):
    """A rate or quota of the grant's is used up, or kistd is short of something; nothing was done."""

    def __init__(self, milliseconds: int | None, audit_sequence: int | None) -> None:
        #: After which it allows the request again, if kistd says so.
        self.seconds = 60.0 if milliseconds is None else milliseconds / 1000
        super().__init__(503, ANSWERS[kist.Busy][1], max(1, math.ceil(self.seconds)), audit_sequence=audit_sequence)


class Refused(Problem):
    """kistd rejected the request, at a stage that the grant shows."""

    def __init__(self, stage: str, audit_sequence: int | None) -> None:
        status, detail = _STAGES.get(stage, (422, "a check failed; the same request would be refused again"))
        super().__init__(status, detail, audit_sequence=audit_sequence)


#: Of the stages that a key's life can be refused at, what the platform's engineer is told.
_STAGES = {
    "key-import": (422, "kistd did not take the key's values: another key has its label, or they do not fit"),
    "key-state": (409, "the key's state or period does not allow it"),
}
_STATUSES: dict[str, tuple[int, str, int | None]] = {
    "denied": (404, "there is no such key, or this service has no right to that", None),
    "locked": (503, "the key store is locked", 30),
    "audit-unavailable": (503, "kistd cannot write its audit log", 30),
    "not-asked": (503, _UNASKED, 5),
    "no-answer": (504, _UNANSWERED, None),
}


@dataclass(frozen=True)
class Operator:
    """
    Attributes:
        socket: the operators'.
        program: kist.
    """

    socket: str
    program: str = "/usr/bin/kist"

    async def do(self, *words: str, seconds: float, given: bytes = b"") -> dict[str, Any]:
        """Runs ``kist`` with these words, and gives what it says in JSON; `given` is its standard input.

        Raises:
            Problem
            ApprovalNeeded
        """
        await self._find()
        command = [self.program, *words, "--json", "--socket", self.socket, "--timeout", str(max(1, int(seconds)))]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, env={"LC_ALL": "C.UTF-8"})
        try:
            async with asyncio.timeout(seconds + 1):
                said, _ = await process.communicate(given)
        except TimeoutError:
            raise Problem(504, _UNANSWERED) from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        answer = _object(said)
        if answer is None:
            # Each failure comes in JSON, and nothing is asked that kist itself would refuse.
            raise Problem(504, _UNANSWERED)
        return answer if process.returncode == 0 else _refuse(answer)

    async def _find(self) -> None:
        """Before anything is asked: of a daemon that is away, or hangs, it can be said that nothing was done."""
        try:
            async with kist.AsyncClient(f"unix:{self.socket}", timeout=_PING_SECONDS) as client:
                await client.ping()
        except kist.KistError:
            raise Problem(503, _UNASKED, 5) from None


class Register:
    """The keys that an operator may see.

    Args:
        client: of the operators' socket.
    """

    def __init__(self, client: kist.AsyncClient) -> None:
        self._client = client

    async def keys(self, pattern: str = "") -> list[kist.Key]:
        """Those whose labels the pattern covers, as policy would; without public key and certificate.

        Raises:
            Problem
        """
        with _told():
            return await self._client.keys(pattern=pattern)

    async def key(self, id: str) -> kist.Key:
        """One, with its public key and certificate.

        Raises:
            Problem
        """
        with _told():
            return await self._client.describe_key(bytes.fromhex(id))


@contextlib.contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except kist.Busy as busy:
        raise Busy(None if busy.retry_after is None else round(busy.retry_after * 1000), busy.audit_sequence) from None
    except kist.KistError as error:
        raise problem(error) from None


def _object(said: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(said) if len(said) <= _ANSWER_BYTES else None
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _refuse(answer: dict[str, Any]) -> NoReturn:
    sequence = answer.get("audit_sequence")
    status = str(answer.get("status"))
    if status == "approval-needed":
        raise ApprovalNeeded(str(answer.get("request")), str(answer.get("until")))
    if status == "rejected":
        raise Refused(str(answer.get("stage")), sequence)
    if status == "busy":
        raise Busy(answer.get("retry_after_ms"), sequence)
    number, detail, wait = _STATUSES.get(status, (500, "kistd failed", None))
    raise Problem(number, detail, wait, sequence)
