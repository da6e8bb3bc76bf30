package import KeyStore

/// A value that the operator types back as the administrator reads it out.
package enum ReadBack: Hashable, Sendable {
  case kek
  case key(KeyLabel)
  case backup

  /// What it is called, on the screen and on the record.
  package var subject: String {
    switch self {
    case .kek: "KEK check value"
    case .key(let label): "check value of \(label)"
    case .backup: "first half of the backup's SHA-256"
    }
  }
}
