#ifndef KIST_ENDPOINT_H
#define KIST_ENDPOINT_H

/* The path in `unix:/PATH`; NULL for any other text. */
const char *kist_endpoint_path(const char *endpoint);
/* The path of the environment's endpoint; the services' socket if there is none. */
const char *kist_endpoint_from_environment(void);

#endif
