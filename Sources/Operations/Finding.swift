package import CryptoBackend
package import Wire

/// What an operation tells the audit record; nothing else of a request reaches the log.
package struct Finding: Sendable {
  /// The keyed digest of a payment token's transaction identifier.
  package var transaction: Digest256?
  /// The fields of an opened token that left.
  package var released: ReleasedFields = []

  package init() {}
}
