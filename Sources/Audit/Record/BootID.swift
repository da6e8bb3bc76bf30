internal import Format

/// The kernel's name for this boot: the sixteen bytes of `/proc/sys/kernel/random/boot_id`.
package struct BootID: Hashable, Sendable {
  /// 32 lower-case digits.
  package let text: String

  /// Parses a UUID with or without hyphens and a final newline; nil for anything else.
  package init?(_ text: some StringProtocol) {
    let digits = String(text.filter { $0 != "-" && $0 != "\n" })
    guard let bytes = Hex.decode(digits), bytes.count == 16 else { return nil }
    self.text = Hex.encode(bytes)
  }
}
