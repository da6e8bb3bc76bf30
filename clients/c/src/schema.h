/* The bodies of replies that are no success. Written by proto/generate.py from kist.proto: do not edit. */
#ifndef KIST_SCHEMA_H
#define KIST_SCHEMA_H

#include "../kist.h"

/* Body of a `malformed` reply where the request's body is at fault. */
struct kist_malformation {
  struct kist_bytes why; /* a sentence that names the field and the bound */
};

/* Body of a `busy` reply to a request that asks for it. */
struct kist_busy {
  uint32_t retry_after; /* milliseconds */
};

/* Body of a `rejected` reply where the caller's grant shows stages, and where a required field is not
 * released. */
struct kist_rejection {
  uint32_t stage; /* enum kist_stage; at which check */
  uint32_t field; /* enum kist_pass_field; where the stage is about one */
  uint32_t released_field; /* enum kist_released_field; the required field that is not released */
};

/* The body of a reply with status APPROVAL_NEEDED. */
struct kist_approval_needed {
  struct kist_bytes request; /* the request's short name, eight digits of hexadecimal */
  uint64_t until; /* seconds since 1970 */
};

#endif
