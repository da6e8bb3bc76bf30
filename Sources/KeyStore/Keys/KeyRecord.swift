package import Crypto
package import Format

/// Everything about a key except its material.
package struct KeyRecord: Hashable, Sendable {
  package let id: KeyID
  package let label: KeyLabel
  package let role: KeyRole
  package let algorithm: KeyAlgorithm
  package let check: KeyCheck
  package let merchant: MerchantIdentifier?
  package internal(set) var certificate: CertificateReference?
  package let created: Timestamp
  /// The start and end of the period of use: before it the key serves nothing, after it what a
  /// retired key serves. [KS-PERIOD]
  package let notBefore: Timestamp?
  package internal(set) var notAfter: Timestamp?
  /// How often the key may be used in total; nil for no limit. [KS-USE-LIMIT]
  package let useLimit: UInt64?
  /// Seconds by which a token's signing time may differ from now; nil for the daemon's default.
  package let freshnessWindow: Int?
  /// Only of keys for one-time values.
  package let otp: OTPAttributes?
  /// Whether the key may be exported under an exchange key; its block's header says so, too.
  /// [KS-EXPORTABLE]
  package let isExportable: Bool
  /// Only of a partner's key: what the headers of its JWEs have besides what every one has.
  package let jweMembers: JWEMembers

  /// SHA-256 of the key block file.
  package internal(set) var block: Digest256
  package internal(set) var state: KeyState
  package internal(set) var activated: Timestamp?
  package internal(set) var retired: Timestamp?
  package internal(set) var compromised: Timestamp?
  package internal(set) var destroyed: Timestamp?
  /// Only of a suspended key.
  package internal(set) var suspended: Timestamp?
  /// Who made the changes of its life, if they were made on somebody's request.
  package internal(set) var persons: [KeyStep: Persons]
  package internal(set) var uses: KeyUses

  /// Usage, algorithm and mode of its key block, such as `K3 E X`.
  package var usage: String { role.blockUse.text }
}

/// A step in a key's life, with its name in the manifest.
package enum KeyStep: String, CaseIterable, Sendable {
  case activated, compromised, created, destroyed, retired, suspended
}

/// The user ids of the people who made a change.
package struct Persons: Hashable, Sendable {
  package let asked: UInt32
  /// The second person, if approval was needed; never the first.
  package let approved: UInt32?

  package init(asked: UInt32, approved: UInt32? = nil) {
    self.asked = asked
    self.approved = approved
  }
}

/// The value by which a key is recognised.
package enum KeyCheck: Hashable, Sendable {
  /// The check value of a symmetric key.
  case kcv(KeyCheckValue)
  /// The SubjectPublicKeyInfo DER of an asymmetric key.
  case spki([UInt8])

  /// The key's short form in lists: SHA-256 of the SPKI (32 bytes), or the KCV.
  package var value: [UInt8] {
    switch self {
    case .kcv(let value): value.bytes
    case .spki(let spki): SHA256.hash(spki).bytes
    }
  }

  /// SHA-256 of the SPKI.
  package var spkiHash: Digest256? {
    switch self {
    case .kcv: nil
    case .spki(let spki): SHA256.hash(spki)
    }
  }
}

/// The certificate file that belongs to a key.
package struct CertificateReference: Hashable, Sendable {
  /// SHA-256 of the DER.
  package let digest: Digest256
}

/// How often a key has been used, as far as it is counted.
package struct KeyUses: Hashable, Sendable {
  package internal(set) var count: UInt64
  package internal(set) var last: Timestamp?
  /// The size of the audit log that the count covers; later records must be replayed.
  package internal(set) var auditSize: UInt64
  /// How many invocations are reserved on disk, if they are counted: a counter file that says fewer
  /// is outdated. [KS-COUNTER]
  package internal(set) var reserved: UInt64 = 0
  /// How many changes the key's ledger of codes has had: a ledger with fewer is outdated.
  /// [KS-LEDGER-OLDER]
  package internal(set) var changes: UInt64 = 0

  package static func none(at auditSize: UInt64) -> KeyUses {
    KeyUses(count: 0, last: nil, auditSize: auditSize)
  }

  /// - Parameter last: when the last of them was; uses come in the order of their records, and a
  ///   clock that was ahead is not believed for ever.
  mutating func add(_ more: UInt64, last: Timestamp) {
    count = min(count &+ more, UInt64(1) << 53 - 1)
    self.last = last
  }
}

/// A key's human-readable name, such as `merchant/acme/processing-2026`. [KS-LABEL]
///
/// `[a-z0-9-]+(/[a-z0-9.-]+)*`, at most 128 characters, no segment `.` or `..`: no spelling
/// variants, no escaping, and prefixes for policy.
package struct KeyLabel: Hashable, Sendable {
  package let text: String

  package init?(_ text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard text.utf8.count <= 128, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.allowed) })
    else { return nil }
    guard let first = parts.first, !first.contains(Self.dot) else { return nil }
    // Policy patterns cannot have such segments.
    guard
      !parts.contains(where: {
        $0.elementsEqual([Self.dot]) || $0.elementsEqual([Self.dot, Self.dot])
      })
    else { return nil }
    self.text = String(text)
  }

  private static let dot = UInt8(ascii: ".")

  private static func allowed(_ character: UInt8) -> Bool {
    switch character {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), dot:
      true
    default: false
    }
  }
}

extension KeyLabel: CustomStringConvertible {
  package var description: String { text }
}

/// A merchant identifier such as `merchant.com.example`, and its SHA-256, which is PartyV in the
/// key agreement.
package struct MerchantIdentifier: Hashable, Sendable {
  package let text: String
  package let hash: Digest256

  /// - Parameter text: 1 to 255 printable ASCII characters.
  package init?(_ text: String) {
    guard (1...255).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    self.text = text
    hash = SHA256.hash(Array(text.utf8))
  }

  /// Reads a merchant's certificate: the subject's UID, whose hash must be in the certificate's
  /// extension. [KS-IMPORT-MERCHANT]
  ///
  /// - Throws: `CryptoError.invalidCertificate` if either is missing or they differ.
  package init(_ certificate: Certificate) throws(CryptoError) {
    let hash = try certificate.merchantIdentifierHash()
    guard let uid = certificate.subjectUID, let identifier = MerchantIdentifier(uid),
      identifier.hash == hash
    else { throw .invalidCertificate }
    self = identifier
  }
}
