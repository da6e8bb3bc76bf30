import Crypto
import Format
import Host

/// What a payment network checks of a pass before it makes a token of the card.
struct NetworkCheck: ~Escapable {
  private let members: PassMembers
  private let visa: Span<UInt8>
  private let mastercard: PublicKey
  private let now: Timestamp

  @_lifetime(borrow networks)
  init(_ members: PassMembers, _ networks: borrowing TestNetworks, now: Timestamp) {
    self.members = members
    self.now = now
    mastercard = networks.mastercard.certificate.publicKey
    visa = networks.visa.bytes
  }

  /// The card's number that the issuer encrypted for Visa, if the pass has one.
  func encryptedNumber() throws(NetworkFault) -> VisaValue? {
    guard let text = members["encryptedPrimaryAccountNumber"] else { return nil }
    guard let bytes = Base64.decode(text) else { throw .form }
    let value = try VisaValue(String(decoding: bytes, as: UTF8.self), key: visa)
    guard value.isAccount else { throw .form }
    guard let number = value["pan"], number.hasPrefix(members["primaryAccountNumberPrefix"] ?? "")
    else { throw .contradiction }
    return value
  }

  /// - Parameter number: the encrypted number.
  func activation(_ data: [UInt8], _ number: VisaValue?) throws(NetworkFault)
    -> OpenedPass.Activation
  {
    guard !data.isEmpty else { return .none }
    let text = String(decoding: data, as: UTF8.self)
    let pan = members["primaryAccountNumber"] ?? number?["pan"]
    let expiry = members.expiry ?? number?["expiry"]
    guard data[0] == UInt8(ascii: "{") else {
      let value = try VisaValue(text, key: visa)
      guard value.isAccount ? value.isAbout(pan, expiry) : value["nonce"] == members["nonce"] else {
        throw .contradiction
      }
      return .checked(text, text: value.text)
    }
    let value = try MastercardValue(data)
    // Only the network knows the number behind an identifier.
    guard let pan, let expiry else { return .unchecked(text) }
    guard let signed = value.signedText(pan, expiry) else { return .unchecked(text) }
    try value.check(signed, mastercard, now: now)
    return .checked(text, text: signed)
  }
}

/// A value that the issuer encrypted for Visa: `TYPE-1-FK-KEYSET--TDEA-HEX`.
struct VisaValue {
  /// Whether it is about a card, and not about a nonce.
  let isAccount: Bool
  /// `NAME=VALUE;…`
  let text: String
  private let fields: [String: String]

  subscript(_ name: String) -> String? { fields[name] }

  /// - Throws: `.form`, `.key` or `.decryption`.
  init(_ value: String, key: Span<UInt8>) throws(NetworkFault) {
    let parts = value.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 7, let isAccount = Self.kinds[String(parts[0])], parts[1] == "1",
      parts[2] == "FK", parts[4].isEmpty, parts[5] == "TDEA",
      let ciphertext = Hex.decode(parts[6])
    else { throw .form }
    guard parts[3] == TestIssuer.keySet else { throw .key }
    self.isAccount = isAccount
    text = try Self.decrypt(ciphertext, key)
    let pairs = text.split(separator: ";").map {
      $0.split(separator: "=", maxSplits: 1).map(String.init)
    }
    guard pairs.allSatisfy({ $0.count == 2 }),
      pairs.map({ $0[0] }) == (isAccount ? ["pan", "expiry", "datetime"] : ["nonce", "authcode"])
    else {
      throw .decryption
    }
    fields = Dictionary(pairs.map { ($0[0], $0[1]) }) { first, _ in first }
    // The cipher does not authenticate: damage at the end shows here alone.
    guard !isAccount || fields["datetime"]?.wholeMatch(of: /[0-9]{14}/) != nil else {
      throw .decryption
    }
  }

  /// Whether it names this card, as far as the pass names one.
  func isAbout(_ pan: String?, _ expiry: String?) -> Bool {
    guard let own = fields["pan"], let ownExpiry = fields["expiry"] else { return false }
    return (pan ?? own) == own && (expiry ?? ownExpiry) == ownExpiry
  }

  private static let kinds = ["MBPAC": false, "MPAC": false, "MBPAD": true, "MPAD": true]

  /// Two spaces, four random characters, the text's length, the text, and `!` up to a multiple of
  /// 8.
  private static func decrypt(_ ciphertext: [UInt8], _ key: Span<UInt8>) throws(NetworkFault)
    -> String
  {
    let iv = [UInt8](repeating: 0, count: 8)
    guard !ciphertext.isEmpty,
      let buffer = try? BlockCipher.tripleDES.decrypt(
        key: key, iv: iv.span, ciphertext: ciphertext.span)
    else { throw .decryption }
    let block = buffer.bytes.indices.map { buffer.bytes[$0] }
    let digits = block.dropFirst(6).prefix(3).prefix(while: \.isDigit)
    let rest = block.dropFirst(6 + digits.count)
    guard block.prefix(2).allSatisfy({ $0 == UInt8(ascii: " ") }),
      let count = Int(String(decoding: digits, as: UTF8.self)),
      (0..<8).contains(rest.count - count),
      rest.dropFirst(count).allSatisfy({ $0 == UInt8(ascii: "!") })
    else { throw .decryption }
    return String(decoding: rest.prefix(count), as: UTF8.self)
  }
}

/// A value that the issuer signed for Mastercard, in JSON.
struct MastercardValue {
  private let version: String
  private let signature: [UInt8]
  /// Absent from version 2.
  private let until: String?
  private let keyAlias: String?
  private let hasReference: Bool

  /// - Throws: `.form`.
  init(_ text: [UInt8]) throws(NetworkFault) {
    let members: [String: String]
    do throws(JSONReaderError) { members = try Self.texts(text) } catch { throw .form }
    guard let version = members["version"], members["signatureAlgorithm"] == "RSA-SHA256",
      let signature = Base64.decode(members["signature"] ?? "!")
    else {
      throw .form
    }
    self.version = version
    self.signature = signature
    until = members["dataValidUntilTimestamp"]
    keyAlias = members["keyAlias"]
    hasReference = members["tokenUniqueReferenceIncluded"] == "true"
    guard Self.orders[version] == .some(members["includedFieldsInOrder"] ?? ""),
      (until == nil) == (version == "2")
    else { throw .form }
  }

  /// What the issuer signed of this card; nil if a reference is in it, which only the network
  /// knows.
  func signedText(_ pan: String, _ expiry: String) -> String? {
    guard !hasReference else { return nil }
    return switch version {
    case "2": pan + "Y" + expiry + "N"
    case "3": "\(pan)|\(expiry)|\(until ?? "")"
    default: "\(until ?? "")|\(pan)|\(expiry)"
    }
  }

  /// - Throws: `.key`, `.signature` or `.time`.
  func check(_ signed: String, _ key: PublicKey, now: Timestamp) throws(NetworkFault) {
    guard version != "4" || keyAlias == TestIssuer.keyAlias else { throw .key }
    let message = Array(signed.utf8)
    guard key.verify(signature: signature.span, message: message.span) else { throw .signature }
    guard let until else { return }
    guard let end = Timestamp(until), now < end, end <= now.adding(seconds: Self.longestValidity)
    else { throw .time }
  }

  /// In seconds.
  private static let longestValidity: Int64 = 30 * 86_400

  private static let orders = [
    "2": "", "3": "accountNumber|accountExpiry|dataValidUntilTimestamp",
    "4": "dataValidUntilTimestamp|accountNumber|accountExpiry",
  ]

  private static func texts(_ text: [UInt8]) throws(JSONReaderError) -> [String: String] {
    let json = try JSONReader(text.span)
    return try json.texts(of: json.root)
  }
}
