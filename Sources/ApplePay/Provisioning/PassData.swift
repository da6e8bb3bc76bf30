import CConstantTime
import Crypto
package import Format
package import Host

/// The payment data of one pass as JSON, written inside the arena: exactly the members of one
/// configuration, in the order of their names, without white space. [OP-PROV-3]
package struct PassData: ~Copyable {
  private let configuration: PassConfiguration
  private var json: SecretWriter
  /// How many members were offered.
  private var offered = 0

  /// The longest payment data.
  private static let capacity = 16 * 1024

  package init(_ configuration: PassConfiguration) throws(ProvisioningError) {
    self.configuration = configuration
    do throws(CryptoError) { json = try SecretWriter(capacity: Self.capacity) } catch {
      throw ProvisioningError(error)
    }
    json.add("{")
  }

  /// Writes the next member; the caller offers each of `PassMember.allCases` in turn.
  ///
  /// - Parameter value: text as UTF-8, or the bytes of nonce and signature; empty if there is none.
  /// - Throws: `.missing`, `.surplus` or `.value` with the member's name.
  package mutating func add(_ member: PassMember, _ value: Span<UInt8>) throws(ProvisioningError) {
    precondition(member == PassMember.allCases[offered])
    offered += 1
    switch configuration.presence(of: member) {
    case .required: guard !value.isEmpty else { throw .rejected(.missing(member)) }
    case .optional: guard !value.isEmpty else { return }
    case .absent:
      guard value.isEmpty else { throw .rejected(.surplus(member)) }
      return
    }
    guard member.accepts(value) else { throw .rejected(.value(member)) }
    write(member, value)
  }

  /// Closes the object, after every member has been offered.
  package consuming func finish() throws(ProvisioningError) -> SecretBuffer {
    precondition(offered == PassMember.allCases.count)
    json.add("}")
    do throws(CryptoError) { return try json.contents() } catch { throw ProvisioningError(error) }
  }

  private mutating func write(_ member: PassMember, _ value: Span<UInt8>) {
    json.add(json.count == 1 ? "\"" : ",\"")
    json.add(open: member.rawValue)
    json.add("\":\"")
    if member.isBinary { json.addHex(value) } else { json.addJSON(value) }
    json.add("\"")
  }
}

extension PassMember {
  /// The most bytes of a value; nonce and signature vary in length, and nobody publishes a bound.
  package var cap: Int {
    switch self {
    case .encryptedPrimaryAccountNumber: 1024
    case .expiration: 5
    case .name, .nonceSignature: 256
    case .primaryAccountIdentifier: 128
    case .networkName, .nonce, .productType: 64
    case .primaryAccountNumber, .primaryAccountNumberPrefix: 19
    }
  }

  fileprivate var isBinary: Bool { self == .nonce || self == .nonceSignature }

  /// Whether a value has the form of its member.
  fileprivate func accepts(_ value: Span<UInt8>) -> Bool {
    guard value.count <= cap else { return false }
    return switch self {
    case .primaryAccountNumber: AccountNumber.isOne(value)
    case .primaryAccountNumberPrefix: ConstantTime.areDigits(value)
    case .expiration: AccountNumber.isSlashedExpiry(value)
    case .encryptedPrimaryAccountNumber, .name, .networkName, .nonce, .nonceSignature,
      .primaryAccountIdentifier, .productType:
      true
    }
  }
}

/// The forms of card data.
enum AccountNumber {
  /// ISO/IEC 7812-1: at most 19 digits.
  static func isOne(_ text: Span<UInt8>) -> Bool {
    (8...19).contains(text.count) && ConstantTime.areDigits(text)
  }

  /// Whether the first two characters are `01` to `12`.
  static func isMonth(_ text: Span<UInt8>) -> Bool {
    guard text.count >= 2, ConstantTime.areDigits(text.extracting(first: 2)) else { return false }
    let month = (text[0] & 0x0F) &* 10 &+ (text[1] & 0x0F)
    // Callers refuse other months.
    return kist_declassified(month &- 1 < 12)
  }

  /// MM/YY.
  static func isSlashedExpiry(_ text: Span<UInt8>) -> Bool {
    // Callers refuse other text.
    text.count == 5 && kist_declassified(text[2] == UInt8(ascii: "/")) && isMonth(text)
      && ConstantTime.areDigits(text.extracting(last: 2))
  }

  /// Four digits, MMYY.
  static func isExpiry(_ text: Span<UInt8>) -> Bool {
    text.count == 4 && ConstantTime.areDigits(text) && isMonth(text)
  }
}

/// A member of the payment data that an issuer seals for Apple. The cases are in the order in which
/// members are written, by name.
///
/// Source: Apple, "Getting Started with Apple Pay In-App Provisioning", table 9-1.
package enum PassMember: String, CaseIterable, Sendable {
  case encryptedPrimaryAccountNumber, expiration, name, networkName, nonce, nonceSignature
  case primaryAccountIdentifier, primaryAccountNumber, primaryAccountNumberPrefix, productType
}

extension PassConfiguration {
  package enum Presence: Sendable { case required, optional, absent }

  package func presence(of member: PassMember) -> Presence {
    switch (self, member) {
    case (_, .nonce), (_, .nonceSignature): .required
    case (_, .productType): .optional
    case (.accountNumber, .primaryAccountNumber), (.accountNumber, .name),
      (.accountNumber, .expiration):
      .required
    case (.accountIdentifier, .primaryAccountIdentifier): .required
    case (.encryptedAccountNumberUnnamed, .name): .optional
    case (.encryptedAccountNumber, .name): .required
    case (.encryptedAccountNumber, .encryptedPrimaryAccountNumber),
      (.encryptedAccountNumberUnnamed, .encryptedPrimaryAccountNumber),
      (.encryptedAccountNumber, .primaryAccountNumberPrefix),
      (.encryptedAccountNumberUnnamed, .primaryAccountNumberPrefix),
      (.encryptedAccountNumber, .networkName), (.encryptedAccountNumberUnnamed, .networkName):
      .required
    case (.accountNumber, _), (.accountIdentifier, _), (.encryptedAccountNumber, _),
      (.encryptedAccountNumberUnnamed, _):
      .absent
    }
  }
}
