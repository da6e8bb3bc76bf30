/// `[backup]`: where copies of the key store go.
package struct BackupConfiguration: Sendable {
  /// Holds a directory for each copy; nil if none can be made.
  package let directory: String?
  /// The digest of a copy from which the key store may be restored although the log has no record of the copy; 64 hexadecimal digits.
  package let restored: String?
  /// The digest of a copy from which the key store may be restored although records of the log since are gone; 64 hexadecimal digits.
  package let forgotten: String?

  init(_ table: TOMLTable) throws(ConfigurationError) {
    directory = try table.optional("directory")?.path()
    forgotten = try table.optional("forgotten")?.digest()
    restored = try table.optional("restored")?.digest()
  }
}
