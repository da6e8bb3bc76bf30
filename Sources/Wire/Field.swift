/// One field of a message, as in the schema `proto/kist.proto`.
package struct Field: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case bytes
    case string
    case uint32
    case uint64
    case bool
    /// The name of the enum in the schema.
    case enumeration(String)
    /// The name of the message in the schema.
    case message(String)
  }

  /// Whether a default value is omitted or sent, or the field is a list.
  package enum Presence: Hashable, Sendable {
    case implicit
    case optional
    case repeated
  }

  package let number: UInt32
  package let name: String
  package let kind: Kind
  package let presence: Presence

  package init(_ number: UInt32, _ name: String, _ kind: Kind, _ presence: Presence = .implicit) {
    (self.number, self.name, self.kind, self.presence) = (number, name, kind, presence)
  }
}

/// The field table of one message; a test compares all tables with `protoc`'s output for the schema.
package struct MessageSchema: Hashable, Sendable {
  package let name: String
  package let fields: [Field]

  package init(_ name: String, _ fields: [Field]) { (self.name, self.fields) = (name, fields) }
}
