package import Format

/// What Apple Wallet gives an app that adds a card, as the app posts it to the issuer's host: an
/// object with binary values in base64.
///
/// Source: Apple, "Getting Started with Apple Pay In-App Provisioning", "Data Exchange".
package struct PassRequestJSON: Equatable, Sendable {
  /// DER; Wallet gives the leaf first.
  package let certificates: [[UInt8]]
  package let nonce, nonceSignature: [UInt8]

  package init(certificates: [[UInt8]], nonce: [UInt8], nonceSignature: [UInt8]) {
    self.certificates = certificates
    self.nonce = nonce
    self.nonceSignature = nonceSignature
  }

  /// - Throws: the first member that is missing or malformed; other members are an app's own
  ///   business.
  package init(_ text: Span<UInt8>) throws(PassJSONError) {
    let document = try PassDocument(text)
    certificates = try document.list("certificates")
    nonce = try document.bytes(["nonce"])
    nonceSignature = try document.bytes(["nonceSignature"])
  }

  package var json: CanonicalJSON {
    [
      "certificates": certificates.map { Base64.encode($0) }, "nonce": Base64.encode(nonce),
      "nonceSignature": Base64.encode(nonceSignature),
    ]
  }
}

/// Why a text is not what an app or an issuer's host sends.
package enum PassJSONError: Error, Equatable {
  /// Not an object in JSON, or larger than any pass.
  case notObject
  case missing(String)
  /// The member is of another kind, or not base64.
  case malformed(String)
}

/// What an issuer's host answers an app, which hands it to Wallet in a `PKAddPaymentPassRequest`:
/// an object with base64 in it.
///
/// The members are named as PassKit's properties are, or as `kist pass provision` prints them.
package struct SealedPassJSON: Equatable, Sendable {
  /// Ciphertext and tag.
  package let encryptedPassData: [UInt8]
  /// 65 bytes 04 ‖ X ‖ Y.
  package let ephemeralPublicKey: [UInt8]
  /// Empty if there is none.
  package let activationData: [UInt8]

  package init(encryptedPassData: [UInt8], ephemeralPublicKey: [UInt8], activationData: [UInt8]) {
    self.encryptedPassData = encryptedPassData
    self.ephemeralPublicKey = ephemeralPublicKey
    self.activationData = activationData
  }

  /// - Throws: the first member that is missing or malformed; other members are ignored, as an app
  ///   ignores them.
  package init(_ text: Span<UInt8>) throws(PassJSONError) {
    let document = try PassDocument(text)
    encryptedPassData = try document.bytes(["encryptedPassData", "encrypted_pass_data"])
    ephemeralPublicKey = try document.bytes(["ephemeralPublicKey", "ephemeral_public_key"])
    activationData = try document.bytes(["activationData", "activation_data"])
  }
}

/// A JSON object from which a pass's base64 is read.
struct PassDocument: ~Escapable {
  private let json: JSONReader

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) throws(PassJSONError) {
    do throws(JSONReaderError) { json = try JSONReader(text) } catch { throw .notObject }
    guard json.root.kind == .object else { throw .notObject }
  }

  /// The member that goes by one of these names.
  func bytes(_ names: [String]) throws(PassJSONError) -> [UInt8] {
    for name in names {
      guard let value = try value(name) else { continue }
      guard let bytes = try? Self.base64(json, value) else { throw .malformed(name) }
      return bytes
    }
    throw .missing(names[0])
  }

  func list(_ name: String) throws(PassJSONError) -> [[UInt8]] {
    guard let value = try value(name) else { throw .missing(name) }
    do throws(JSONReaderError) { return try elements(of: value) } catch { throw .malformed(name) }
  }

  private func value(_ name: String) throws(PassJSONError) -> JSONReader.Value? {
    do throws(JSONReaderError) { return try json.member(name, of: json.root) } catch {
      throw .malformed(name)
    }
  }

  /// The strings of an array, each read as a text of its own; the array's grammar has been checked
  /// with the whole text's.
  private func elements(of array: JSONReader.Value) throws(JSONReaderError) -> [[UInt8]] {
    guard array.kind == .array else { throw .wrongKind }
    let text = json.bytes(of: array)
    var found: [[UInt8]] = []
    var at = 1
    while at < text.count - 1 {
      switch text[at] {
      case UInt8(ascii: "\""):
        var end = at + 1
        while text[end] != UInt8(ascii: "\"") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
        let element = try JSONReader(text.extracting(at..<(end + 1)))
        found.append(try Self.base64(element, element.root))
        at = end + 1
      case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"),
        UInt8(ascii: "\t"):
        at += 1
      default: throw .wrongKind
      }
    }
    return found
  }

  private static func base64(_ json: borrowing JSONReader, _ value: JSONReader.Value)
    throws(JSONReaderError) -> [UInt8]
  {
    var text = [UInt8](repeating: 0, count: try json.decodedCount(of: value))
    var span = text.mutableSpan
    _ = try json.decode(value, into: &span)
    guard let bytes = Base64.decode(text.span) else { throw .malformed }
    return bytes
  }
}
