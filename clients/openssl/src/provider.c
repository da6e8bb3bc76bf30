/* Where OpenSSL comes in. */
#include "provider.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void raise_said(const char *format, ...) {
  char text[256];
  va_list words;
  va_start(words, format);
  vsnprintf(text, sizeof text, format, words);
  va_end(words);
  ERR_raise_data(ERR_LIB_PROV, ERR_R_OPERATION_FAIL, "kist: %s", text);
}

void raise_refused(const char *tried, enum kist_result result, const struct kist_outcome *outcome) {
  if (outcome->audit_sequence == KIST_UNAUDITED)
    raise_said("%s: %s", tried, kist_result_name(result));
  else
    raise_said("%s: %s (audit record %llu)", tried, kist_result_name(result), (unsigned long long)outcome->audit_sequence);
}

static const OSSL_PARAM *gettable_params(void *provider) {
  (void)provider;
  static const OSSL_PARAM params[] = {
    OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_NAME, NULL, 0), OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_VERSION, NULL, 0),
    OSSL_PARAM_int(OSSL_PROV_PARAM_STATUS, NULL), OSSL_PARAM_END,
  };
  return params;
}

static int get_params(void *provider, OSSL_PARAM params[]) {
  (void)provider;
  OSSL_PARAM *param;
  if ((param = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_NAME)) && !OSSL_PARAM_set_utf8_ptr(param, "Kist")) return 0;
  if ((param = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_VERSION)) && !OSSL_PARAM_set_utf8_ptr(param, kist_version())) return 0;
  if ((param = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_STATUS)) && !OSSL_PARAM_set_int(param, 1)) return 0;
  return 1;
}

static const OSSL_ALGORITHM *query(void *provider, int operation, int *no_cache) {
  (void)provider;
  *no_cache = 0;
  switch (operation) {
  case OSSL_OP_KEYMGMT: return key_managers;
  case OSSL_OP_DECODER: return decoders;
  case OSSL_OP_SIGNATURE: return signatures;
  default: return NULL;
  }
}

static void teardown(void *context) {
  struct provider *provider = context;
  OSSL_LIB_CTX_free(provider->own);
  free(provider);
}

static const OSSL_DISPATCH functions[] = {
  {OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))teardown},
  {OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))gettable_params},
  {OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))get_params},
  {OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query},
  {0, NULL},
};

OSSL_provider_init_fn OSSL_provider_init;

__attribute__((visibility("default"))) int OSSL_provider_init(
    const OSSL_CORE_HANDLE *core, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out, void **context) {
  struct provider *provider = calloc(1, sizeof *provider);
  if (!provider) return 0;
  (void)core;
  for (; in->function_id; in++) {
    if (in->function_id == OSSL_FUNC_BIO_READ_EX) provider->read = OSSL_FUNC_BIO_read_ex(in);
    if (in->function_id == OSSL_FUNC_BIO_GETS) provider->gets = OSSL_FUNC_BIO_gets(in);
  }
  provider->own = OSSL_LIB_CTX_new();
  // With a provider named, a context loads no configuration: OpenSSL's own serves, and this one is not found in it.
  if (!provider->read || !provider->gets || !provider->own || !OSSL_PROVIDER_load(provider->own, "default")) {
    teardown(provider);
    return 0;
  }
  *out = functions;
  *context = provider;
  return 1;
}
