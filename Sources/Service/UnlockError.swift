package import Audit
package import CryptoBackend
package import KeyStore

/// Why a key store was not opened for service.
package enum UnlockError: Error, Equatable, Sendable {
  /// It is open already, or the daemon has stopped serving.
  case notLocked
  case store(KeyStoreError)
  /// The log cannot be opened, or is not the one that the key store knows.
  case audit(AuditError)
  /// The checkpoint beside the key store, by which a log that was cut is known.
  case keptCheckpoint(KeptCheckpointFault)
  case crypto(CryptoError)
}
