"""Frames (PROTOCOL.md section 2), and the meaning of replies."""

from __future__ import annotations

import enum
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from ._codec import Flaw, Part, Value, decode, wipe
from .enums import Opcode, PassField, ReleasedField, Status
from .errors import REFUSALS, ApprovalNeeded, Busy, KistError, Malformed, Refused, Rejected, ReplyError, RequestError, stage_name

VERSION = 1
#: Asks for the wait in a `busy` reply [WIRE-24].
WAIT = 1
REQUEST_MOST = 131072
REPLY_HEADER_SIZE = 20
REPLY_MOST = 1024 * 1024
UNAUDITED = 2**64 - 1
NO_KEY = bytes(16)

LENGTH = struct.Struct(">I")
_REQUEST = struct.Struct(">IBBHQ16s")
_REPLY = struct.Struct(">BBHQQ")
_STATUSES: dict[int, Status] = {status.value: status for status in Status}

M = TypeVar("M", bound=enum.IntEnum)
E = TypeVar("E", bound=KistError)
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True)
class Request(Generic[R_co]):
    """One request for a client's `call` or `pipeline`; the functions of `kist.operations` make these."""

    opcode: Opcode
    body: list[Part] = field(repr=False)
    reply: str | None
    result: Callable[[Value, int | None], R_co] = field(repr=False)
    key: bytes = NO_KEY
    retry_key: bytes | None = None
    #: Whether `call` sends it once more where the reply was lost.
    is_repeated: bool = False
    flags: int = field(default=WAIT, repr=False)

    @property
    def size(self) -> int:
        """The size of the whole frame in bytes."""
        return _REQUEST.size + sum(map(len, self.body))

    def frame(self, request_id: int) -> bytearray:
        """The frame, built in one piece so that no other copy remains; the caller wipes it."""
        size = self.size
        if size - LENGTH.size > REQUEST_MOST:
            raise RequestError("the request is larger than the protocol takes")
        if len(self.key) != len(NO_KEY):
            raise RequestError(f"a key id has {len(NO_KEY)} bytes, not {len(self.key)}")
        frame = bytearray(size)
        try:
            _REQUEST.pack_into(frame, 0, size - LENGTH.size, VERSION, self.flags, self.opcode, request_id, self.key)
            # A view cannot grow, so the frame is as long as its length field says.
            with memoryview(frame) as view:
                at = _REQUEST.size
                for part in self.body:
                    view[at : at + len(part)] = part
                    at += len(part)
            return frame
        except BaseException:
            wipe(frame)
            raise


def named(error: E, request: Request[Any], request_id: int | None) -> E:
    """The error, which says which request failed, and with which key it can be made again."""
    error.request_id, error.retry_key = request_id, request.retry_key
    return error


def reply_length(prefix: bytes | bytearray) -> int:
    """What follows the length field.

    Raises:
        ReplyError: it is outside of what any reply has [WIRE-4].
    """
    (length,) = LENGTH.unpack(prefix)
    if not REPLY_HEADER_SIZE <= length <= REPLY_MOST:
        raise ReplyError(f"a reply of {length} bytes")
    return int(length)


class ReplyHeader(NamedTuple):
    """The 20 bytes after a reply's length."""

    status: Status
    opcode: int
    request_id: int
    audit_sequence: int

    @staticmethod
    def read(frame: bytes | bytearray | memoryview) -> ReplyHeader:
        """Raises `Flaw` for another version or an unknown status."""
        version, status, opcode, request_id, audit_sequence = _REPLY.unpack_from(frame)
        if version != VERSION:
            raise Flaw("version")
        if status not in _STATUSES:
            raise Flaw("bad-value", 0)
        return ReplyHeader(_STATUSES[status], opcode, request_id, audit_sequence)


def answer(request: Request[R], request_id: int, frame: bytearray, *, is_first: bool) -> R:
    """The result in a reply, length field stripped; wipes the reply.

    Args:
        is_first: whether it is the first reply of its connection.

    Raises:
        Refused: the daemon's answer; where it `ends_connection`, the connection is to be closed.
        ReplyError: the reply is not one to this request, or breaks the protocol; the connection is to be closed.
    """
    try:
        with memoryview(frame) as view:
            return _answer(request, request_id, view, is_first)
    except Flaw as flaw:
        raise ReplyError(f"{request.opcode.name}: {flaw}") from None
    finally:
        wipe(frame)


def _answer(request: Request[R], request_id: int, frame: memoryview, is_first: bool) -> R:
    header = ReplyHeader.read(frame)
    sequence = None if header.audit_sequence == UNAUDITED else header.audit_sequence
    body = frame[REPLY_HEADER_SIZE:]
    if header.opcode != request.opcode or header.request_id != request_id:
        if (header.opcode, header.request_id) == (0, 0) and not body:
            if header.status is Status.MALFORMED:  # [WIRE-8]
                raise Malformed(sequence)
            if header.status is Status.BUSY and is_first:  # [WIRE-21]
                raise Busy(sequence, ends_connection=True)
        raise Flaw("another request's reply")  # [WIRE-19]
    if header.status is not Status.OK:
        raise _refusal(header.status, sequence, body)
    if request.reply is None:
        if body:
            raise Flaw("trailing-bytes")
        return request.result({}, sequence)
    return request.result(decode(request.reply, body), sequence)


def _refusal(status: Status, sequence: int | None, body: memoryview) -> Refused:
    if status is Status.APPROVAL_NEEDED:  # [WIRE-20]
        needed: dict[str, Any] = decode("ApprovalNeeded", body)
        return ApprovalNeeded(sequence, str(needed.get("request", b""), "utf-8"), needed.get("until", 0))
    if not body:
        return REFUSALS[status](sequence)
    if status is Status.MALFORMED:  # [WIRE-22]
        return Malformed(sequence, str(decode("Malformation", body)["why"], "utf-8"))
    if status is Status.BUSY:  # [WIRE-24]
        return Busy(sequence, retry_after=decode("Busy", body)["retry_after"] / 1000)
    if status is not Status.REJECTED:
        raise Flaw("trailing-bytes")  # [WIRE-18]
    rejection: dict[str, Any] = {}
    try:
        decode("Rejection", body, rejection)
    except Flaw as flaw:
        # A stage of a later daemon, unknown here, is a rejection like any other (section 8); an unknown field takes nothing from its stage.
        if flaw.fault != "bad-value":
            raise
    return Rejected(
        sequence,
        stage_name(rejection.get("stage", 0)),
        _member(PassField, rejection.get("field")),
        _member(ReleasedField, rejection.get("released_field")),
    )


def _member(kind: type[M], number: int | None) -> M | None:
    """None for a number that the enum does not have."""
    return next((member for member in kind if member == number), None)
