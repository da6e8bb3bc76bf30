"""Client of kistd, the key daemon for Apple Pay.

    import kist

    with kist.Client() as client:  # KIST_ENDPOINT, else unix:/run/kist/kist.sock
        with client.open_payment_token(kist.Token.from_apple(text), currency="840", amount=1499) as opened:
            print(opened.last4, opened.audit_sequence)

`AsyncClient` does the same for asyncio; `kist.testing` starts a sandbox daemon.  Python cannot promise to keep a secret:
see `kist.Secret`.
"""

from . import operations
from ._frame import Request
from .aio import AsyncClient
from .client import Client
from .endpoint import OPERATORS, SERVICES
from .enums import (
    Derivation,
    DigestField,
    EncryptionScheme,
    MacAlgorithm,
    Opcode,
    OtpHash,
    PassConfiguration,
    PassField,
    ReleasedField,
    SignatureScheme,
    Status,
    TokenVersion,
    VisaType,
)
from .errors import (
    ApprovalNeeded,
    AuditUnavailable,
    Busy,
    Denied,
    Disconnected,
    EndpointError,
    Internal,
    KistError,
    Locked,
    Malformed,
    NoSuchKey,
    Refused,
    Rejected,
    ReplyError,
    RequestError,
    SeveralKeys,
    Timeout,
    Unreachable,
    Unsupported,
)
from .models import (
    AccountSurrogate,
    Description,
    EnrolledAuthenticator,
    Handle,
    Key,
    KeyPage,
    MastercardInput,
    OneTimeValue,
    OpenedToken,
    Operation,
    OtherInfo,
    OtpParameters,
    ProvisionedPass,
    ProvisioningTrace,
    Right,
    Rights,
    StatusReport,
    VisaInput,
)
from .secret import Secret
from .token import Token, TokenError

__all__ = [
    "AccountSurrogate",
    "AsyncClient",
    "ApprovalNeeded",
    "AuditUnavailable",
    "Busy",
    "Client",
    "Denied",
    "Derivation",
    "Description",
    "DigestField",
    "Disconnected",
    "EncryptionScheme",
    "EndpointError",
    "EnrolledAuthenticator",
    "Handle",
    "Internal",
    "Key",
    "KeyPage",
    "KistError",
    "Locked",
    "MacAlgorithm",
    "Malformed",
    "MastercardInput",
    "NoSuchKey",
    "OPERATORS",
    "OneTimeValue",
    "Opcode",
    "OpenedToken",
    "Operation",
    "OtherInfo",
    "OtpHash",
    "OtpParameters",
    "PassConfiguration",
    "PassField",
    "ProvisionedPass",
    "ProvisioningTrace",
    "Refused",
    "Rejected",
    "ReleasedField",
    "ReplyError",
    "Request",
    "RequestError",
    "SERVICES",
    "Secret",
    "SeveralKeys",
    "SignatureScheme",
    "Status",
    "Right",
    "Rights",
    "StatusReport",
    "Timeout",
    "Token",
    "TokenError",
    "TokenVersion",
    "Unreachable",
    "Unsupported",
    "VisaInput",
    "VisaType",
    "operations",
]

__version__ = "0.1.0"
