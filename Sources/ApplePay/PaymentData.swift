import CConstantTime
import Format
package import Host

/// An opened token's payment data: the decrypted JSON, read in place.
///
/// It owns the text and keeps only the positions of the members it knows; values are copied from it
/// into the caller's memory. Unknown members are only in `raw`.
package struct PaymentData: ~Copyable {
  private let text: SecretBuffer
  /// The outermost object of the text.
  private let root: JSONReader.Value
  private let members: [PaymentMember: JSONReader.Value]
  /// The account number's digits.
  private let accountNumber: Range<Int>?

  /// Takes over the decrypted text.
  ///
  /// - Throws: `.plaintext` unless it is one JSON object whose known members have the right types
  ///   and whose account number, if there is one, has 12 to 19 digits.
  package init(_ text: consuming SecretBuffer) throws(TokenError) {
    let (root, members) = try Self.members(in: text.bytes)
    let accountNumber = try Self.digits(of: members[.accountNumber], in: text.bytes)
    self.root = root
    self.members = members
    self.accountNumber = accountNumber
    self.text = text
  }

  /// The amount in minor units, if it is a whole number that fits 64 bits.
  package var amount: UInt64? {
    guard let value = members[.transactionAmount] else { return nil }
    return UInt64(digits: text.bytes.extracting(value.range))
  }

  /// The account number's ASCII digits, if there is one.
  package var pan: Span<UInt8>? {
    @_lifetime(borrow self)
    borrowing get {
      guard let accountNumber else { return nil }
      return text.bytes.extracting(accountNumber)
    }
  }

  package var network: PaymentNetwork? {
    guard let accountNumber else { return nil }
    var iin: UInt64 = 0
    for i in accountNumber.prefix(6) { iin = iin &* 10 &+ UInt64(text.bytes[i] & 0x0F) }
    // The first six digits may be shown (PCI DSS 3.4.1).
    return PaymentNetwork(iin: Int(kist_declassified_number(iin)))
  }

  /// Compares with what the caller expects.
  ///
  /// - Parameter applicationData: the token's, which Apple signed.
  /// - Throws: `.expectation` if something expected is different or absent.
  package func check(_ expected: PaymentExpectation, applicationData: Span<UInt8>)
    throws(TokenError)
  {
    if let currency = expected.currency {
      guard let value = members[.currencyCode],
        ConstantTime.equal(text.bytes.extracting(value.insideQuotes), currency.span)
      else {
        throw .rejected(.expectation)
      }
    }
    guard expected.amount == nil || expected.amount == amount else { throw .rejected(.expectation) }
    if let expectedData = expected.applicationData {
      guard ConstantTime.equal(applicationData, expectedData.span) else {
        throw .rejected(.expectation)
      }
    }
  }

  /// The most bytes `copy` writes for this field, or nil if the token does not have it.
  package func capacity(for field: PaymentField) -> Int? {
    switch source(of: field) {
    case .none: nil
    case .string(let value): value.insideQuotes.count
    case .slice(let range): range.count
    case .network(let network): network.rawValue.utf8.count
    case .object(let members):
      members.reduce(2) { $0 + Self.prefix(of: $1.key).count + $1.value.range.count }
    }
  }

  /// Writes the field's value to the front of `out`, which has room for its `capacity`; strings
  /// without quotes and escapes.
  ///
  /// - Returns: the number of bytes written; zero if the token does not have the field.
  package func copy(_ field: PaymentField, into out: inout MutableSpan<UInt8>) throws(TokenError)
    -> Int
  {
    switch source(of: field) {
    case .none: return 0
    case .string(let value): return try decode(value, into: &out)
    case .slice(let range):
      out.copy(text.bytes.extracting(range))
      return range.count
    case .network(let network):
      out.copy(Array(network.rawValue.utf8).span)
      return network.rawValue.utf8.count
    case .object(let members): return write(members, into: &out)
    }
  }
}

extension PaymentData {
  /// Where a field's value comes from.
  private enum Source {
    case none
    case string(JSONReader.Value)
    case slice(Range<Int>)
    case network(PaymentNetwork)
    case object([(key: PaymentMember, value: JSONReader.Value)])
  }

  private func source(of field: PaymentField) -> Source {
    switch field {
    case .dpan: accountNumber.map { .slice($0) } ?? .none
    case .last4: accountNumber.map { .slice($0.suffix(4)) } ?? .none
    case .bin: accountNumber.map { .slice($0.prefix(6)) } ?? .none
    case .network: network.map { .network($0) } ?? .none
    case .expiry: string(.expirationDate)
    case .currency: string(.currencyCode)
    case .amount: slice(.transactionAmount)
    case .cryptogram: string(.onlinePaymentCryptogram)
    case .eci: string(.eciIndicator)
    case .paymentDataType: string(.paymentDataType)
    case .deviceManufacturer: string(.deviceManufacturerIdentifier)
    case .emvData: string(.emvData)
    case .encryptedPIN: string(.encryptedPINData)
    case .cardholderName: string(.cardholderName)
    case .authenticationResponses: slice(.authenticationResponses)
    case .merchantToken: object([.merchantTokenIdentifier, .merchantTokenMetadata])
    case .raw: .slice(0..<text.count)
    }
  }

  private func string(_ member: PaymentMember) -> Source {
    members[member].map { .string($0) } ?? .none
  }

  private func slice(_ member: PaymentMember) -> Source {
    members[member].map { .slice($0.range) } ?? .none
  }

  private func object(_ wanted: [PaymentMember]) -> Source {
    let present = wanted.compactMap { member in members[member].map { (key: member, value: $0) } }
    return present.isEmpty ? .none : .object(present)
  }

  private func decode(_ string: JSONReader.Value, into out: inout MutableSpan<UInt8>)
    throws(TokenError) -> Int
  {
    do throws(JSONReaderError) {
      return try JSONReader(checked: text.bytes, root: root).decode(string, into: &out)
    } catch {
      throw .rejected(.plaintext)
    }
  }

  private func write(
    _ members: [(key: PaymentMember, value: JSONReader.Value)], into out: inout MutableSpan<UInt8>
  ) -> Int {
    var written = 0
    for (key, value) in members {
      let prefix = Self.prefix(of: key)
      out.copy(prefix.span, at: written)
      if written == 0 { out[0] = UInt8(ascii: "{") }
      out.copy(text.bytes.extracting(value.range), at: written + prefix.count)
      written += prefix.count + value.range.count
    }
    out[written] = UInt8(ascii: "}")
    return written + 1
  }

  /// The text before a member's value: a comma (an opening brace for the first member) and the
  /// name.
  private static func prefix(of member: PaymentMember) -> [UInt8] {
    Array(",\"\(member.name)\":".utf8)
  }
}

extension PaymentData {
  private static func members(in text: Span<UInt8>) throws(TokenError) -> (
    root: JSONReader.Value, [PaymentMember: JSONReader.Value]
  ) {
    do throws(JSONReaderError) {
      let json = try JSONReader(text)
      return (json.root, try members(in: json))
    } catch { throw .rejected(.plaintext) }
  }

  private static func members(in json: JSONReader) throws(JSONReaderError) -> [PaymentMember:
    JSONReader.Value]
  {
    var found: [PaymentMember: JSONReader.Value] = [:]
    try collect(PaymentMember.top, of: json.root, in: json, into: &found)
    if let paymentData = found[.paymentData] {
      try collect(PaymentMember.ofPaymentData, of: paymentData, in: json, into: &found)
    }
    return found
  }

  private static func collect(
    _ known: [PaymentMember], of object: JSONReader.Value, in json: JSONReader,
    into found: inout [PaymentMember: JSONReader.Value]
  ) throws(JSONReaderError) {
    var members = try json.members(of: object)
    while let next = try members.next() {
      // Every member is optional, so null means the same as absent. [OP-OPEN-7]
      guard next.value.kind != .null else { continue }
      for member in known where try json.string(next.name, equals: member.name) {
        guard next.value.kind == member.kind else { throw .wrongKind }
        found[member] = next.value
      }
    }
  }

  /// ISO/IEC 7812-1: at most 19 digits; no network issues fewer than 12.
  private static func digits(of value: JSONReader.Value?, in text: Span<UInt8>) throws(TokenError)
    -> Range<Int>?
  {
    guard let range = value?.insideQuotes else { return nil }
    guard (12...19).contains(range.count), ConstantTime.areDigits(text.extracting(range)) else {
      throw .rejected(.plaintext)
    }
    return range
  }
}

extension JSONReader.Value {
  fileprivate var insideQuotes: Range<Int> { range.lowerBound + 1..<range.upperBound - 1 }
}
