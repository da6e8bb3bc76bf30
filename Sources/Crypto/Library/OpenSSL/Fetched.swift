internal import COpenSSL

/// Algorithms fetched once for the life of the process, because a fetch takes locks and costs more than a short hash.
@safe struct Fetched: @unchecked Sendable {
  let pointer: OpaquePointer?

  static let sha256 = digest("SHA2-256")
  static let sha384 = digest("SHA2-384")
  static let sha512 = digest("SHA2-512")
  static let aes128GCM = cipher("AES-128-GCM")
  static let aes192GCM = cipher("AES-192-GCM")
  static let aes256GCM = cipher("AES-256-GCM")
  static let aes128CBC = cipher("AES-128-CBC")
  static let aes192CBC = cipher("AES-192-CBC")
  static let aes256CBC = cipher("AES-256-CBC")
  static let tripleDES2CBC = cipher("DES-EDE-CBC")
  static let tripleDES3CBC = cipher("DES-EDE3-CBC")
  static let hkdf = derivation("HKDF")
  static let oneStep = derivation("SSKDF")
  static let x963 = derivation("X963KDF")

  static var isComplete: Bool {
    let all = [
      sha256, sha384, sha512, oneStep, x963, aes128GCM, aes192GCM, aes256GCM, aes128CBC, aes192CBC, aes256CBC, tripleDES2CBC, tripleDES3CBC, hkdf,
    ]
    let macs = [HMACSHA256.mac, HMAC.sha384, HMAC.sha512, AESCMAC.aes128, AESCMAC.aes192, AESCMAC.aes256, HOTP.sha1]
    return all.allSatisfy { unsafe $0.pointer != nil } && macs.allSatisfy { $0 != nil }
  }

  private init(_ pointer: OpaquePointer?) { unsafe self.pointer = unsafe pointer }

  private static func digest(_ name: String) -> Fetched { unsafe Fetched(EVP_MD_fetch(nil, name, nil)) }
  private static func derivation(_ name: String) -> Fetched { unsafe Fetched(EVP_KDF_fetch(nil, name, nil)) }
  private static func cipher(_ name: String) -> Fetched { unsafe Fetched(EVP_CIPHER_fetch(nil, name, nil)) }
}
