package import CryptoBackend
package import SecretMemory
package import Storage

/// The 32 bytes that everything in a store hangs from; they come in, unlock and go.
package enum KeyEncryptionKey {
  package static let byteCount = 32

  /// A new one from the kernel's generator.
  package static func generate() throws(CryptoError) -> SecretBuffer { try Random.secret(count: byteCount) }

  /// The contents of a credential file: the raw 32 bytes, nothing else. [KS-UNLOCK-CREDENTIAL]
  package static func read(credential path: String, on disk: any Disk = LinuxDisk()) throws(KeyStoreError) -> SecretBuffer {
    let key: SecretBuffer
    do throws(StorageError) {
      key = try DurableFile.readSecret(path, limit: byteCount, on: disk)
    } catch {
      throw error == .tooLarge ? .credential : .storage(error)
    }
    guard key.count == byteCount else { throw .credential }
    return key
  }
}
