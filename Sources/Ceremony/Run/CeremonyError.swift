package import Audit
package import Configuration
package import Crypto
package import Host
package import KeyStore

/// Why a ceremony stopped.
package enum CeremonyError: Error, Equatable {
  case desk(DeskError)
  case refused(Refusal)
  case transcript(TranscriptFault)
  case storage(StorageError)
  case keyStore(KeyStoreError)
  case audit(AuditError)
  case note(NoteError)
  case crypto(CryptoError)
  case sharing(SharingError)
  case component(ComponentError)
  case keyFile(KeyFileError)
  case configuration(ConfigurationError)

  /// A reason of the people or the machine to refuse.
  package enum Refusal: Hashable, Sendable {
    /// There is something where the ceremony's directory should be made.
    case directoryPresent
    /// There is a key store where one is to be made.
    case storePresent
    /// There is no key store where one should be.
    case storeAbsent
    /// The store would belong to another user than the daemon's.
    case otherOwner(String)
    /// Others can write to the ceremony's directory.
    case exposed(String)
    /// A condition of the machine was not accepted.
    case conditions
    /// Somebody did not say yes.
    case notConfirmed
    /// Something was typed wrongly three times.
    case attempts
    /// A key has or had the label.
    case labelTaken
    /// No key has the label, or it is destroyed.
    case keyAbsent
    /// A file that is brought in is not the one that was reviewed.
    case otherFile
    /// A certificate's file holds none, or several.
    case notOneCertificate
    /// The store does not hold what this ceremony recorded; says what differs, if that is known.
    case otherStore(StoreSubject?)
    /// The store's exchange key is not the one that the file names.
    case otherExchangeKey
    /// Somebody whom a step needs is absent.
    case needed(String)
    /// The transcript does not have the checkpoint that is on paper.
    case otherTranscript
    /// A test operation with a new key gave a wrong result.
    case keyTest
  }
}

extension CeremonyError {
  /// Whether nobody can be told more: the terminal is gone, or the transcript takes no more
  /// records.
  var leavesNobody: Bool {
    switch self {
    case .desk(let error): error != .interrupted
    case .audit, .note: true
    case .refused, .transcript, .storage, .keyStore, .crypto, .sharing, .component, .keyFile,
      .configuration:
      false
    }
  }
}

// Each runs code of another module or folder, and tells its error as the ceremony's.

func onDesk<R: ~Copyable>(_ body: @autoclosure () throws(DeskError) -> R) throws(CeremonyError) -> R
{
  do throws(DeskError) { return try body() } catch { throw .desk(error) }
}

func onDisk<R: ~Copyable>(_ body: @autoclosure () throws(DiskError) -> R) throws(CeremonyError) -> R
{
  do throws(DiskError) { return try body() } catch { throw .storage(.disk(error)) }
}

func onStorage<R: ~Copyable>(_ body: @autoclosure () throws(StorageError) -> R)
  throws(CeremonyError) -> R
{
  do throws(StorageError) { return try body() } catch { throw .storage(error) }
}

func onStore<R: ~Copyable>(_ body: @autoclosure () throws(KeyStoreError) -> R) throws(CeremonyError)
  -> R
{
  do throws(KeyStoreError) { return try body() } catch { throw .keyStore(error) }
}

func onLog<R: ~Copyable>(_ body: @autoclosure () throws(AuditError) -> R) throws(CeremonyError) -> R
{
  do throws(AuditError) { return try body() } catch { throw .audit(error) }
}

func onNote<R: ~Copyable>(_ body: @autoclosure () throws(NoteError) -> R) throws(CeremonyError) -> R
{
  do throws(NoteError) { return try body() } catch { throw .note(error) }
}

func onCrypto<R: ~Copyable>(_ body: @autoclosure () throws(CryptoError) -> R) throws(CeremonyError)
  -> R
{
  do throws(CryptoError) { return try body() } catch { throw .crypto(error) }
}

func onShares<R: ~Copyable>(_ body: @autoclosure () throws(SharingError) -> R) throws(CeremonyError)
  -> R
{
  do throws(SharingError) { return try body() } catch { throw .sharing(error) }
}
