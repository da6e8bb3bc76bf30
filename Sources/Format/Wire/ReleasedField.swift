extension ReleasedField {
  /// The number of its field in `OpenPaymentTokenReply`.
  package var number: UInt32 { UInt32(rawValue) }
}

/// A set of released fields, one bit each.
package struct ReleasedFields: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  package init(_ fields: some Sequence<ReleasedField>) {
    rawValue = fields.reduce(0) { $0 | 1 << UInt32($1.rawValue) }
  }

  package func contains(_ field: ReleasedField) -> Bool {
    rawValue & 1 << UInt32(field.rawValue) != 0
  }

  /// What a grant can name and a request ask for: everything but what follows from to whom the
  /// grant releases.
  package static let nameable = ReleasedFields(ReleasedField.allCases.filter { $0 != .jwe })
  static let notNameable = "has a field that cannot be asked for"

  /// What an envelope or a JWE can hold: each field of a payment, but not its whole text or what
  /// stands in for it.
  package static let sealable = ReleasedFields(
    ReleasedField.allCases.filter { ![.raw, .surrogate, .envelope, .jwe].contains($0) })

  /// The fields in the set, ascending by number.
  package var fields: [ReleasedField] { ReleasedField.allCases.filter { contains($0) } }
}

/// A secret of a primitive that stays in the daemon unless policy releases it; numbers are never
/// reused.
package enum ReleasedSecret: UInt8, Named, Sendable {
  /// Z of an `ecdh`.
  case sharedSecret = 1
  /// The key that a `kdf` derived.
  case derivedKey = 2

  /// The name in policy files and audit records.
  package var name: String {
    switch self {
    case .sharedSecret: "shared-secret"
    case .derivedKey: "derived-key"
    }
  }

  /// The operation that can release it.
  package var opcode: Opcode {
    switch self {
    case .sharedSecret: .ecdh
    case .derivedKey: .kdf
    }
  }
}

/// A set of released secrets, one bit each.
package struct ReleasedSecrets: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  package init(_ secrets: some Sequence<ReleasedSecret>) {
    rawValue = secrets.reduce(0) { $0 | 1 << $1.rawValue }
  }

  package func contains(_ secret: ReleasedSecret) -> Bool { rawValue & 1 << secret.rawValue != 0 }

  /// The secrets in the set, ascending by number.
  package var secrets: [ReleasedSecret] { ReleasedSecret.allCases.filter { contains($0) } }
}
