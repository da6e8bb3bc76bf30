"""Every status and a daemon that is killed and comes back, against the real one; and any protobuf library against it."""

from __future__ import annotations

import asyncio
import dataclasses
import importlib
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
from typing import Any

import kist
import pytest
from kist import Request, _codec, operations
from kist.testing import Sandbox, SandboxError
from stage import POLICY, Stage, build
from test_c import displace

PROTO = pathlib.Path(__file__).resolve().parents[3] / "proto"


class LaterOpcode(int):
    """One that this daemon does not know."""

    name = "LATER"


def test_statuses(program: pathlib.Path) -> None:
    with Sandbox(program=program, policy=POLICY) as sandbox, sandbox.client() as client, sandbox.operator() as operator:
        stage = build(sandbox)
        later: Request[None] = Request(LaterOpcode(0x0999), [], None, lambda value, _: None)  # type: ignore[arg-type]
        with pytest.raises(kist.Unsupported):
            client.call(later)
        with pytest.raises(kist.Denied) as denied:
            client.describe_key(bytes(15) + b"\1")
        assert denied.value.audit_sequence is not None
        point = stage.peer()[1]
        for _ in range(16):
            client.ecdh(stage.keys["agreement"], point)
        with pytest.raises(kist.Busy):
            client.ecdh(stage.keys["agreement"], point)
        with pytest.raises(kist.Malformed):
            client.call(Request(kist.Opcode.RANDOM, [b"\x08\x00"], "RandomReply", lambda value, _: None))
        # The daemon has closed the connection, and with it went the handles.
        client.ecdh(stage.keys["agreement"], point)
        with pytest.raises(kist.Rejected) as rejected:
            client.sign(stage.keys["signing"], kist.SignatureScheme.ED25519, b"")
        assert rejected.value.stage == "parameters"
        operator.lock()
        with pytest.raises(kist.Locked):
            client.random(1)
        with pytest.raises(kist.Locked):
            operator.lock()
        assert operator.status().state == "locked"


def test_busy_says_for_how_long(program: pathlib.Path) -> None:
    """[WIRE-24] And a client of before, which does not ask, is told what it was told then."""
    policy = f'[[grant]]\nid = "slow"\nusers = [{os.getuid()}]\noperations = ["describe"]\nrate = "1/h"\n'
    with Sandbox(program=program, policy=policy) as sandbox, sandbox.client() as client:
        client.describe()
        with pytest.raises(kist.Busy) as busy:
            client.with_options(request_id="order-17").describe()
        assert busy.value.retry_after is not None and 3500 < busy.value.retry_after <= 3600
        with pytest.raises(kist.Busy) as before:
            client.call(dataclasses.replace(operations.describe(), flags=0))
        assert before.value.retry_after is None and before.value.audit_sequence
        shown = subprocess.run(
            [program, "audit", "show", sandbox.directory / "audit", "--request", "order-17", "--json"], check=True, capture_output=True
        ).stdout
        assert [json.loads(line)["seq"] for line in shown.splitlines()] == [busy.value.audit_sequence]


def test_killed_restarted_and_without_its_log(program: pathlib.Path) -> None:
    with Sandbox(program=program, policy=POLICY) as sandbox, sandbox.client() as client:

        class Last(Request[kist.Secret]):
            """One before which the daemon is killed."""

            def frame(self, request_id: int) -> bytearray:
                sandbox.kill()
                return super().frame(request_id)

        requests = [operations.random(16) for _ in range(600)]
        requests[500] = Last(**vars(requests[500]))
        results = client.pipeline(requests)
        good = sum(isinstance(result, kist.Secret) for result in results)
        # Up to 32 were in flight.
        assert len(results) == 600 and 500 - 32 <= good <= 500
        assert {type(result) for result in results[good:]} == {kist.Disconnected, kist.Unreachable}
        with pytest.raises(kist.Unreachable):
            client.ping()
        sandbox.start()
        assert len(client.random(16)) == 16
        client.ready()
        displace(sandbox)
        with pytest.raises(kist.AuditUnavailable):
            client.random(1)
        with pytest.raises(kist.AuditUnavailable):
            client.ready()


def test_killed_under_asyncio(program: pathlib.Path) -> None:
    async def main(sandbox: Sandbox) -> None:
        async with sandbox.async_client() as client:
            calls = [asyncio.ensure_future(client.random(16)) for _ in range(5000)]
            await calls[100]
            await asyncio.get_running_loop().run_in_executor(None, sandbox.kill)
            results = await asyncio.gather(*calls, return_exceptions=True)
            kinds = {type(result) for result in results}
            assert kist.Secret in kinds and kinds <= {kist.Secret, kist.Disconnected, kist.Unreachable}
            sandbox.start()
            assert len(await client.random(16)) == 16

    with Sandbox(program=program) as sandbox:
        asyncio.run(main(sandbox))


def test_fixture(kist_client: kist.Client, kist_sandbox: Sandbox) -> None:
    with kist_client.open_payment_token(kist_sandbox.token(amount=7)) as opened:
        assert opened.amount == 7


def test_stock_protobuf(staged: Stage, tmp_path: pathlib.Path) -> None:
    """What stock `protoc` makes of the schema, and the official runtime, speak to the daemon without a line of ours but the frame's."""
    subprocess.run(["protoc", f"--proto_path={PROTO}", f"--python_out={tmp_path}", "kist.proto"], check=True)
    sys.path.insert(0, os.fspath(tmp_path))
    pb: Any = importlib.import_module("kist_pb2")
    sys.path.pop(0)
    token = staged.sandbox.token(amount=1499)
    message = pb.OpenPaymentTokenRequest(
        token=pb.PaymentToken(**vars(token)), release=[pb.LAST4, pb.AMOUNT], expected_currency="840", expected_amount=1499
    )
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect(staged.sandbox.endpoint.removeprefix("unix:"))

        def ask(number: int, opcode: int, body: bytes, key: bytes = bytes(16)) -> tuple[int, bytes]:
            channel.sendall(struct.pack(">IBBHQ16s", 28 + len(body), 1, 0, opcode, number, key) + body)
            (length,) = struct.unpack(">I", channel.recv(4, socket.MSG_WAITALL))
            frame = channel.recv(length, socket.MSG_WAITALL)
            version, status, same_opcode, same_number, _ = struct.unpack_from(">BBHQQ", frame)
            assert (version, same_opcode, same_number) == (1, opcode, number)
            return status, frame[20:]

        status, body = ask(1, pb.OPCODE_RANDOM, pb.RandomRequest(count=16).SerializeToString(deterministic=True))
        assert (status, len(pb.RandomReply.FromString(body).random)) == (pb.STATUS_OK, 16)
        status, body = ask(2, pb.OPCODE_OPEN_PAYMENT_TOKEN, message.SerializeToString(deterministic=True), token.key)
        opened = pb.OpenPaymentTokenReply.FromString(body)
        assert (status, opened.last4, opened.amount, opened.HasField("amount"), opened.dpan) == (pb.STATUS_OK, "4320", 1499, True, "")
        status, body = ask(3, pb.OPCODE_SIGN, pb.SignRequest(scheme=pb.ED25519).SerializeToString(), staged.keys["signing"])
        assert (status, pb.Rejection.FromString(body).stage) == (pb.STATUS_REJECTED, pb.PARAMETERS)
        status, body = ask(4, pb.OPCODE_DESCRIBE, b"")
        description = pb.DescribeReply.FromString(body)
        assert [operation.opcode for operation in description.operations] == [number for number in pb.Opcode.values() if number]
        # What the official runtime decodes it encodes to the same bytes, and so does ours.
        assert description.SerializeToString() == body == b"".join(_codec.encode("DescribeReply", _codec.decode("DescribeReply", memoryview(body))))
