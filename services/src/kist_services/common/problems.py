"""What went wrong, as HTTP says it: the one table from the daemon's answers to statuses."""

from __future__ import annotations

import http
import math
from dataclasses import dataclass

import kist
from starlette.responses import JSONResponse

from .database import DatabaseUnavailable


@dataclass
class Problem(Exception):
    """An answer other than success (RFC 9457).

    Attributes:
        detail: a sentence for whoever wrote the client; it goes into the answer and never into the log.
        retry_after: seconds, where the same request can succeed later.
        audit_sequence: the daemon's record of the refusal.
    """

    status: int
    detail: str
    retry_after: int | None = None
    audit_sequence: int | None = None

    def response(self, request_id: str) -> JSONResponse:
        body: dict[str, object] = {
            "type": "about:blank", "title": http.HTTPStatus(self.status).phrase, "status": self.status, "detail": self.detail,
            "requestId": request_id,
        }  # fmt: skip
        if self.audit_sequence is not None:
            body["auditSequence"] = self.audit_sequence
        headers = {} if self.retry_after is None else {"retry-after": str(self.retry_after)}
        return JSONResponse(body, self.status, headers, media_type="application/problem+json")


#: Status, detail and seconds to wait, where kistd does not say for how long, by what a call raises. An empty detail stands for the error's own text, which holds no value.
ANSWERS: dict[type[Exception], tuple[int, str, int | None]] = {
    kist.TokenError: (400, "", None),
    kist.RequestError: (400, "", None),
    kist.Denied: (403, "this service has no right to that, or there is no such key", None),
    kist.Rejected: (422, "a check failed; the same request would be refused again", None),
    kist.Malformed: (500, "this service and kistd do not understand each other", None),
    kist.Internal: (500, "kistd failed", None),
    kist.Unsupported: (501, "this kistd is too old for this service", None),
    kist.ReplyError: (502, "kistd gave no valid answer", None),
    kist.Busy: (503, "a rate or quota is used up, or kistd is short of memory or connections", 1),
    kist.Unreachable: (503, "kistd does not answer; nothing was done", 5),
    kist.Disconnected: (503, "kistd ended the connection; the request may have been carried out", 5),
    kist.NoSuchKey: (503, "a key that the settings name is not there, or not granted to this service", 30),
    kist.SeveralKeys: (503, "a label in the settings covers several keys", 30),
    kist.Locked: (503, "the key store is locked", 30),
    kist.AuditUnavailable: (503, "kistd cannot write its audit log", 30),
    kist.ApprovalNeeded: (503, "an operator must approve this request first", 60),
    DatabaseUnavailable: (503, "the service cannot use its database now, which is locked, full or not there", 5),
    kist.Timeout: (504, "kistd did not answer in time; the request may have been carried out", None),
    TimeoutError: (504, "the time limit is over; the request may have been carried out", None),
}


def problem(error: Exception) -> Problem:
    """The answer to an error; one that is not in the table is a fault of the service's own, and nothing of it is told."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, kist.Rejected) and error.stage == "not-released":
        return Problem(422, "policy does not release what this service needs, or the token lacks it; it was not used up", None, error.audit_sequence)
    for kind in type(error).__mro__:
        if kind in ANSWERS:
            status, detail, retry_after = ANSWERS[kind]
            if isinstance(error, kist.Busy) and error.retry_after is not None:
                retry_after = math.ceil(error.retry_after)
            return Problem(status, detail or str(error), retry_after, getattr(error, "audit_sequence", None))
    return Problem(500, "this service failed")
