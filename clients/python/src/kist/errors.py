"""The errors that a call can raise.

A `Refused` is the daemon's answer and mirrors its status; all else is this side's.  Errors hold no secrets.
"""

from __future__ import annotations

from .enums import STAGES, PassField, ReleasedField, Status

class KistError(Exception):
    """The base of every error that this package itself raises.

    Attributes:
        request_id: of a call, what its audit record has, too: ``kist audit show --request``; None if none was made.
        retry_key: of a call with one, the key with which the same call can be made again [OP-OPEN-11].
    """

    request_id: int | None = None
    retry_key: bytes | None = None

    def __str__(self) -> str:
        marks = ", ".join(self._marks())
        return f"{self._text()} ({marks})" if marks else self._text()

    def _text(self) -> str:
        """What happened."""
        return super().__str__()

    def _marks(self) -> list[str]:
        """By which the operator finds it in the audit log."""
        return [] if self.request_id is None else [f"request {self.request_id:016x}"]

class EndpointError(KistError, ValueError):
    """The endpoint is not `unix:/PATH`."""

    def __init__(self, endpoint: str) -> None:
        super().__init__(endpoint)
        self.endpoint = endpoint

    def _text(self) -> str:
        return f"the endpoint is {self.endpoint!r}; expected unix:/PATH"

class Unreachable(KistError, OSError):
    """Nobody answers on the socket; `errno` says why."""

class Disconnected(KistError, ConnectionError):
    """The connection ended before the reply: the request may have been carried out.  Only one with `retry` was sent once more."""

class Timeout(KistError, TimeoutError):
    """The reply did not come in time: the request may have been carried out.  Only one with `retry` was sent once more."""

class RequestError(KistError, ValueError):
    """The request exceeds a bound of the protocol, so nothing was sent; the text names the field and the bound."""

class ReplyError(KistError):
    """The reply violates the protocol; the connection was closed."""

class NoSuchKey(KistError, LookupError):
    """No key has such a label, or none that the caller may list."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self.pattern = pattern

    def _text(self) -> str:
        return f"no key has the label {self.pattern!r}, or policy lets this caller list none that has"

class SeveralKeys(KistError, LookupError):
    """Several keys have such labels.

    Attributes:
        labels: theirs.
    """

    def __init__(self, pattern: str, labels: list[str]) -> None:
        super().__init__(pattern, labels)
        self.pattern = pattern
        self.labels = labels

    def _text(self) -> str:
        return f"{self.pattern!r} covers several keys: {', '.join(self.labels)}"

class Refused(KistError):
    """The daemon refused.

    Attributes:
        status: why.
        audit_sequence: the record to quote to the operator; None if there is none.
        ends_connection: whether the daemon closed the connection after it.
    """

    status: Status
    ends_connection = False

    # `pickle` and `copy` rebuild an error from the arguments of Exception's initialiser, so here and below it gets all of them.
    def __init__(self, audit_sequence: int | None, *more: object) -> None:
        super().__init__(audit_sequence, *more)
        self.audit_sequence = audit_sequence

    def _text(self) -> str:
        return self.status.name.lower().replace("_", "-")

    def _marks(self) -> list[str]:
        record = [] if self.audit_sequence is None else [f"audit record {self.audit_sequence}"]
        return record + super()._marks()

class Malformed(Refused):
    """The bytes violate the protocol, by a fault of this package; the connection is closed.

    Attributes:
        why: which field broke which bound, if it is about a field.
    """

    status = Status.MALFORMED
    ends_connection = True

    def __init__(self, audit_sequence: int | None, why: str | None = None) -> None:
        super().__init__(audit_sequence, why)
        self.why = why

    def _text(self) -> str:
        return super()._text() + (f": {self.why}" if self.why else "")

class Unsupported(Refused):
    """This daemon has no such operation."""

    status = Status.UNSUPPORTED

class Denied(Refused):
    """No right to this, or no such key; the two look the same."""

    status = Status.DENIED

class Rejected(Refused):
    """The request was understood and permitted, but a check failed: do not repeat it.

    Attributes:
        stage: the check that failed, if policy shows stages, such as ``"signing-time"``; ``"unknown"`` for one that
            only a later daemon knows.
        field: the pass's field that the stage is about; None, too, for one that only a later daemon knows.
        released_field: the required field that is not released, at stage ``"not-released"``; the token can still be opened.
    """

    status = Status.REJECTED

    def __init__(
        self,
        audit_sequence: int | None,
        stage: str | None = None,
        field: PassField | None = None,
        released_field: ReleasedField | None = None,
    ) -> None:
        super().__init__(audit_sequence, stage, field, released_field)
        self.stage = stage
        self.field = field
        self.released_field = released_field

    def _text(self) -> str:
        name = self.field if self.released_field is None else self.released_field
        return super()._text() + (f" at stage {self.stage}" if self.stage else "") + ("" if name is None else f" ({_words(name)})")

class Busy(Refused):
    """A rate or quota is used up, or memory or connections are: try again later.

    If it `ends_connection`, the daemon has reached its cap on connections, and carried out no request of this one.

    Attributes:
        retry_after: seconds until the same call can succeed, as far as the daemon knows; None where it does not say: then try again
            with growing pauses.
    """

    status = Status.BUSY

    def __init__(self, audit_sequence: int | None, ends_connection: bool = False, retry_after: float | None = None) -> None:
        super().__init__(audit_sequence, ends_connection, retry_after)
        self.ends_connection = ends_connection
        self.retry_after = retry_after

    def _text(self) -> str:
        return super()._text() + ("" if self.retry_after is None else f" for {self.retry_after:.10g} s")

class Locked(Refused):
    """The key store is locked: try again when an operator has unlocked it."""

    status = Status.LOCKED

class AuditUnavailable(Refused):
    """The audit log cannot be written: nothing is served until its disk has space, or until the daemon is restarted."""

    status = Status.AUDIT_UNAVAILABLE

class Internal(Refused):
    """A fault of the daemon's."""

    status = Status.INTERNAL

class ApprovalNeeded(Refused):
    """An operator must approve the request; the same call, made again, is then carried out once.

    Attributes:
        request: what the operator approves by: ``kist approve REQUEST``.
        until: seconds since 1970; from then on the request is forgotten.
    """

    status = Status.APPROVAL_NEEDED

    def __init__(self, audit_sequence: int | None, request: str, until: int) -> None:
        super().__init__(audit_sequence, request, until)
        self.request = request
        self.until = until

    def _text(self) -> str:
        return f"{super()._text()}: kist approve {self.request}"

REFUSALS: dict[Status, type[Refused]] = {
    kind.status: kind for kind in (Malformed, Unsupported, Denied, Rejected, Busy, Locked, AuditUnavailable, Internal)
}

def _words(name: PassField | ReleasedField) -> str:
    return name.name.lower().replace("_", "-")

def stage_name(number: int) -> str:
    """A stage as PROTOCOL.md section 4 names it."""
    return STAGES.get(number, "unknown")
