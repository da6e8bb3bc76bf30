/// `[backup]`: where copies of the key store go.
package struct BackupConfiguration: Sendable {
  /// Each copy is a directory in it; nil where none can be made.
  package let directory: String?
  /// The digest of a copy that the key store may be made of, though the log does not say that it was made; 64 hexadecimal digits.
  package let restored: String?

  init(_ table: TOMLTable) throws(ConfigurationError) {
    directory = try table.optional("directory")?.path()
    restored = try table.optional("restored")?.digest()
  }
}
