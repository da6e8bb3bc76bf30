import kist


def pay(text: str) -> str:
    """Opens Apple's token, and hands number and cryptogram to the acquirer."""
    with kist.Client() as client:  # KIST_ENDPOINT, else unix:/run/kist/kist.sock
        token = kist.Token.from_apple(text)
        with client.open_payment_token(token, currency="840", amount=1499) as opened:
            if opened.dpan is None or opened.cryptogram is None:
                raise PermissionError("policy does not release what a payment needs")
            return charge(opened.dpan.text(), opened.cryptogram.text())


def charge(number: str, cryptogram: str) -> str:
    """Your acquirer's."""
    return f"charged a card that ends in {number[-4:]}"
