#include "CToml.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

// The parser's own assertions fail for some texts that are merely wrong, such as "[[[a]]". Turned into exceptions, they refuse the
// text instead of ending the process; with exceptions enabled the parser can be left safely from anywhere.
struct broken_assertion {};
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : throw broken_assertion{})
#ifdef NDEBUG
#error "toml++ would take its assertions for granted"
#endif
#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

struct kist_toml_document {
  toml::table root;
  std::vector<kist_toml_node> nodes;
};

namespace {

void flatten(const toml::node &node, const toml::key *key, std::vector<kist_toml_node> &nodes) {
  kist_toml_node flat = {};
  flat.line = node.source().begin.line;
  flat.column = node.source().begin.column;
  if (key) {
    flat.key = key->data();
    flat.key_length = key->length();
    flat.key_line = key->source().begin.line;
    flat.key_column = key->source().begin.column;
  }
  if (auto table = node.as_table()) {
    flat.kind = KIST_TOML_TABLE;
    flat.children = table->size();
    nodes.push_back(flat);
    for (auto &&[name, child] : *table) flatten(child, &name, nodes);
    return;
  }
  if (auto array = node.as_array()) {
    flat.kind = KIST_TOML_ARRAY;
    flat.children = array->size();
    nodes.push_back(flat);
    for (auto &&child : *array) flatten(child, nullptr, nodes);
    return;
  }
  if (auto string = node.as_string()) {
    flat.kind = KIST_TOML_STRING;
    flat.string = string->get().data();
    flat.string_length = string->get().size();
  } else if (auto integer = node.as_integer()) {
    flat.kind = KIST_TOML_INTEGER;
    flat.integer = integer->get();
  } else if (auto boolean = node.as_boolean()) {
    flat.kind = KIST_TOML_BOOLEAN;
    flat.boolean = boolean->get();
  } else {
    flat.kind = node.is_floating_point() ? KIST_TOML_FLOAT : KIST_TOML_DATE_OR_TIME;
  }
  nodes.push_back(flat);
}

void fill(kist_toml_error *error, uint32_t line, uint32_t column, std::string_view message) {
  error->line = line;
  error->column = column;
  size_t length = std::min(message.size(), sizeof error->message - 1);
  memcpy(error->message, message.data(), length);
  error->message[length] = '\0';
}

}  // namespace

kist_toml_document *kist_toml_parse(const char *text, size_t length, kist_toml_error *error) {
  if (length > KIST_TOML_MAX_BYTES) {
    fill(error, 1, 1, "the file is longer than 1 MiB");
    return nullptr;
  }
  try {
    auto *document = new kist_toml_document{toml::parse(std::string_view(text, length)), {}};
    flatten(document->root, nullptr, document->nodes);
    return document;
  } catch (const toml::parse_error &failure) {
    fill(error, failure.source().begin.line, failure.source().begin.column, failure.description());
  } catch (const broken_assertion &) {
    fill(error, 1, 1, "a key, a table's name or a value is malformed");
  } catch (const std::exception &) {
    // For example, out of memory. No exception may reach a caller that is not C++.
    fill(error, 1, 1, "the file cannot be taken in");
  }
  return nullptr;
}

void kist_toml_free(kist_toml_document *document) { delete document; }

size_t kist_toml_count(const kist_toml_document *document) { return document->nodes.size(); }

const kist_toml_node *kist_toml_node_at(const kist_toml_document *document, size_t index) { return &document->nodes[index]; }
