/* What PKCS#11 wants of a public key and of a certificate, by their DER (RFC 5280). */
#include "module.h"

#include <stdlib.h>
#include <string.h>

enum tag { INTEGER = 0x02, BIT_STRING = 0x03, OCTET_STRING = 0x04, OID = 0x06, SEQUENCE = 0x30, VERSION = 0xa0 };

/* Takes the next element off the front of `rest`; `whole` is with its head. False, and nothing taken, if it is another or not whole. */
static bool take(struct span *rest, enum tag tag, struct span *content, struct span *whole) {
  size_t head = 2, count;
  if (rest->count < 2 || rest->data[0] != tag) return false;
  count = rest->data[1];
  if (count & 0x80) {
    size_t digits = count & 0x7f;
    if (digits < 1 || digits > 4 || rest->count < 2 + digits) return false;
    count = 0;
    for (size_t at = 0; at < digits; at++) count = count << 8 | rest->data[2 + at];
    head += digits;
  }
  if (rest->count - head < count) return false;
  if (content) *content = (struct span){rest->data + head, count};
  if (whole) *whole = (struct span){rest->data, head + count};
  rest->data += head + count;
  rest->count -= head + count;
  return true;
}

/* A number without the zero that only says that it is positive. */
static struct span unsigned_of(struct span integer) {
  while (integer.count > 1 && integer.data[0] == 0) integer.data++, integer.count--;
  return integer;
}

static void read_public_key(struct description *description, struct span key) {
  struct span content, algorithm, bits, whole, numbers, parameters, modulus, exponent;
  if (!take(&key, SEQUENCE, &content, NULL) || !take(&content, SEQUENCE, &algorithm, NULL)) return;
  if (!take(&content, BIT_STRING, &bits, NULL) || bits.count < 1 || bits.data[0] != 0) return;
  bits.data++, bits.count--;
  if (!take(&algorithm, OID, NULL, &whole)) return;
  if (take(&algorithm, OID, NULL, &parameters)) {
    description->curve = parameters;
    description->point = bits;
  } else if (bits.count == 32) {
    // RFC 8410: the algorithm itself is the curve.
    description->curve = whole;
    description->point = bits;
  } else if (take(&bits, SEQUENCE, &numbers, NULL) && take(&numbers, INTEGER, &modulus, NULL) && take(&numbers, INTEGER, &exponent, NULL)) {
    description->modulus = unsigned_of(modulus);
    description->exponent = unsigned_of(exponent);
  }
}

static void read_certificate(struct description *description, struct span certificate) {
  struct span content, rest, serial, issuer, subject;
  if (!take(&certificate, SEQUENCE, &content, NULL) || !take(&content, SEQUENCE, &rest, NULL)) return;
  (void)take(&rest, VERSION, NULL, NULL);
  if (!take(&rest, INTEGER, NULL, &serial) || !take(&rest, SEQUENCE, NULL, NULL)) return;
  if (!take(&rest, SEQUENCE, NULL, &issuer) || !take(&rest, SEQUENCE, NULL, NULL) || !take(&rest, SEQUENCE, NULL, &subject)) return;
  description->serial = serial;
  description->issuer = issuer;
  description->subject = subject;
}

void description_read(struct description *description, struct span public_key, struct span certificate) {
  *description = (struct description){.storage = malloc(public_key.count + certificate.count + 1)};
  if (!description->storage) return;
  if (public_key.count) memcpy(description->storage, public_key.data, public_key.count);
  if (certificate.count) memcpy(description->storage + public_key.count, certificate.data, certificate.count);
  description->public_key = (struct span){description->storage, public_key.count};
  description->certificate = (struct span){description->storage + public_key.count, certificate.count};
  read_public_key(description, description->public_key);
  read_certificate(description, description->certificate);
}

void description_free(struct description *description) {
  free(description->storage);
  *description = (struct description){0};
}
