/* Numbers as text. */
#include "names.h"

#include "../kist.h"

bool kist_stage_is_known(uint32_t stage) { return stage < kist_stages_count && kist_stages[stage]; }

const char *kist_stage_name(uint32_t stage) { return kist_stage_is_known(stage) ? kist_stages[stage] : "unknown"; }

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
