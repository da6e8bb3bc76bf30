from kist.testing import Sandbox

with Sandbox() as sandbox, sandbox.client() as client:  # kist and kistd in PATH, or KIST_PROGRAM
    opened = client.open_payment_token(sandbox.token(amount=1499))
    assert opened.amount == 1499
