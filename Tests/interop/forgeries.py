"""Tokens that are wrong in one way each, made with OpenSSL and Node's own cryptography, and what Kist makes of them: the last column of docs/from."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "clients/python/src"))

from kist.testing import Sandbox  # noqa: E402

PROGRAM = os.environ.get("KIST_PROGRAM") or str(ROOT / ".build/debug/kist")
POLICY = f"""
[[grant]]
id = "forgeries"
users = [{os.getuid()}]
operations = ["open-payment-token"]
keys = ["merchant/*"]
release = ["amount"]
stages = true
"""
EXPECTED = """\
genuine opened, amount 1499
genuine refused: replay
altered-amount refused: message-digest
without-apple refused: message-digest
application-data refused: message-digest
self-made-intermediate refused: chain
test-root refused: chain
stale refused: signing-time
"""


def main() -> None:
    forgeries = ROOT / "Tests/forgeries"
    with tempfile.TemporaryDirectory() as folder, Sandbox(program=PROGRAM, policy=POLICY) as sandbox:
        subprocess.run(["node", forgeries / "forge.mjs", PROGRAM, sandbox.directory, folder], check=True)
        found = subprocess.run(["node", forgeries / "kist.mjs", sandbox.endpoint, folder], check=True, capture_output=True, text=True).stdout
    assert found == EXPECTED, found
    outcomes = [re.sub(r", amount.*|^\S+ ", "", line) for line in EXPECTED.splitlines()]
    pages = [page for page in sorted((ROOT / "docs/from").glob("*.md")) if "Tests/forgeries" in page.read_text()]
    for page in pages:
        rows = re.findall(r"^\| .* \| (opened|refused: `.*`) \|$", page.read_text(), re.MULTILINE)
        assert [row.replace("`", "") for row in rows] == outcomes, f"{page.name}: {rows}"
    print(f"{len(outcomes)} tokens, as {len(pages)} pages say")


if __name__ == "__main__":
    main()
