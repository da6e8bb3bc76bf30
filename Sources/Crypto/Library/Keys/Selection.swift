internal import COpenSSL

/// EVP_PKEY_KEY_PARAMETERS and related macros, which Swift cannot import.
enum Selection {
  static let parameters = OSSL_KEYMGMT_SELECT_ALL_PARAMETERS
  static let publicKey = OSSL_KEYMGMT_SELECT_ALL_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
  static let keyPair = publicKey | OSSL_KEYMGMT_SELECT_PRIVATE_KEY
}
