import Host

/// Passphrases, from a person at the terminal or from a descriptor; never from arguments or the
/// environment.
enum SecretInput {
  /// The most bytes of a passphrase.
  static let limit = 1024
  private static let option = "--" + Option.passphraseDescriptor.name

  /// An existing passphrase.
  static func passphrase(_ arguments: Arguments, _ prompt: String) throws(CommandFailure)
    -> SecretBuffer
  {
    if let given = try given(arguments) { return given }
    return try SilentTerminal(instead: option).ask(prompt + ": ", limit: limit)
  }

  /// A new passphrase, which a person types twice, since a typing error would lock everybody out.
  static func newPassphrase(_ arguments: Arguments, _ prompt: String) throws(CommandFailure)
    -> SecretBuffer
  {
    if let given = try given(arguments) { return try notEmpty(given) }
    let terminal = try SilentTerminal(instead: option)
    let chosen = try notEmpty(try terminal.ask(prompt + ": ", limit: limit))
    let again = try terminal.ask(prompt + ", again: ", limit: limit)
    guard same(chosen, again) else { throw .failed("the two passphrases differ") }
    return chosen
  }

  private static func same(_ a: borrowing SecretBuffer, _ b: borrowing SecretBuffer) -> Bool {
    ConstantTime.equal(a.bytes, b.bytes)
  }

  static func notEmpty(_ passphrase: consuming SecretBuffer) throws(CommandFailure) -> SecretBuffer
  {
    guard passphrase.count > 0 else { throw .failed("the passphrase is empty") }
    return passphrase
  }

  /// The passphrase from the descriptor of `--passphrase-fd`; nil if the option is absent.
  static func given(_ arguments: Arguments) throws(CommandFailure) -> SecretBuffer? {
    guard let descriptor = try arguments.number(Option.passphraseDescriptor.name, in: 0...Int32.max)
    else { return nil }
    return try Input(descriptor: descriptor, name: "\(option) \(descriptor)").secretLine(
      limit: limit)
  }
}
