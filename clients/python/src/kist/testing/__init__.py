"""A sandbox daemon for tests: the production daemon on a throw-away directory with a test Apple PKI.

    from kist.testing import Sandbox

    with Sandbox() as sandbox, sandbox.client() as client:
        opened = client.open_payment_token(sandbox.token(amount=1499))

It plays the phone of an issuer's customer, too:

    with Sandbox(config="[limits]\\nconnections = 64\\n") as sandbox:
        answer = post_to_my_host(sandbox.pass_request())
        assert sandbox.pass_open(answer)["pass"]["name"] == "Bob"

With pytest the fixture `kist_sandbox` is one for the whole session; the package registers it by itself.
"""

from .sandbox import Sandbox, SandboxError

__all__ = ["Sandbox", "SandboxError"]
