/* kistd's keys, as far as the caller may see them, and what it may do with each. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

/* Keys and rights are asked for again after so many milliseconds, if somebody looks for an object. */
#define FRESH 1000

struct role {
  const char *name;
  unsigned uses;
};

/* Of the roles that PKCS#11 has something for; others show their public keys and certificates alone. */
static const struct role roles[] = {
  {"signing-ecdsa", USE_SIGN | USE_VERIFY},     {"signing-rsa", USE_SIGN | USE_VERIFY},
  {"signing-ed25519", USE_SIGN | USE_VERIFY},   {"merchant-identity-rsa", USE_SIGN},
  {"agreement", USE_DERIVE},                    {"unwrapping-rsa", USE_UNWRAP},
  {"mac-hmac-sha256", USE_MAC | USE_VERIFY_MAC}, {"mac-hmac-sha384", USE_MAC | USE_VERIFY_MAC},
  {"mac-hmac-sha512", USE_MAC | USE_VERIFY_MAC}, {"mac-cmac", USE_MAC | USE_VERIFY_MAC},
};

static const struct {
  const char *operation;
  enum use use;
} operations[] = {
  {"sign", USE_SIGN}, {"verify", USE_VERIFY}, {"mac", USE_MAC}, {"verify-mac", USE_VERIFY_MAC}, {"ecdh", USE_DERIVE}, {"unwrap", USE_UNWRAP},
};

static bool is_text(struct kist_bytes bytes, const char *text) { return bytes.count == strlen(text) && !memcmp(bytes.data, text, bytes.count); }

static bool begins(struct kist_bytes bytes, const char *text) {
  size_t count = strlen(text);
  return bytes.count >= count && !memcmp(bytes.data, text, count);
}

static unsigned uses_of_role(struct kist_bytes name) {
  for (size_t at = 0; at < sizeof roles / sizeof *roles; at++)
    if (is_text(name, roles[at].name)) return roles[at].uses;
  return 0;
}

static enum kind kind_of(const struct kist_key_description *key, CK_ULONG *bits) {
  static const struct {
    const char *algorithm, *role;
    enum kind kind;
    CK_ULONG bits;
  } kinds[] = {
    {"P-256", "", KIND_P256, 256}, {"P-384", "", KIND_P384, 384}, {"Ed25519", "", KIND_ED25519, 255},
    {"HMAC-SHA-256", "mac-", KIND_HMAC256, 0}, {"HMAC-SHA-384", "mac-", KIND_HMAC384, 0}, {"HMAC-SHA-512", "mac-", KIND_HMAC512, 0},
    {"AES-256", "mac-", KIND_AES, 256},
  };
  *bits = 0;
  if (begins(key->algorithm, "RSA-")) {
    for (size_t at = 4; at < key->algorithm.count; at++) *bits = *bits * 10 + (CK_ULONG)(key->algorithm.data[at] - '0');
    return KIND_RSA;
  }
  for (size_t at = 0; at < sizeof kinds / sizeof *kinds; at++) {
    if (!is_text(key->algorithm, kinds[at].algorithm) || !begins(key->role, kinds[at].role)) continue;
    *bits = kinds[at].bits;
    return kinds[at].kind;
  }
  return KIND_NONE;
}

/* As policy's key patterns are: a label, or the beginning of one before a star. */
static bool covers(struct kist_bytes pattern, struct kist_bytes label) {
  bool is_prefix = pattern.count && pattern.data[pattern.count - 1] == '*';
  size_t count = is_prefix ? pattern.count - 1 : pattern.count;
  return (is_prefix ? label.count >= count : label.count == count) && (!count || !memcmp(pattern.data, label.data, count));
}

static unsigned uses_of_grants(const struct kist_who_reply *who, struct kist_bytes label) {
  unsigned uses = 0;
  for (size_t at = 0; at < who->rights_count; at++) {
    const struct kist_right *right = &who->rights[at];
    bool is_covered = false;
    for (size_t key = 0; key < right->keys_count && !is_covered; key++) is_covered = covers(right->keys[key], label);
    if (!is_covered) continue;
    for (size_t place = 0; place < right->operations_count; place++)
      for (size_t known = 0; known < sizeof operations / sizeof *operations; known++)
        if (is_text(right->operations[place], operations[known].operation)) uses |= operations[known].use;
  }
  return uses;
}

/* What of it the key's state allows: a retired one makes nothing new. */
static unsigned uses_of_state(struct kist_bytes state) {
  if (is_text(state, "active")) return ~0U;
  return is_text(state, "retired") ? USE_VERIFY | USE_VERIFY_MAC | USE_UNWRAP | USE_DERIVE : 0;
}

/* One listing: everything that is needed to ask without the lock. */
struct listing {
  struct kist *kist;
  struct kist_who_reply who;
  bool knows_rights;
  struct key *keys;
  size_t count, room;
  uint8_t *who_room, *page_room;
};

static void end_listing(struct listing *listing) {
  if (!listing) return;
  kist_close(listing->kist);
  free(listing->keys);
  free(listing->who_room);
  free(listing->page_room);
  free(listing);
}

static bool add_key(struct listing *listing, const struct kist_key_description *described) {
  struct key key = {.is_listed = true};
  if (described->id.count != sizeof key.id || described->label.count > KIST_LABEL_MOST) return true;
  if ((key.kind = kind_of(described, &key.bits)) == KIND_NONE) return true;
  if (is_text(described->state, "destroyed") || is_text(described->state, "compromised")) return true;
  memcpy(key.id, described->id.data, sizeof key.id);
  memcpy(key.label, described->label.data, described->label.count);
  key.uses = uses_of_role(described->role) & uses_of_state(described->state);
  if (listing->knows_rights) key.uses &= uses_of_grants(&listing->who, described->label);
  if (!grow(&listing->keys, &listing->room, listing->count, sizeof key)) return false;
  listing->keys[listing->count++] = key;
  return true;
}

/* `who` needs a grant, and so may be refused: then a key's role alone says what it is for. */
static CK_RV ask_rights(struct listing *listing) {
  struct kist_outcome outcome;
  enum kist_result answer = kist_who(listing->kist, &listing->who, (struct kist_buffer){listing->who_room, KIST_REPLY_MOST}, &outcome);
  listing->knows_rights = answer == KIST_OK && !listing->who.more;
  return answer == KIST_OK || answer == KIST_DENIED ? CKR_OK : refusal("who", answer, &outcome);
}

/* KIST_PKCS11_KEYS has a pattern, as policy has them, for programs that stop at a key that they do not know, or with too many. */
static CK_RV ask_keys(struct listing *listing) {
  const char *named = secure_getenv("KIST_PKCS11_KEYS"), *pattern = named ? named : "";
  struct kist_list_keys_reply *page = malloc(sizeof *page);
  char after[KIST_LABEL_MOST];
  size_t count = 0;
  CK_RV result = page ? CKR_OK : CKR_HOST_MEMORY;
  for (bool has_more = true; result == CKR_OK && has_more; has_more = page->more && page->keys_count) {
    struct kist_list_keys_request request = {.pattern = {(const uint8_t *)pattern, strlen(pattern)}, .after = {(const uint8_t *)after, count}};
    struct kist_outcome outcome;
    enum kist_result answer =
      kist_list_keys(listing->kist, &request, page, (struct kist_buffer){listing->page_room, KIST_REPLY_MOST}, &outcome);
    if (answer != KIST_OK) {
      // Who may list nothing has no objects.
      result = answer == KIST_DENIED ? (complain("list-keys", answer, &outcome), CKR_OK) : refusal("list-keys", answer, &outcome);
      break;
    }
    for (size_t at = 0; at < page->keys_count && result == CKR_OK; at++)
      if (!add_key(listing, &page->keys[at])) result = CKR_HOST_MEMORY;
    if (!page->keys_count) continue;
    struct kist_bytes last = page->keys[page->keys_count - 1].label;
    count = last.count < sizeof after ? last.count : sizeof after;
    memcpy(after, last.data, count);
  }
  free(page);
  return result;
}

/* A connection of its own: on a shared one, requests of others could not come between those that are pipelined. */
static CK_RV begin_listing(CK_SESSION_HANDLE handle, struct listing **begun, bool only_if_old) {
  *begun = NULL;
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  struct session *session = session_of(handle);
  struct slot *slot = session ? slot_of(session->slot + 1) : NULL;
  bool is_fresh = slot && only_if_old && slot->listed_at && milliseconds() - slot->listed_at < FRESH;
  char *endpoint = NULL;
  if (!slot)
    result = CKR_SESSION_HANDLE_INVALID;
  else if (!is_fresh && !(endpoint = strdup(slot->endpoint)))
    result = CKR_HOST_MEMORY;
  module_unlock();
  if (result != CKR_OK || !endpoint) return result;
  struct listing *listing = calloc(1, sizeof *listing);
  if (listing) *listing = (struct listing){.who_room = malloc(KIST_REPLY_MOST), .page_room = malloc(KIST_REPLY_MOST)};
  if (!listing || !listing->who_room || !listing->page_room) {
    result = CKR_HOST_MEMORY;
  } else {
    enum kist_result answer = kist_open(&listing->kist, endpoint, NULL);
    if (answer != KIST_OK) result = refusal("connect", answer, &(struct kist_outcome){.audit_sequence = KIST_UNAUDITED});
  }
  free(endpoint);
  if (result == CKR_OK)
    *begun = listing;
  else
    end_listing(listing);
  return result;
}

/* Mostly where it was the last time. */
static struct key *find(const struct slot *slot, const uint8_t *id, size_t guess) {
  if (guess < slot->keys_count && !memcmp(slot->keys[guess]->id, id, KIST_KEY_ID_SIZE)) return slot->keys[guess];
  for (size_t at = 0; at < slot->keys_count; at++)
    if (!memcmp(slot->keys[at]->id, id, KIST_KEY_ID_SIZE)) return slot->keys[at];
  return NULL;
}

static bool append(struct slot *slot, const struct key *listed) {
  if (!grow(&slot->keys, &slot->keys_room, slot->keys_count, sizeof *slot->keys)) return false;
  struct key *key = malloc(sizeof *key);
  if (!key) return false;
  *key = *listed;
  slot->keys[slot->keys_count++] = key;
  return true;
}

static bool merge(struct slot *slot, const struct listing *listing) {
  size_t known = slot->keys_count;
  for (size_t at = 0; at < known; at++) slot->keys[at]->is_listed = false;
  for (size_t at = 0; at < listing->count; at++) {
    const struct key *listed = &listing->keys[at];
    struct key *key = known ? find(slot, listed->id, at) : NULL;
    if (!key) {
      if (!append(slot, listed)) return false;
      continue;
    }
    // A certificate may be another one by now.
    description_free(&key->description);
    *key = *listed;
  }
  slot->listed_at = milliseconds();
  return true;
}

static CK_RV refresh(CK_SESSION_HANDLE handle) {
  struct listing *listing;
  CK_RV result = begin_listing(handle, &listing, true);
  if (result != CKR_OK || !listing) return result;
  result = ask_rights(listing);
  if (result == CKR_OK) result = ask_keys(listing);
  if (result == CKR_OK && (result = module_lock()) == CKR_OK) {
    struct session *session = session_of(handle);
    if (!session)
      result = CKR_SESSION_HANDLE_INVALID;
    else if (!merge(slot_of(session->slot + 1), listing))
      result = CKR_HOST_MEMORY;
    module_unlock();
  }
  end_listing(listing);
  return result;
}

/* Whether there is a list from before. */
static bool is_listed(CK_SESSION_HANDLE handle) {
  if (module_lock() != CKR_OK) return false;
  struct session *session = session_of(handle);
  bool was_listed = session && slot_of(session->slot + 1)->listed_at;
  module_unlock();
  return was_listed;
}

CK_RV keys_refresh(CK_SESSION_HANDLE handle) {
  listing_lock();
  CK_RV result = refresh(handle);
  listing_unlock();
  // Many processes of a user may ask more often than kistd answers such questions; keys seldom change.
  return result == CKR_TOKEN_RESOURCE_EXCEEDED && is_listed(handle) ? CKR_OK : result;
}

/* Of the keys that are wanted and not described yet, copies. */
static CK_RV choose(CK_SESSION_HANDLE handle, bool (*is_wanted)(const struct key *, const void *), const void *context, struct listing *chosen) {
  CK_RV result = module_lock();
  if (result != CKR_OK) return result;
  struct session *session = session_of(handle);
  struct slot *slot = session ? slot_of(session->slot + 1) : NULL;
  if (!slot) result = CKR_SESSION_HANDLE_INVALID;
  for (size_t at = 0; slot && result == CKR_OK && at < slot->keys_count; at++) {
    const struct key *key = slot->keys[at];
    if (!key->is_listed || key->is_described || !is_wanted(key, context)) continue;
    if (!grow(&chosen->keys, &chosen->room, chosen->count, sizeof *key)) result = CKR_HOST_MEMORY;
    else chosen->keys[chosen->count++] = *key;
  }
  module_unlock();
  return result;
}

/* Asks in batches of what may be in flight. One that is denied has nothing to show. */
static CK_RV ask_descriptions(struct listing *listing) {
  size_t sent = 0;
  for (size_t at = 0; at < listing->count; at++) {
    enum kist_result answer = KIST_OK;
    for (; answer == KIST_OK && sent < listing->count && sent - at < KIST_IN_FLIGHT; sent++)
      answer = kist_submit(listing->kist, KIST_OP_DESCRIBE_KEY, listing->keys[sent].id, NULL);
    struct kist_key_description reply;
    struct kist_outcome outcome = {.audit_sequence = KIST_UNAUDITED};
    if (answer == KIST_OK) answer = kist_collect(listing->kist, &reply, (struct kist_buffer){listing->page_room, KIST_REPLY_MOST}, &outcome);
    if (answer != KIST_OK && answer != KIST_DENIED) return refusal("describe-key", answer, &outcome);
    struct key *key = &listing->keys[at];
    key->description = (struct description){0};
    key->is_described = true;
    if (answer == KIST_DENIED) continue;
    struct span public_key = {reply.public_key.data, reply.public_key.count}, certificate = {reply.certificate.data, reply.certificate.count};
    description_read(&key->description, public_key, certificate);
    if (!key->description.storage) return CKR_HOST_MEMORY;
  }
  return CKR_OK;
}

static void install(struct slot *slot, struct listing *listing) {
  for (size_t at = 0; at < listing->count; at++) {
    struct key *described = &listing->keys[at], *key = find(slot, described->id, at);
    if (!described->is_described || !key || key->is_described) continue;
    key->description = described->description;
    key->is_described = true;
    described->description = (struct description){0};
  }
}

static CK_RV describe(CK_SESSION_HANDLE handle, bool (*is_wanted)(const struct key *, const void *), const void *context) {
  struct listing chosen = {0}, *listing = NULL;
  CK_RV result = choose(handle, is_wanted, context, &chosen);
  if (result == CKR_OK && chosen.count) result = begin_listing(handle, &listing, false);
  if (listing) {
    listing->keys = chosen.keys;
    listing->count = chosen.count;
    chosen.keys = NULL;
    for (size_t at = 0; at < listing->count; at++) listing->keys[at].description = (struct description){0};
    result = ask_descriptions(listing);
    if (result == CKR_OK && (result = module_lock()) == CKR_OK) {
      struct session *session = session_of(handle);
      if (session) install(slot_of(session->slot + 1), listing);
      module_unlock();
    }
    for (size_t at = 0; at < listing->count; at++) description_free(&listing->keys[at].description);
  }
  free(chosen.keys);
  end_listing(listing);
  return result;
}

CK_RV keys_describe(CK_SESSION_HANDLE handle, bool (*is_wanted)(const struct key *, const void *), const void *context) {
  listing_lock();
  CK_RV result = describe(handle, is_wanted, context);
  listing_unlock();
  return result;
}
