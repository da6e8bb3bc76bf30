/// A secret of a primitive that stays in the daemon unless policy releases it; numbers are never reused.
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
