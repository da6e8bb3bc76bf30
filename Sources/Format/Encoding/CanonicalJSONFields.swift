/// The members of one object, removed one by one until none is left.
///
/// A decoder removes every member that it knows and then calls `end()`, which refuses unknown members.
package struct CanonicalJSONFields {
  private var members: [CanonicalJSON.Member]

  package init(_ value: CanonicalJSON) throws(CanonicalJSONError) {
    guard case .object(let members) = value else { throw .schema }
    self.members = members
  }

  /// The value of a member that may be absent.
  package mutating func optional(_ name: String) -> CanonicalJSON? {
    guard let place = members.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
    return members.remove(at: place).value
  }

  package mutating func required(_ name: String) throws(CanonicalJSONError) -> CanonicalJSON {
    guard let value = optional(name) else { throw .schema }
    return value
  }

  package mutating func string(_ name: String) throws(CanonicalJSONError) -> String {
    try required(name).asString()
  }

  package mutating func integer(_ name: String) throws(CanonicalJSONError) -> Int64 {
    try required(name).asInteger()
  }

  package mutating func array(_ name: String) throws(CanonicalJSONError) -> [CanonicalJSON] {
    guard case .array(let elements) = try required(name) else { throw .schema }
    return elements
  }

  package mutating func object(_ name: String) throws(CanonicalJSONError) -> CanonicalJSONFields {
    try CanonicalJSONFields(try required(name))
  }

  package mutating func optionalString(_ name: String) throws(CanonicalJSONError) -> String? {
    guard let value = optional(name) else { return nil }
    return try value.asString()
  }

  package mutating func optionalInteger(_ name: String) throws(CanonicalJSONError) -> Int64? {
    guard let value = optional(name) else { return nil }
    return try value.asInteger()
  }

  package mutating func optionalBool(_ name: String) throws(CanonicalJSONError) -> Bool? {
    guard let value = optional(name) else { return nil }
    return try value.asBool()
  }

  /// Checks that nothing is left over.
  package func end() throws(CanonicalJSONError) {
    guard members.isEmpty else { throw .schema }
  }
}

extension CanonicalJSON {
  func asString() throws(CanonicalJSONError) -> String {
    guard case .string(let text) = self else { throw .schema }
    return text
  }

  package func asBool() throws(CanonicalJSONError) -> Bool {
    guard case .bool(let value) = self else { throw .schema }
    return value
  }

  func asInteger() throws(CanonicalJSONError) -> Int64 {
    guard case .integer(let value) = self else { throw .schema }
    return value
  }
}
