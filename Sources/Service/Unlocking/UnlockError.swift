package import Audit
package import Crypto
package import KeyStore

/// Why a key store was not opened for service.
package enum UnlockError: Error, Equatable, Sendable {
  /// It is open already, or the daemon has stopped serving.
  case notLocked
  case store(KeyStoreError)
  /// The log cannot be opened, or is not the one that the key store knows.
  case audit(AuditError)
  /// The kept checkpoint, which reveals a cut log, is missing or wrong.
  case keptCheckpoint(KeptCheckpointFault)
  case crypto(CryptoError)
}
