package import Crypto
package import Format
package import Host
import KeyStore

/// Why an operation failed, by whose fault it is.
package enum OperationError: Error {
  /// The caller sent bytes that do not parse.
  case wire(WireError)
  /// The caller's data was refused: the caller gets one uniform answer, the log the stage.
  case rejected(Stage)
  /// The grant reaches no usable key: answered as a denial.
  case noSuchKey
  /// Overload: the arena or a table is full.
  case busy(BusyCause)
  /// A fault of the daemon or the machine.
  case fault
}

extension OperationError {
  package init(_ error: CryptoError) {
    switch error {
    case .exhausted: self = .busy(.memory)
    case .invalidKey, .invalidPoint, .invalidInput, .authenticationFailed, .invalidCertificate,
      .backend:
      self = .fault
    }
  }

  package init(_ error: SecretMemoryError) {
    switch error {
    case .exhausted: self = .busy(.memory)
    case .refused: self = .fault
    }
  }
}

extension OperationError {
  /// What it means for the caller that the key store refused or failed.
  init(_ error: KeyStoreError) {
    switch error {
    case .unknownKey, .wrongRole: self = .noSuchKey
    case .wrongState, .auditKeys: self = .rejected(.keyState)
    case .invocationsUsedUp: self = .rejected(.invocations)
    case .importRefused(.block): self = .rejected(.keyBlock)
    case .importRefused: self = .rejected(.keyImport)
    case .requestRefused: self = .rejected(.parameters)
    case .exportRefused: self = .rejected(.keyExport)
    case .codesNotRestored, .ledgerOlder: self = .rejected(.otpNotRestored)
    case .ledgerFull: self = .busy(.codes)
    case .crypto(let error): self.init(error)
    case .ledger, .counter, .storage, .formerKeys, .changedOnDisk, .closed, .key, .custodians,
      .manifestForm, .manifestAuthentication:
      self = .fault
    // Only opening, restoring or copying a store throws these.
    case .absent, .present, .cutOff, .otherCopy, .olderThanLog, .restoredMark, .restoredUnopened,
      .restoredUnread, .restoredUnnamed, .olderShares,
      .otherMachine, .strays, .inUse, .wrongKEK, .noPassphrase, .wrongPassphrase, .passphraseFile,
      .credential, .wrongKind:
      self = .fault
    }
  }

  /// The same for a key that was to be used: an absent key and an unsuitable one must look the
  /// same.
  init(lending error: KeyStoreError) {
    if case .wrongState = error { self = .noSuchKey } else { self.init(error) }
  }
}

// Each runs code of another module, and tells its error as the operation's.

func onCrypto<R: ~Copyable>(_ body: @autoclosure () throws(CryptoError) -> R) throws(OperationError)
  -> R
{
  do throws(CryptoError) { return try body() } catch { throw OperationError(error) }
}

/// Likewise, where input that the cryptography refuses is the caller's choice of algorithm or size.
func onParameters<R: ~Copyable>(_ body: @autoclosure () throws(CryptoError) -> R)
  throws(OperationError) -> R
{
  do throws(CryptoError) { return try body() } catch {
    throw error == .invalidInput ? .rejected(.parameters) : OperationError(error)
  }
}

func onMemory<R: ~Copyable>(_ body: @autoclosure () throws(SecretMemoryError) -> R)
  throws(OperationError) -> R
{
  do throws(SecretMemoryError) { return try body() } catch { throw OperationError(error) }
}

func onKeys<R: ~Copyable>(_ body: @autoclosure () throws(KeyStoreError) -> R) throws(OperationError)
  -> R
{
  do throws(KeyStoreError) { return try body() } catch { throw OperationError(error) }
}

/// What there was too little of for a request that is answered `busy`.
package enum BusyCause: String, CaseIterable, Sendable {
  /// Uses that the grant allows: in a moment, or in a period.
  case rate, quota
  /// Connections, of this user or in total.
  case connections
  /// Requests that can wait for a second person.
  case approvals
  /// Secrets that a connection can hold.
  case handles
  /// Secret memory.
  case memory
  /// Tokens and envelopes that the guard against their second use can remember; or the same request
  /// is under way.
  case replayGuard = "replay-guard"
  /// Answers of the fleet's store.
  case claims
  /// One-time codes that their record can hold.
  case codes
}
