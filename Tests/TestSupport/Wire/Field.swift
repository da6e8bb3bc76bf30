/// One field of a message, as in the schema `proto/kist.proto`.
package struct Field: Hashable, Sendable {
  /// Whether a default value is omitted or sent, or the field is a list.
  package enum Presence: Hashable, Sendable { case implicit, optional, repeated }

  package let number: UInt32
  package let name: String
  /// `bytes`, `string`, `uint32`, `uint64` or `bool`, or the name of an enum or a message.
  package let kind: String
  package let presence: Presence

  package init(_ number: UInt32, _ name: String, _ kind: String, _ presence: Presence = .implicit) {
    self.number = number
    self.name = name
    self.kind = kind
    self.presence = presence
  }
}

package struct MessageSchema: Hashable, Sendable {
  package let name: String
  package let fields: [Field]

  package init(_ name: String, _ fields: [Field]) {
    self.name = name
    self.fields = fields
  }
}
