// TOML through toml++ (libtomlplusplus, https://marzer.github.io/tomlplusplus), flattened: the whole document
// becomes one array of nodes in pre-order; the children of a table or array follow it directly.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KIST_TOML_MAX_BYTES (1 << 20)

enum kist_toml_kind {
  KIST_TOML_TABLE,
  KIST_TOML_ARRAY,
  KIST_TOML_STRING,
  KIST_TOML_INTEGER,
  KIST_TOML_BOOLEAN,
  KIST_TOML_FLOAT,
  KIST_TOML_DATE_OR_TIME,
};

// Lines and columns count from 1, columns in code points. Texts are UTF-8 without a terminating zero and
// belong to the document.
struct kist_toml_node {
  enum kist_toml_kind kind;
  uint32_t line, column;
  // Only for members of a table; empty otherwise.
  const char *key;
  size_t key_length;
  uint32_t key_line, key_column;
  // Only the value that fits the kind is set.
  const char *string;
  size_t string_length;
  int64_t integer;
  bool boolean;
  // The number of direct children of a table or array.
  size_t children;
};

struct kist_toml_error {
  uint32_t line, column;
  char message[256];
};

struct kist_toml_document;

// Recurses as deep as the text nests; the caller must limit that. Returns NULL and fills `error` if the text is not TOML or is longer
// than KIST_TOML_MAX_BYTES.
struct kist_toml_document *kist_toml_parse(const char *text, size_t length, struct kist_toml_error *error);
void kist_toml_free(struct kist_toml_document *document);

size_t kist_toml_count(const struct kist_toml_document *document);
// Node 0 is the root table; `index` must be less than the count.
const struct kist_toml_node *kist_toml_node_at(const struct kist_toml_document *document, size_t index);

#ifdef __cplusplus
}
#endif
