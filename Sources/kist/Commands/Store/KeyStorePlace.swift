import Ceremony
import Crypto
import Format
import Glibc
import Host
import KeyStore

/// A state directory in which there is no key store yet.
struct KeyStorePlace {
  private let parent: String
  private static let name = "keys"

  var path: String { parent + "/" + Self.name }

  /// - Throws: if a store could not be made there, or the daemon could not use it.
  init(_ directory: String) throws(CommandFailure) {
    var status = stat()
    guard unsafe stat(directory, &status) == 0 else {
      throw .failed(
        "\(directory): \(SystemError.text(errno)); make it first, with mode 0700, for the user that kistd runs as"
      )
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .failed("\(directory): not a directory") }
    guard status.st_uid == geteuid() else {
      throw .failed(
        "\(directory) belongs to user \(status.st_uid): run this as that user, or kistd could not read the key store"
      )
    }
    parent = directory
    do throws(KeyStoreError) {
      _ = try LockedKeyStore.open(path)
    } catch {
      guard error == .absent else { throw Self.failure(path, error) }
      return
    }
    throw Self.failure(path, .present)
  }

  /// Makes the store; the KEK's file is written first, so that there is never a store that nothing
  /// opens.
  func create(_ kek: borrowing SecretBuffer, _ arguments: Arguments) throws(CommandFailure)
    -> LockedKeyStore
  {
    let kind: StoreKind = arguments.has("rehearsal") ? .rehearsal : .production
    guard !arguments.has("no-passphrase") else {
      return try beside(arguments.value("credential-out"), kek) { () throws(KeyStoreError) in
        try LockedKeyStore.create(Self.name, in: parent, kek: kek, kind: kind, at: .now)
      }
    }
    let passphrase = try SecretInput.newPassphrase(arguments, "New passphrase of the key store")
    return try beside(arguments.value("credential-out"), kek) { () throws(KeyStoreError) in
      try LockedKeyStore.create(
        Self.name, in: parent, kek: kek, passphrase: passphrase.bytes, kind: kind, at: .now)
    }
  }

  /// Makes the store from a backup.
  func restore(_ copy: StoreCopy, from path: String, _ digest: Digest256, _ codes: StoreCopy.Codes)
    throws(CommandFailure)
  {
    do throws(KeyStoreError) {
      try copy.restore(to: Self.name, in: parent, digest: digest, codes: codes, at: .now)
    } catch {
      guard error == .otherCopy || error == .strays else { throw Self.failure(self.path, error) }
      throw isNot(copy, path, error)
    }
  }

  /// What is said of a copy that is not the one with the given digest.
  func isNot(_ copy: StoreCopy, _ path: String, _ error: KeyStoreError = .otherCopy)
    -> CommandFailure
  {
    .failed(
      "\(path): \(error.text(whereInUse: "")); its digest is \(copy.facts.digest.hex), and nothing was made"
    )
  }

  private func beside(
    _ credential: String?, _ kek: borrowing SecretBuffer,
    _ make: () throws(KeyStoreError) -> LockedKeyStore
  ) throws(CommandFailure) -> LockedKeyStore {
    if let credential { try Self.write(kek, to: credential) }
    do throws(KeyStoreError) {
      return try make()
    } catch {
      if let credential { try? LinuxDisk().remove(credential) }
      throw Self.failure(path, error)
    }
  }

  private static func failure(_ path: String, _ error: KeyStoreError) -> CommandFailure {
    .failed("\(path): " + error.text(whereInUse: "it is left as it is"))
  }

  /// Writes the KEK to a new file, which is either durable afterwards or absent.
  static func write(_ kek: borrowing SecretBuffer, to path: String) throws(CommandFailure) {
    do throws(DiskError) {
      let file = try File(path, .create(mode: 0o600), on: LinuxDisk())
      try file.write(kek.bytes, at: 0)
      try file.sync()
    } catch {
      if error.call != .open { try? LinuxDisk().remove(path) }
      throw .failed("\(path): \(error.text)")
    }
  }
}

extension StoreCopy {
  /// The result of the work with the copy at `path`; errors become advice to the operator.
  static func told<R>(_ path: String, _ work: @autoclosure () throws(KeyStoreError) -> R)
    throws(CommandFailure)
    -> R
  {
    do throws(KeyStoreError) { return try work() } catch {
      throw .failed("\(path): " + error.text(whereInUse: "take a copy of it"))
    }
  }
}

extension KeyStoreError {
  /// - Parameter advice: what to do if another process has the key store open.
  func text(whereInUse advice: String) -> String { self == .inUse ? text + "; " + advice : text }
}
