import Format

/// A JSON text from which a token's fields are read.
struct TokenDocument: ~Escapable {
  let json: JSONReader

  @_lifetime(copy json)
  init(json: JSONReader) { self.json = json }

  func member(_ member: ApplePayTokenMember, of object: JSONReader.Value)
    throws(ApplePayTokenJSONError) -> JSONReader.Value?
  {
    do throws(JSONReaderError) { return try json.member(member.rawValue, of: object) } catch {
      throw .malformed(member)
    }
  }

  /// The member that encloses a token: `paymentData`, `token` or `payment` of PassKit and Apple Pay
  /// JS, or `details` of W3C.
  func wrapped(in object: JSONReader.Value) throws(ApplePayTokenFlaws) -> JSONReader.Value? {
    do throws(JSONReaderError) {
      for name in ["paymentData", "token", "details", "payment"] {
        if let inner = try json.member(name, of: object) { return inner }
      }
      return nil
    } catch { throw ApplePayTokenFlaws(.notToken) }
  }

  func isEmpty(_ object: JSONReader.Value) -> Bool {
    guard var members = try? json.members(of: object) else { return false }
    return (try? members.next()) == .some(nil)
  }

  func version(of token: JSONReader.Value) throws(ApplePayTokenJSONError) -> ApplePayTokenVersion {
    let name = String(decoding: try text(.version, of: token), as: UTF8.self)
    guard let version = ApplePayTokenVersion(name: name) else { throw .unknownVersion }
    return version
  }

  func header(of token: JSONReader.Value) throws(ApplePayTokenJSONError) -> JSONReader.Value {
    guard let header = try member(.header, of: token) else { throw .missing(.header) }
    guard header.kind == .object else { throw .malformed(.header) }
    return header
  }

  func base64(_ member: ApplePayTokenMember, of object: JSONReader.Value)
    throws(ApplePayTokenJSONError) -> [UInt8]
  {
    let text = try text(member, of: object)
    guard let bytes = Base64.decode(text.span) else { throw .malformed(member) }
    return bytes
  }

  func hex(_ member: ApplePayTokenMember, of object: JSONReader.Value)
    throws(ApplePayTokenJSONError) -> [UInt8]
  {
    let text = try text(member, of: object)
    guard let bytes = Hex.decode(text.span) else { throw .malformed(member) }
    return bytes
  }

  /// Null counts as absent, because some serialisers write null for an optional field.
  func optionalHex(_ member: ApplePayTokenMember, of object: JSONReader.Value)
    throws(ApplePayTokenJSONError) -> [UInt8]
  {
    guard let value = try self.member(member, of: object), value.kind != .null else { return [] }
    return try hex(member, of: object)
  }

  func text(_ member: ApplePayTokenMember, of object: JSONReader.Value)
    throws(ApplePayTokenJSONError) -> [UInt8]
  {
    guard let value = try self.member(member, of: object) else { throw .missing(member) }
    do throws(ApplePayTokenJSONError) { return try text(value) } catch { throw .malformed(member) }
  }

  func text(_ string: JSONReader.Value) throws(ApplePayTokenJSONError) -> [UInt8] {
    do throws(JSONReaderError) {
      var bytes = [UInt8](repeating: 0, count: try json.decodedCount(of: string))
      var span = bytes.mutableSpan
      _ = try json.decode(string, into: &span)
      return bytes
    } catch {
      throw .notToken
    }
  }
}
