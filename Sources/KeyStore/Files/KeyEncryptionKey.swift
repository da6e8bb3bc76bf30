package import Host

/// The KEK: 32 bytes from which all keys of a store are derived; used to unlock and then wiped.
package enum KeyEncryptionKey {
  package static let byteCount = 32

  /// Reads a credential file, which must hold exactly the 32 raw bytes. [KS-UNLOCK-CREDENTIAL]
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
