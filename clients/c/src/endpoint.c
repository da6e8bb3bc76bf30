#include "endpoint.h"

#include <stdlib.h>
#include <string.h>

static const char scheme[] = "unix:";

const char *kist_endpoint_path(const char *endpoint) {
  size_t length = sizeof(scheme) - 1;
  if (strncmp(endpoint, scheme, length) != 0 || endpoint[length] != '/') return NULL;
  return endpoint + length;
}

const char *kist_endpoint_from_environment(void) {
  /* Ignored in a set-user-id program, whose caller must not choose whom the program trusts. */
  const char *endpoint = secure_getenv("KIST_ENDPOINT");
  return endpoint && *endpoint ? kist_endpoint_path(endpoint) : "/run/kist/kist.sock";
}
