/*
 * kist.h - talk to kistd, the key daemon for Apple Pay.
 *
 * Every operation is one function: it takes a request struct, and fills a reply struct whose values lie in the caller's
 * buffer.  The library keeps no globals, allocates nothing per call and wipes its own copies.
 *
 *     struct kist *kist;
 *     if (kist_open(&kist, NULL, NULL) != KIST_OK) ...              // KIST_ENDPOINT, or /run/kist/kist.sock
 *     uint8_t room[1024];
 *     struct kist_random_reply reply;
 *     enum kist_result result = kist_random(kist, &(struct kist_random_request){.count = 16}, &reply, KIST_ROOM(room), NULL);
 *
 * A handle is one connection with a lock: threads that share it wait for one another, at most until their time-out (KIST_E_TIMEOUT,
 * without a request id).  To avoid that, open a handle for each thread.  After fork() the child's first call opens a new connection.
 *
 * Fields have the names and sizes of proto/kist.proto and proto/PROTOCOL.md; kist(3) says the rest.
 */
#ifndef KIST_H
#define KIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define KIST_KEY_ID_SIZE 16
#define KIST_HANDLE_SIZE 16
#define KIST_RETRY_KEY_SIZE 16
/* The most bytes of a key's label, and of a pattern of labels. */
#define KIST_LABEL_MOST 128
/* The audit sequence if there is no audit record. */
#define KIST_UNAUDITED UINT64_MAX
/* Requests that may be submitted and not collected yet. */
#define KIST_IN_FLIGHT 32
/* Room for any reply. */
#define KIST_REPLY_MOST (1024 * 1024)

/* The result of a call: a status from the daemon, or, if negative, an error of this library. */
enum kist_result {
  KIST_OK = 0,
  KIST_MALFORMED = 1,
  KIST_UNSUPPORTED = 2,
  KIST_DENIED = 3,
  KIST_REJECTED = 4,
  KIST_BUSY = 5,
  KIST_LOCKED = 6,
  KIST_AUDIT_UNAVAILABLE = 7,
  KIST_INTERNAL = 8,
  KIST_APPROVAL_NEEDED = 9, /* an operator must approve; the same request, sent again, is then carried out once */

  KIST_E_ENDPOINT = -1,     /* the endpoint is not unix:/PATH */
  KIST_E_UNREACHABLE = -2,  /* nobody answers there; the outcome has the errno */
  KIST_E_DISCONNECTED = -3, /* the connection ended before the reply: the request may have been carried out */
  KIST_E_TIMEOUT = -4,      /* no reply before the time-out: the request may have been carried out */
  KIST_E_REQUEST = -5,      /* the request exceeds a bound of the protocol, or has no place for its reply; nothing was sent */
  KIST_E_REPLY = -6,        /* the reply violates the protocol; the connection was closed */
  KIST_E_ROOM = -7,         /* the reply is larger than its buffer; the request was carried out */
  KIST_E_ORDER = -8,        /* requests that were submitted must be collected first, or there are none to collect */
  KIST_E_FULL = -9,         /* no more requests may be in flight: collect one, then submit again */
  KIST_E_MEMORY = -10,      /* no memory, or none that can be kept from a child */
  KIST_E_NO_KEY = -11,      /* kist_find_key: no key has such a label, or none that the caller may list */
  KIST_E_SEVERAL_KEYS = -12 /* kist_find_key: more than one key has such a label */
};

/* Room for a request's short name and its end. */
#define KIST_NAME_ROOM 17
/* Bytes of the text that says which bound a request broke, its zero included. */
#define KIST_BREACH_ROOM 192

/* A connection; see kist_open. */
struct kist;

/* Bytes that somebody else owns; a count of 0 stands for an absent field. */
struct kist_bytes {
  const uint8_t *data;
  size_t count;
};

/* A number that can be present and zero. */
struct kist_optional {
  bool present;
  uint64_t value;
};

/* Holds a reply's values, which live as long as the buffer; its owner must wipe them. */
struct kist_buffer {
  uint8_t *data;
  size_t capacity;
};

/* Makes room for a reply from an array, and text from a literal. */
#ifdef __cplusplus
#define KIST_ROOM(array) (kist_buffer{(array), sizeof(array)})
#define KIST_TEXT(text) (kist_bytes{reinterpret_cast<const uint8_t *>(text), sizeof(text) - 1})
#else
#define KIST_ROOM(array) ((struct kist_buffer){(array), sizeof(array)})
#define KIST_TEXT(text) ((struct kist_bytes){(const uint8_t *)(text), sizeof(text) - 1})
#endif

/* What the daemon or the system reported besides the result; any pointer to an outcome may be NULL. */
struct kist_outcome {
  uint64_t audit_sequence; /* quote it to the operator; KIST_UNAUDITED if there is none */
  uint64_t request_id;     /* of the request, and of its audit record: kist audit show --request; 0 if nothing was sent */
  uint32_t stage;          /* of a rejection, if policy shows stages or a required field is at fault: see kist_stage_name; else 0 */
  uint32_t field;          /* of the pass that the stage is about, PassField of kist.proto; else 0 */
  uint32_t released_field; /* the required one that is not released, enum kist_released_field; else 0 */
  char request[KIST_NAME_ROOM]; /* of KIST_APPROVAL_NEEDED: what the operator approves by; else empty */
  uint64_t until;          /* of KIST_APPROVAL_NEEDED: seconds since 1970; else 0 */
  uint32_t retry_after_ms; /* of KIST_BUSY: when to try again, as far as the daemon knows; else 0 */
  int system_error;        /* errno of KIST_E_UNREACHABLE and KIST_E_DISCONNECTED, else 0 */
  size_t needed;           /* of KIST_E_ROOM: the bytes of room that the whole reply needs, else 0 */
  char breach[KIST_BREACH_ROOM]; /* of KIST_E_REQUEST and KIST_MALFORMED: which field broke which bound, such as "token.transaction_id has 31 bytes; it takes 32" */
};

struct kist_options {
  int timeout_ms; /* for one request, with connecting and with waiting for other threads: 0 for 10 s, negative for none */
};

/* What holds for one call alone; a field that is zero stands for the handle's own. */
struct kist_call_options {
  uint64_t request_id; /* the audit record's; the handle's own count from 1 */
  int timeout_ms;      /* negative for none */
};

/*
 * Opens a handle.  The endpoint is `unix:/PATH`; NULL means the environment's KIST_ENDPOINT, else
 * unix:/run/kist/kist.sock.  It connects at once, and again before a request if the connection has ended; no request is ever
 * sent twice but by kist_open_payment_token_retrying and kist_open_envelope_retrying.  Returns KIST_OK, KIST_E_ENDPOINT, KIST_E_UNREACHABLE (errno says why) or KIST_E_MEMORY.
 */
enum kist_result kist_open(struct kist **kist, const char *endpoint, const struct kist_options *options);

/* Ends the connection, wipes and frees the handle; NULL is allowed. No other call on it may be under way. */
void kist_close(struct kist *kist);

/*
 * What holds for the handle's next call, whatever its result, or for the next request that is submitted and for collecting its reply.
 * Threads that share a handle would meet each other's: give each its own.
 */
void kist_next_call(struct kist *kist, const struct kist_call_options *options);

/* Such as "denied"; never NULL. */
const char *kist_result_name(enum kist_result result);
/* Such as "signing-time"; "unknown" for a number this library does not know. */
const char *kist_stage_name(uint32_t stage);
/* "MAJOR.MINOR.PATCH" of the library. */
const char *kist_version(void);

/* Of a released field, its bit in `release` and `required`; no bit asks for all that is granted. */
#define KIST_RELEASE(field) (UINT32_C(1) << (field))

/*
 * Numbers, messages and operations, as proto/kist.proto has them.
 *
 * An operation takes the id of a key, KIST_KEY_ID_SIZE bytes; NULL means no key, if the operation allows that, and for
 * kist_open_payment_token the key that the token names.  The reply's values lie in `room`.  The outcome may be NULL.  A handle in a
 * reply refers to a secret in the daemon, and ends with this connection.  kist_status, kist_unlock, kist_lock and kist_import_key are for
 * operators, on their own socket: unix:/run/kist/admin.sock.
 */
#include "kist_protocol.h"

/* The id, KIST_KEY_ID_SIZE bytes, of the one key whose label the pattern covers; destroyed keys are passed over.  `room` takes a page of
 * the listing.  KIST_E_NO_KEY or KIST_E_SEVERAL_KEYS if there is not exactly one. */
enum kist_result kist_find_key(struct kist *kist, const char *pattern, uint8_t *key, struct kist_buffer room, struct kist_outcome *outcome);
/* Fills KIST_RETRY_KEY_SIZE bytes at random; false if the kernel has none.  With such a key as `retry_key` the same user can send the
 * very same request again after a lost reply, for as long as the merchant's retry_window.  Use each for one payment alone. */
bool kist_make_retry_key(uint8_t *key);
/* Opens a token with a retry key, and if the reply is lost (KIST_E_DISCONNECTED, KIST_E_TIMEOUT) sends the same once more, on a new
 * connection and with a new time-out.  If the daemon then cannot be reached, is locked, or serves nobody (KIST_AUDIT_UNAVAILABLE, or KIST_BUSY
 * without a wait), the result and the outcome are the first one's, for it may have been carried out.  After either error, and after KIST_BUSY,
 * the call can be made again with the same request. */
enum kist_result kist_open_payment_token_retrying(struct kist *kist, const uint8_t *key, const struct kist_open_payment_token_request *request,
                                                  struct kist_open_payment_token_reply *reply, struct kist_buffer room,
                                                  struct kist_outcome *outcome);
/* Opens an envelope with a retry key, as kist_open_payment_token_retrying a token: also one that opens once. */
enum kist_result kist_open_envelope_retrying(struct kist *kist, const uint8_t *key, const struct kist_open_envelope_request *request,
                                             struct kist_open_payment_token_reply *reply, struct kist_buffer room,
                                             struct kist_outcome *outcome);

/*
 * JWS in compact serialisation (RFC 7515 §7.1) over kist_sign: the algorithm follows from the scheme, and the header has no members
 * but these. NULL and 0 are left out; texts are printable ASCII without " and \.
 */
struct kist_jws_header {
  const char *kid, *typ, *cty, *iss, *aud;
  uint64_t iat, exp, nbf; /* seconds since 1970 */
};
#define KIST_JWS_HEADER_MOST 2048
/*
 * Writes what kist_sign is to sign into `out`, and returns its size; 0 if JWS has no name for the scheme (enum kist_signature_scheme),
 * if the header has a text that it must not have, or if `size` is too small.
 */
size_t kist_jws_input(uint32_t scheme, const struct kist_jws_header *header, const uint8_t *payload, size_t payload_size, char *out, size_t size);
/* Makes the JWS of the `count` bytes of such an input, in place, and returns its size; 0 if `size` is too small. There is no zero byte at its end. */
size_t kist_jws_compact(char *input, size_t count, size_t size, const uint8_t *signature, size_t signature_size);

/*
 * Pipelining: several requests, then their replies in the same order.  `request` is the operation's request struct, or
 * NULL if it has none.  Any other call in between fails with KIST_E_ORDER, so give each thread that pipelines its own
 * handle.  A request that is submitted waits in the handle until kist_collect or kist_flush sends all that wait at once:
 * so they are read together, and share one commit of the daemon's audit log.  kist_close drops what was not sent.
 */
/* It has no outcome, so there is no `breach` of its KIST_E_REQUEST and no `system_error` of its KIST_E_UNREACHABLE: the operation's function says more. */
enum kist_result kist_submit(struct kist *kist, enum kist_operation operation, const uint8_t *key, const void *request);
/* Sends what was submitted, for a caller who has something else to do before the first kist_collect. */
enum kist_result kist_flush(struct kist *kist);
/* Sends what was submitted, and waits for the oldest reply. `reply` is the reply struct of the operation that was submitted, or NULL if it has none. */
enum kist_result kist_collect(struct kist *kist, void *reply, struct kist_buffer room, struct kist_outcome *outcome);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
