"""The errors that a call can raise.

A `Refused` is the daemon's answer and mirrors its status; all else is this side's.  Errors hold no secrets.
"""

from __future__ import annotations

from .enums import STAGES, PassField, ReleasedField, Status

class KistError(Exception):
    """The base of every error that this package itself raises.

    Attributes:
        retry_key: of a call with one, the key with which the same call can be made again [OP-OPEN-11].
    """

    retry_key: bytes | None = None

class EndpointError(KistError, ValueError):
    """The endpoint is not `unix:/PATH`."""

    def __init__(self, endpoint: str) -> None:
        super().__init__(endpoint)
        self.endpoint = endpoint

    def __str__(self) -> str:
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

    def __str__(self) -> str:
        name = self.status.name.lower().replace("_", "-")
        return name if self.audit_sequence is None else f"{name} (audit record {self.audit_sequence})"

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

    def __str__(self) -> str:
        return super().__str__() + (f": {self.why}" if self.why else "")

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
        field: the pass's field that the stage is about.
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

    def __str__(self) -> str:
        name = self.field if self.released_field is None else self.released_field
        return super().__str__() + (f" at stage {self.stage}" if self.stage else "") + ("" if name is None else f" ({_words(name)})")

class Busy(Refused):
    """A rate is used up, or memory or connections are: try again later, with growing pauses.

    If it `ends_connection`, the daemon has reached its cap on connections, and carried out no request of this one.
    """

    status = Status.BUSY

    def __init__(self, audit_sequence: int | None, ends_connection: bool = False) -> None:
        super().__init__(audit_sequence, ends_connection)
        self.ends_connection = ends_connection

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

    def __str__(self) -> str:
        return f"{super().__str__()}: kist approve {self.request}"

REFUSALS: dict[Status, type[Refused]] = {
    kind.status: kind for kind in (Malformed, Unsupported, Denied, Rejected, Busy, Locked, AuditUnavailable, Internal)
}

def _words(name: PassField | ReleasedField) -> str:
    return name.name.lower().replace("_", "-")

def stage_name(number: int) -> str:
    """A stage as PROTOCOL.md section 4 names it."""
    return STAGES.get(number, "unknown")
