package import Audit
package import Policy
package import Wire

/// What an operation tells the audit record besides who, what and when; nothing else of a request reaches the log.
package struct Finding: Sendable {
  /// Keyed digests and numbers of what came in; kept when the operation fails.
  package var inputs = Inputs()
  /// The fields of an opened token that left.
  package var released: ReleasedFields = []
  /// The secrets of a primitive that left.
  package var secrets: ReleasedSecrets = []

  /// Keys whose material was used besides that of the request's own.
  package var furtherKeys: [KeyID] = []

  /// What became of a key.
  package var change: Change?

  package struct Change: Sendable {
    package let kind: Event.KeyChange
    package let key: KeyTarget
  }

  package init() {}
}
