internal import Policy

extension BackupConfiguration {
  init(_ table: TOMLTable) throws(ConfigurationError) {
    self.init()
    directory = try table.optional("directory")?.path()
    forgotten = try table.optional("forgotten")?.digest()
    restored = try table.optional("restored")?.digest()
  }
}
