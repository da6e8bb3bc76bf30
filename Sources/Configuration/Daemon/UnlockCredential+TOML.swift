internal import Policy

extension UnlockCredential {
  static func decode(_ table: TOMLTable) throws(ConfigurationError) -> UnlockCredential? {
    guard let node = table.optional("credential") else { return nil }
    let expected = "an absolute path, or the name of a systemd credential"
    let text = try node.string(expected)
    if text.hasPrefix("/") { return .file(try node.path()) }
    // systemd.exec(5): a credential's name is that of a file.
    return .systemd(try node.text(expected) { $0.isToken(count: 255, without: "/:") && $0 != "." && $0 != ".." ? $0 : nil })
  }
}
