import Format
import Foundation

/// One case of a vector file: its fields by name.
public struct VectorCase {
  public let fields: [String: Any]

  public init(_ fields: [String: Any]) { self.fields = fields }

  /// The text of a field; a missing one fails the test instead of skipping the case.
  public func text(_ name: String) throws -> String {
    guard let value = fields[name] as? String else { throw MissingField(name: name) }
    return value
  }

  /// The bytes of a hexadecimal field.
  public func bytes(_ name: String) throws -> [UInt8] {
    guard let bytes = Hex.decode(try text(name)) else { throw MissingField(name: name) }
    return bytes
  }

  /// The bytes of a hexadecimal number, which may have an odd count of digits.
  public func integer(_ name: String) throws -> [UInt8] {
    let digits = try text(name)
    guard let bytes = Hex.decode(digits.count.isMultiple(of: 2) ? digits : "0" + digits) else {
      throw MissingField(name: name)
    }
    return bytes
  }

  public func number(_ name: String) throws -> Int {
    if let value = fields[name] as? Int { return value }
    guard let value = Int(try text(name)) else { throw MissingField(name: name) }
    return value
  }

  public func flag(_ name: String) throws -> Bool {
    guard let value = fields[name] as? Bool else { throw MissingField(name: name) }
    return value
  }

  public func object(_ name: String) throws -> VectorCase {
    guard let value = fields[name] as? [String: Any] else { throw MissingField(name: name) }
    return VectorCase(value)
  }

  public func list(_ name: String) throws -> [VectorCase] {
    guard let values = fields[name] as? [[String: Any]] else { throw MissingField(name: name) }
    return values.map(VectorCase.init)
  }

  public func has(_ name: String) -> Bool { fields[name] != nil }

  public struct MissingField: Error {
    public let name: String
  }
}
