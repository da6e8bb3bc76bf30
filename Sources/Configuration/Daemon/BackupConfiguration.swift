/// `[backup]`: where copies of the key store go.
package struct BackupConfiguration: Sendable {
  /// Each copy is a directory in it; nil where none can be made.
  package let directory: String?

  init(_ table: TOMLTable) throws(ConfigurationError) { directory = try table.optional("directory")?.path() }
}
