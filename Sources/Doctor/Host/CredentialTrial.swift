/// What the daemon would be given at its next start to unlock the key store with.
package struct CredentialTrial: Sendable {
  /// The daemon's user.
  package let user: String
  /// A systemd credential's name, or an absolute path.
  package let credential: String
  /// The unit's settings that give credentials, such as `LoadCredential=kist-kek:/etc/credstore/kist-kek`.
  package let settings: [String]
  /// The key store that it is to open.
  package let keys: String

  /// What came of it, which only root can find out.
  package enum Answer: Sendable {
    case opens
    /// It was given something that is not the store's key-encryption key.
    case otherKey
    /// Nothing could be given, and why.
    case notGiven(String)
    case unknown
  }
}
