/* Numbers as text. */
#include "names.h"

#include "../kist.h"

/* PROTOCOL.md section 4, Stages. */
static const char *const stages[] = {
    [1] = "format",
    [2] = "version",
    [3] = "cms",
    [4] = "leaf-marker",
    [5] = "intermediate-marker",
    [6] = "extra-certificate",
    [7] = "chain",
    [8] = "signer",
    [9] = "algorithm",
    [10] = "signed-attributes",
    [11] = "message-digest",
    [12] = "signature",
    [13] = "certificate-validity",
    [14] = "signing-time",
    [15] = "public-key-hash",
    [16] = "replay",
    [17] = "key-agreement",
    [18] = "tag",
    [19] = "plaintext",
    [20] = "expectation",
    [21] = "passphrase",
    [22] = "key-import",
    [26] = "key-block",
    [27] = "key-export",
    [28] = "not-released",
    [30] = "peer-key",
    [31] = "parameters",
    [32] = "envelope",
    [33] = "invocations",
    [34] = "mac",
    [35] = "unwrap",
    [50] = "encryption-scheme",
    [51] = "missing-field",
    [52] = "surplus-field",
    [53] = "field-value",
    [54] = "issuer-certificate",
    [55] = "issuer-leaf-marker",
    [56] = "issuer-chain-length",
    [57] = "issuer-intermediate-marker",
    [58] = "issuer-intermediate-name",
    [59] = "issuer-chain",
    [60] = "issuer-key-usage",
    [61] = "issuer-critical-extension",
    [62] = "issuer-leaf-curve",
    [63] = "issuer-validity",
    [64] = "otp-input",
    [65] = "otp-key-expired",
    [66] = "otp-code",
    [67] = "otp-locked",
    [68] = "otp-not-restored",
    [69] = "otp-home",
    [70] = "stand-in-key",
    [71] = "pan",
    [72] = "stand-in",
    [73] = "expired",
    [74] = "envelope-used",
    [75] = "partner-key",
    [76] = "claims",
};

bool kist_stage_is_known(uint32_t stage) { return stage < sizeof(stages) / sizeof(stages[0]) && stages[stage]; }

const char *kist_stage_name(uint32_t stage) { return kist_stage_is_known(stage) ? stages[stage] : "unknown"; }

const char *kist_result_name(enum kist_result result) {
  switch (result) {
    case KIST_OK: return "ok";
    case KIST_MALFORMED: return "malformed";
    case KIST_UNSUPPORTED: return "unsupported";
    case KIST_DENIED: return "denied";
    case KIST_REJECTED: return "rejected";
    case KIST_BUSY: return "busy";
    case KIST_LOCKED: return "locked";
    case KIST_AUDIT_UNAVAILABLE: return "audit-unavailable";
    case KIST_INTERNAL: return "internal";
    case KIST_APPROVAL_NEEDED: return "approval-needed";
    case KIST_E_ENDPOINT: return "the endpoint is not unix:/PATH";
    case KIST_E_UNREACHABLE: return "the daemon cannot be reached";
    case KIST_E_DISCONNECTED: return "the connection ended before the reply";
    case KIST_E_TIMEOUT: return "the reply did not come in time";
    case KIST_E_REQUEST: return "the request breaks a bound of the protocol";
    case KIST_E_REPLY: return "the reply breaks the protocol";
    case KIST_E_ROOM: return "the reply is larger than its buffer";
    case KIST_E_ORDER: return "submitted requests are to be collected first, or there are none";
    case KIST_E_FULL: return "as much is in flight as may be";
    case KIST_E_MEMORY: return "no memory";
    case KIST_E_NO_KEY: return "no key has such a label, or none that may be listed";
    case KIST_E_SEVERAL_KEYS: return "several keys have such labels";
  }
  return "unknown";
}

const char *kist_version(void) { return KIST_VERSION; }
