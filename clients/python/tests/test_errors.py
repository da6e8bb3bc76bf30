"""Every error goes through `pickle` and `copy`, as a worker process or a queue hands it on, and stays what it was."""

from __future__ import annotations

import copy
import pickle

import kist
import pytest
from kist import _codec
from kist.testing import SandboxError
from kist.token import TokenError

ERRORS: list[Exception] = [
    kist.KistError("text"), kist.EndpointError("tcp:"), kist.Unreachable(2, "No such file or directory", "/run/x"), kist.Disconnected("text"),
    kist.Disconnected(104, "Connection reset by peer"), kist.Timeout("text"), kist.RequestError("text"), kist.ReplyError("text"),
    kist.Malformed(1), kist.Malformed(1, "count is 9"), kist.Unsupported(2), kist.Denied(None), kist.Rejected(3), kist.Rejected(4, "signing-time", kist.PassField.NONCE),
    kist.Rejected(5, "not-released", released_field=kist.ReleasedField.DPAN),
    kist.Busy(5), kist.Busy(None, ends_connection=True), kist.Busy(5, retry_after=0.25), kist.NoSuchKey("a/*"), kist.SeveralKeys("a/*", ["a/b", "a/c"]), kist.Locked(6), kist.AuditUnavailable(7), kist.Internal(8),
    kist.ApprovalNeeded(9, "1a2b3c4d", 1_767_225_600), TokenError("text"), SandboxError("text"), _codec.Flaw("bad-value", 3), _codec.Flaw("varint"),
]  # fmt: skip


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: f"{type(error).__name__} {error}")
def test_copies(error: Exception) -> None:
    vars(error)["__notes__"] = ["a note"]  # where add_note of Python 3.11 puts it
    if isinstance(error, kist.KistError):
        error.request_id = 7
    copies = [copy.copy(error), copy.deepcopy(error)] + [pickle.loads(pickle.dumps(error, protocol)) for protocol in range(6)]
    for again in copies:
        assert type(again) is type(error)
        assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))
        if isinstance(error, OSError):
            assert isinstance(again, OSError) and (again.errno, again.filename) == (error.errno, error.filename)


def all_kinds(kind: type[Exception]) -> set[type[Exception]]:
    return {kind}.union(*map(all_kinds, kind.__subclasses__()))


def test_every_error() -> None:
    abstract = {kist.Refused}
    assert all_kinds(kist.KistError) - abstract == {type(error) for error in ERRORS} - {SandboxError, _codec.Flaw}
