/* A key by its label. */
#include "client.h"

#include <string.h>

static struct kist_bytes text(const char *string) { return (struct kist_bytes){(const uint8_t *)string, strlen(string)}; }

static bool is_destroyed(const struct kist_key_description *key) {
  struct kist_bytes destroyed = text("destroyed");
  return key->state.count == destroyed.count && memcmp(key->state.data, destroyed.data, destroyed.count) == 0;
}

/* Whether a label comes after the last one of the page before, by its bytes; on the first page there was none. */
static bool is_after(struct kist_bytes label, struct kist_bytes before) {
  if (before.count == 0) return true;
  int order = memcmp(label.data, before.data, label.count < before.count ? label.count : before.count);
  return order > 0 || (order == 0 && label.count > before.count);
}

/* Notes the keys of a page that are not destroyed: the id of the first, and how many there are. */
static void count_keys(const struct kist_list_keys_reply *page, uint8_t *key, size_t *found) {
  for (size_t i = 0; i < page->keys_count; i++) {
    if (is_destroyed(&page->keys[i])) continue;
    if (*found == 0) memcpy(key, page->keys[i].id.data, KIST_KEY_ID_SIZE);
    *found += 1;
  }
}

enum kist_result kist_find_key(struct kist *kist, const char *pattern, uint8_t *key, struct kist_buffer room, struct kist_outcome *outcome) {
  if (!pattern || !*pattern) return kist_refuse_call(kist, "pattern is missing", outcome);
  struct kist_call_options options = kist_options_of_next_call(kist);
  struct kist_list_keys_request request = {.pattern = text(pattern)};
  struct kist_list_keys_reply page;
  uint8_t after[KIST_LABEL_MOST];
  size_t found = 0;
  do {
    kist_next_call(kist, &options);
    enum kist_result result = kist_list_keys(kist, &request, &page, room, outcome);
    if (result != KIST_OK) return result;
    count_keys(&page, key, &found);
    if (page.keys_count == 0) break;
    /* The next page takes its place. */
    struct kist_bytes last = page.keys[page.keys_count - 1].label;
    /* [OP-LIST-1]; if the labels did not ascend, the search might never end. */
    if (last.count == 0 || last.count > sizeof(after) || !is_after(last, request.after)) return KIST_E_REPLY;
    memcpy(after, last.data, last.count);
    request.after = (struct kist_bytes){after, last.count};
  } while (page.more && found < 2);
  if (found == 0) return KIST_E_NO_KEY;
  return found == 1 ? KIST_OK : KIST_E_SEVERAL_KEYS;
}
