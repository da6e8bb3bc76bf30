/* What the module can be asked for, by mechanism, and which keys that takes. */
#include "module.h"

#define SIGNS (CKF_SIGN | CKF_VERIFY)
#define CURVES (CKF_EC_F_P | CKF_EC_NAMEDCURVE | CKF_EC_UNCOMPRESS)
#define RSA_SIZES .least = 2048, .most = 4096
#define EC_SIZES .least = 256, .most = 384

const struct mechanism mechanisms[] = {
  {CKM_RSA_PKCS, INPUT_DIGEST_INFO, .flags = SIGNS, RSA_SIZES},
  {CKM_RSA_PKCS_PSS, INPUT_DIGEST, .is_pss = true, .flags = SIGNS, RSA_SIZES},
  {CKM_SHA256_RSA_PKCS, INPUT_HASHED, HASH_SHA256, .flags = SIGNS, RSA_SIZES},
  {CKM_SHA384_RSA_PKCS, INPUT_HASHED, HASH_SHA384, .flags = SIGNS, RSA_SIZES},
  {CKM_SHA512_RSA_PKCS, INPUT_HASHED, HASH_SHA512, .flags = SIGNS, RSA_SIZES},
  {CKM_SHA256_RSA_PKCS_PSS, INPUT_HASHED, HASH_SHA256, .is_pss = true, .flags = SIGNS, RSA_SIZES},
  {CKM_SHA384_RSA_PKCS_PSS, INPUT_HASHED, HASH_SHA384, .is_pss = true, .flags = SIGNS, RSA_SIZES},
  {CKM_SHA512_RSA_PKCS_PSS, INPUT_HASHED, HASH_SHA512, .is_pss = true, .flags = SIGNS, RSA_SIZES},
  {CKM_RSA_PKCS_OAEP, INPUT_MESSAGE, .flags = CKF_UNWRAP, RSA_SIZES},
  {CKM_ECDSA, INPUT_DIGEST, .flags = SIGNS | CURVES, EC_SIZES},
  {CKM_ECDSA_SHA256, INPUT_HASHED, HASH_SHA256, .flags = SIGNS | CURVES, EC_SIZES},
  {CKM_ECDSA_SHA384, INPUT_HASHED, HASH_SHA384, .flags = SIGNS | CURVES, EC_SIZES},
  {CKM_ECDSA_SHA512, INPUT_HASHED, HASH_SHA512, .flags = SIGNS | CURVES, EC_SIZES},
  {CKM_EDDSA, INPUT_MESSAGE, .flags = SIGNS | CKF_EC_F_P | CKF_EC_NAMEDCURVE, .least = 255, .most = 255},
  {CKM_ECDH1_DERIVE, INPUT_MESSAGE, .flags = CKF_DERIVE | CURVES, EC_SIZES},
  {CKM_SHA256_HMAC, INPUT_MESSAGE, HASH_SHA256, .is_mac = true, .flags = SIGNS, .least = 16, .most = 256},
  {CKM_SHA384_HMAC, INPUT_MESSAGE, HASH_SHA384, .is_mac = true, .flags = SIGNS, .least = 16, .most = 256},
  {CKM_SHA512_HMAC, INPUT_MESSAGE, HASH_SHA512, .is_mac = true, .flags = SIGNS, .least = 16, .most = 256},
  // Java's PSS does not work without them, though it hashes itself.
  {CKM_SHA256, INPUT_HASHED, HASH_SHA256, .flags = CKF_DIGEST},
  {CKM_SHA384, INPUT_HASHED, HASH_SHA384, .flags = CKF_DIGEST},
  {CKM_SHA512, INPUT_HASHED, HASH_SHA512, .flags = CKF_DIGEST},
  {CKM_AES_CMAC, INPUT_MESSAGE, .is_mac = true, .flags = SIGNS, .least = 16, .most = 32},
};
const size_t mechanisms_count = sizeof mechanisms / sizeof *mechanisms;

const struct mechanism *mechanism_of(CK_MECHANISM_TYPE type) {
  for (size_t at = 0; at < mechanisms_count; at++)
    if (mechanisms[at].type == type) return &mechanisms[at];
  return NULL;
}

bool mechanism_takes(const struct mechanism *mechanism, enum kind kind) {
  switch (mechanism->type) {
  case CKM_ECDSA:
  case CKM_ECDSA_SHA256:
  case CKM_ECDSA_SHA384:
  case CKM_ECDSA_SHA512:
  case CKM_ECDH1_DERIVE: return kind == KIND_P256 || kind == KIND_P384;
  case CKM_EDDSA: return kind == KIND_ED25519;
  case CKM_SHA256_HMAC: return kind == KIND_HMAC256 || kind == KIND_SECRET;
  case CKM_SHA384_HMAC: return kind == KIND_HMAC384 || kind == KIND_SECRET;
  case CKM_SHA512_HMAC: return kind == KIND_HMAC512 || kind == KIND_SECRET;
  case CKM_AES_CMAC: return kind == KIND_AES;
  default: return kind == KIND_RSA && !(mechanism->flags & CKF_DIGEST);
  }
}

bool mechanism_serves(const struct mechanism *mechanism, enum kind kind, unsigned uses) {
  if (!mechanism_takes(mechanism, kind)) return false;
  if (mechanism->flags & CKF_DERIVE) return uses & USE_DERIVE;
  if (mechanism->flags & CKF_UNWRAP) return uses & USE_UNWRAP;
  return uses & (mechanism->is_mac ? USE_MAC | USE_VERIFY_MAC : USE_SIGN | USE_VERIFY);
}
