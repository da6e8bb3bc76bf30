package import Format

/// The payment data of a pass: texts by name, those of one of Apple's configurations.
///
/// Source: Apple, "Getting Started with Apple Pay In-App Provisioning", table 9-1.
package struct PassMembers: Equatable, Sendable {
  private let values: [String: String]

  package subscript(_ name: String) -> String? { values[name] }

  /// MMYY, from the expiration's MM/YY.
  var expiry: String? { values["expiration"].map { $0.filter { $0 != "/" } } }

  package var json: CanonicalJSON { .object(values.map { .init($0.key, .string($0.value)) }) }

  /// - Throws: `.notObject` or `.members`.
  init(_ text: Span<UInt8>) throws(PassFault) {
    do throws(JSONReaderError) { values = try Self.texts(text) } catch { throw .notObject }
    let names = Set(values.keys)
    guard Self.configurations.contains(where: { $0.needed.isSubset(of: names) && names.isSubset(of: $0.needed.union($0.possible)) }) else { throw .members }
  }

  private static let configurations: [(needed: Set<String>, possible: Set<String>)] = [
    (["primaryAccountNumber", "expiration", "name", "nonce", "nonceSignature"], ["productType"]),
    (["primaryAccountIdentifier", "nonce", "nonceSignature"], ["productType"]),
    (["encryptedPrimaryAccountNumber", "networkName", "primaryAccountNumberPrefix", "nonce", "nonceSignature"], ["name", "productType"]),
  ]

  private static func texts(_ text: Span<UInt8>) throws(JSONReaderError) -> [String: String] {
    let json = try JSONReader(text)
    return try json.texts(of: json.root)
  }
}

extension JSONReader {
  /// The members of an object of public texts.
  func texts(of object: Value) throws(JSONReaderError) -> [String: String] {
    var members = try members(of: object)
    var found: [String: String] = [:]
    while let member = try members.next() { found[try text(of: member.name)] = try text(of: member.value) }
    return found
  }

  private func text(of string: Value) throws(JSONReaderError) -> String {
    var bytes = [UInt8](repeating: 0, count: try decodedCount(of: string))
    var span = bytes.mutableSpan
    _ = try decode(string, into: &span)
    return String(decoding: bytes, as: UTF8.self)
  }
}
