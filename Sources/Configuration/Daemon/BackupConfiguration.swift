/// `[backup]`: where copies of the key store go.
package struct BackupConfiguration: Sendable {
  /// Holds a directory for each copy; nil if none can be made.
  package let directory: String?
  /// The digest of a copy from which the key store may be restored although the log has no record of the copy; 64 hexadecimal digits.
  package let restored: String?

  init(_ table: TOMLTable) throws(ConfigurationError) {
    directory = try table.optional("directory")?.path()
    restored = try table.optional("restored")?.digest()
  }
}
