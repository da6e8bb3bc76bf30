/// `[unlock] credential`: what unlocks the key store without an operator.
package enum UnlockCredential: Hashable, Sendable {
  /// A file, by its absolute path.
  case file(String)
  /// A systemd credential, by its name under `$CREDENTIALS_DIRECTORY`.
  case systemd(String)

  static func decode(_ table: TOMLTable) throws(ConfigurationError) -> UnlockCredential? {
    guard let node = table.optional("credential") else { return nil }
    let expected = "an absolute path, or the name of a systemd credential"
    let text = try node.string(expected)
    if text.hasPrefix("/") { return .file(try node.path()) }
    return .systemd(try node.text(expected) { isName($0) ? $0 : nil })
  }

  /// systemd.exec(5): a credential's name is that of a file.
  private static func isName(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && text != "." && text != ".."
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
  }
}
