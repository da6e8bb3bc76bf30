import kist


def renew(client: kist.Client, order: str) -> bytes:
    """Signs for an order; the audit log finds it by `kist audit show --request ORDER`, and so does every error."""
    calls = client.with_options(request_id=order, timeout=2.0)  # the same connection
    key = calls.find_key("orders/*")  # the one key under this label
    return calls.sign(key.id, kist.SignatureScheme.ED25519, order.encode())
