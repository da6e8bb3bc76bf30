/* A PKCS#11 module whose keys stay in kistd: its parts, and the rules between them. PKCS#11 is OASIS's, v3.1; "§" refers to it. */
#ifndef KIST_PKCS11_MODULE_H
#define KIST_PKCS11_MODULE_H

#include <kist.h>
#include <sodium/crypto_hash_sha256.h>
#include <sodium/crypto_hash_sha512.h>
#include <stdatomic.h>
#include <stdbool.h>

/* The functions of the standard can be seen; module.map says which by name. */
#pragma GCC visibility push(default)
#include <p11-kit/pkcs11.h>
#pragma GCC visibility pop

#ifndef CKD_SHA256_KDF_SP800
#define CKD_SHA256_KDF_SP800 0x10UL
#define CKD_SHA384_KDF_SP800 0x11UL
#define CKD_SHA512_KDF_SP800 0x12UL
#endif
#ifndef CKR_TOKEN_RESOURCE_EXCEEDED
#define CKR_TOKEN_RESOURCE_EXCEEDED 0x201UL
#endif

/* v3.0's */
#define CKA_UNIQUE_ID 0x04UL
#define CKF_FIND_OBJECTS 0x40UL
#define CKR_OPERATION_CANCEL_FAILED 0x202UL

/* A message that the daemon hashes or takes a code of itself. */
#define MESSAGE_MOST 65536
/* Attributes of a template; there are fewer than that in the standard. */
#define TEMPLATE_MOST 256
#define SLOTS_MOST 8
/* Of a process with one endpoint: sessions share them, and kistd's connections_per_user (32) are for all processes of a user. */
#define CONNECTIONS 8
#define SIGNATURE_MOST 512

/*
 * Everything below is guarded by one lock, which is never held while kistd is asked: what a request needs is copied or counted
 * before, and looked up again after. So C_Finalize never waits, and a call that it overtakes finds nothing and says so.
 *
 * After fork() the child has no module until it calls C_Initialize: what it inherited is left alone, since another thread of the
 * parent's may have been changing it.
 */

/* Takes the lock; CKR_CRYPTOKI_NOT_INITIALIZED, without it, before C_Initialize, after C_Finalize and in a child. */
CK_RV module_lock(void);
void module_unlock(void);
/* Another one, for keys_refresh and keys_describe: it is held while kistd is asked, and taken first. */
void listing_lock(void);
void listing_unlock(void);
/* Says what was refused, to standard error and only if KIST_PKCS11_DEBUG is set. */
void complain(const char *tried, enum kist_result result, const struct kist_outcome *outcome);
/* What kistd's refusal is to a caller of PKCS#11; a request that needs one of its own is judged before. */
CK_RV refusal(const char *tried, enum kist_result result, const struct kist_outcome *outcome);

/* Connections */

struct connection {
  struct kist *kist;
  atomic_int references;
};

/* Keys */

enum use { USE_SIGN = 1, USE_VERIFY = 2, USE_MAC = 4, USE_VERIFY_MAC = 8, USE_DERIVE = 16, USE_UNWRAP = 32 };

/* A key's kind, as far as mechanisms care. */
enum kind { KIND_NONE, KIND_P256, KIND_P384, KIND_ED25519, KIND_RSA, KIND_HMAC256, KIND_HMAC384, KIND_HMAC512, KIND_AES, KIND_SECRET };

struct span {
  const uint8_t *data;
  size_t count;
};

/* What describe-key says, in memory of its own; the spans point into it. */
struct description {
  uint8_t *storage;
  struct span modulus, exponent, curve, point, public_key;
  struct span certificate, subject, issuer, serial;
};

/* A key of kistd; it stays in its slot's table for as long as the module, so that its objects keep their handles. */
struct key {
  uint8_t id[KIST_KEY_ID_SIZE];
  char label[KIST_LABEL_MOST + 1];
  enum kind kind;
  CK_ULONG bits;
  unsigned uses;
  bool is_listed;
  bool is_described;
  struct description description;
};

/* A secret behind a handle of kistd's, which lives as long as its connection. */
struct secret {
  CK_OBJECT_HANDLE object;
  CK_SESSION_HANDLE session;
  struct connection *connection;
  uint8_t key[KIST_KEY_ID_SIZE];
  uint8_t handle[KIST_HANDLE_SIZE];
  CK_KEY_TYPE type;
  CK_ULONG size; /* in bytes; 0 where it is not known */
  bool signs, verifies;
  char label[KIST_LABEL_MOST + 1];
  uint8_t id[64];
  size_t id_count, label_count;
};

struct slot {
  char *endpoint;
  bool is_logged_in;
  struct connection *connections[CONNECTIONS];
  struct key **keys;
  size_t keys_count, keys_room;
  struct secret **secrets;
  size_t secrets_count, secrets_room;
  uint64_t listed_at; /* milliseconds; 0 for never */
};

/* Hashes, of libsodium */

enum hash { HASH_NONE, HASH_SHA256, HASH_SHA384, HASH_SHA512 };

struct hashing {
  enum hash hash;
  union {
    crypto_hash_sha256_state sha256;
    crypto_hash_sha512_state sha512;
  } state;
};

size_t hash_size(enum hash hash);
void hash_begin(struct hashing *hashing, enum hash hash);
void hash_add(struct hashing *hashing, const uint8_t *data, size_t count);
/* Returns how many bytes of the 64 it wrote. */
size_t hash_end(struct hashing *hashing, uint8_t digest[64]);

/* Mechanisms */

enum input {
  INPUT_DIGEST_INFO, /* PKCS#1's, in DER */
  INPUT_DIGEST,      /* as it is */
  INPUT_HASHED,      /* a message of any length, hashed here */
  INPUT_MESSAGE,     /* one that kistd takes whole */
};

struct mechanism {
  CK_MECHANISM_TYPE type;
  enum input input;
  enum hash hash;
  bool is_pss, is_mac;
  CK_ULONG least, most; /* as CK_MECHANISM_INFO has key sizes */
  CK_FLAGS flags;
};

extern const struct mechanism mechanisms[];
extern const size_t mechanisms_count;
const struct mechanism *mechanism_of(CK_MECHANISM_TYPE type);
bool mechanism_takes(const struct mechanism *mechanism, enum kind kind);
/* Whether a key with these uses may be used by the mechanism at all: CKA_ALLOWED_MECHANISMS. */
bool mechanism_serves(const struct mechanism *mechanism, enum kind kind, unsigned uses);

/* Sessions */

/* What can be under way in a session, each independently of the others. */
enum purpose { PURPOSE_SIGN, PURPOSE_VERIFY, PURPOSE_DIGEST };
#define PURPOSES 3

/* A signature, code, check or digest under way. */
struct operation {
  enum { OPERATION_NONE, OPERATION_READY, OPERATION_TAKEN } state;
  const struct mechanism *mechanism;
  enum kind kind;
  CK_ULONG bits;
  enum hash hash; /* of PSS's parameters */
  uint8_t key[KIST_KEY_ID_SIZE];
  bool has_handle;
  uint8_t handle[KIST_HANDLE_SIZE];
  struct connection *connection;
  bool has_parts, is_whole; /* what came of it so far: a part, or a question how long the whole's answer is */
  struct hashing hashing;
  uint8_t *message;
  size_t count;
};

/* Of the signature, code or digest, in bytes. */
size_t signature_size(const struct operation *operation);
/* Ask kistd, by the operation's connection; without the lock. */
CK_RV signature_make(struct operation *operation, struct kist_bytes data, uint8_t *out, CK_ULONG *count);
CK_RV signature_check(struct operation *operation, struct kist_bytes data, const uint8_t *signature, CK_ULONG count);

struct session {
  CK_SESSION_HANDLE handle;
  size_t slot;
  CK_FLAGS flags;
  struct operation operations[PURPOSES];
  CK_OBJECT_HANDLE *found; /* NULL if no search is under way */
  size_t found_count, found_next;
};

/* All with the lock held, but those that say otherwise. */

struct slot *slot_of(CK_SLOT_ID id);
/* NULL if there is none. */
struct session *session_of(CK_SESSION_HANDLE handle);
/* The session's connection, counted; without the lock, since it may have to connect. */
CK_RV connection_for(CK_SESSION_HANDLE session, struct connection **connection);
struct connection *connection_retain(struct connection *connection);
/* Closes it if nobody else has it; with the lock or without. */
void connection_release(struct connection *connection);
void sessions_close(CK_SLOT_ID id);
/* Without the lock. */
CK_RV session_open(CK_SLOT_ID id, CK_FLAGS flags, CK_SESSION_HANDLE *handle);
/* Fills a field of the standard, which ends with spaces. */
void pad(unsigned char *field, size_t size, const char *text);
void slots_open(void);
void slots_close(void);
/* In a child: closes what a parent had open, and forgets the rest as it is, since a thread of the parent's may have been changing it. */
void slots_abandon(void);
void sessions_abandon(void);
void operation_end(struct operation *operation);
/* Ends what the session made: returns the secrets, which are let go of without the lock. */
void secrets_of_session(struct slot *slot, CK_SESSION_HANDLE session, struct secret ***gone, size_t *count);
/* Without the lock. */
void secrets_let_go(struct secret **gone, size_t count);

/* Asks kistd again for its keys if that was a second ago; without the lock. */
CK_RV keys_refresh(CK_SESSION_HANDLE session);
/* Asks for public keys and certificates of those keys that are wanted and have none yet; without the lock. */
CK_RV keys_describe(CK_SESSION_HANDLE session, bool (*is_wanted)(const struct key *key, const void *context), const void *context);
void description_free(struct description *description);
/* Of a SubjectPublicKeyInfo and a certificate in DER; what cannot be read is left empty. */
void description_read(struct description *description, struct span public_key, struct span certificate);

/*
 * Ends what is under way in it, as far as the flags name it (CKF_SIGN, CKF_VERIFY, CKF_DIGEST,
 * CKF_FIND_OBJECTS); false if another thread is in one of these.
 */
bool session_end(struct session *session, CK_FLAGS flags);

/* v3.0's, which the headers of v2.40 do not have. */

struct interface {
  char *name;
  void *functions;
  CK_FLAGS flags;
};

#pragma GCC visibility push(default)
CK_RV C_GetInterfaceList(struct interface *list, CK_ULONG *count);
CK_RV C_GetInterface(const unsigned char *wanted, const CK_VERSION *version, struct interface **found, CK_FLAGS flags);
#pragma GCC visibility pop

/* Objects */

enum part { PART_PRIVATE, PART_PUBLIC, PART_CERTIFICATE, PART_SECRET };

struct object {
  enum part part;
  const struct key *key;       /* NULL of a secret */
  const struct secret *secret; /* else NULL */
};

/* Of a key. */
#define PARTS 3

CK_OBJECT_HANDLE object_handle(size_t key, enum part part);
bool kind_is_secret(enum kind kind);
enum kind object_kind(const struct object *object);
bool key_has_part(const struct key *key, enum part part);
bool object_of(const struct slot *slot, CK_OBJECT_HANDLE handle, struct object *object);
/* An attribute's value, which may lie in `scratch`. */
struct value {
  enum { VALUE_THERE, VALUE_SECRET, VALUE_UNKNOWN } state;
  const void *data;
  size_t count;
  union {
    CK_BBOOL flag;
    CK_ULONG number;
    CK_MECHANISM_TYPE list[16];
    uint8_t bytes[160];
  } scratch;
};
void object_value(const struct object *object, CK_ATTRIBUTE_TYPE type, struct value *value);
/* Whether the template can be read at all. */
bool template_is_sound(const CK_ATTRIBUTE *template, CK_ULONG count);
const CK_ATTRIBUTE *template_find(const CK_ATTRIBUTE *template, CK_ULONG count, CK_ATTRIBUTE_TYPE type);
bool template_number(const CK_ATTRIBUTE *attribute, CK_ULONG *number);

bool grow(void *array, size_t *room, size_t count, size_t size);
uint64_t milliseconds(void);

#endif
