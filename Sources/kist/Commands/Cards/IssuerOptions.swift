internal import Format
internal import Host
internal import KistClient

// The common parts of the issuer's commands.

extension Option {
  /// The label or id of the key.
  static let key = Option.value("key")
  /// The descriptor from which a card's number is read, instead of the terminal.
  static let accountDescriptor = Option.value("account-fd")
  /// The descriptor from which a code is read, instead of the terminal.
  static let codeDescriptor = Option.value("code-fd")
}

extension Arguments {
  /// Bytes in hexadecimal.
  func hex(_ name: String, in counts: ClosedRange<Int>) throws(CommandFailure) -> [UInt8]? {
    guard let text = value(name) else { return nil }
    guard let bytes = Hex.decode(text), counts.contains(bytes.count) else {
      throw .usage("--\(name) takes \(counts.lowerBound) to \(counts.upperBound) bytes in hexadecimal")
    }
    return bytes
  }

  /// One line from the descriptor that `option` names, or from the terminal without echo.
  func secret(_ option: Option, _ prompt: String, limit: Int) throws(CommandFailure) -> SecretBuffer {
    guard let descriptor = try number(option.name, in: 0...Int32.max) else {
      return try SilentTerminal(instead: "--\(option.name)").ask(prompt + ": ", limit: limit)
    }
    return try Input(descriptor: descriptor, name: "--\(option.name) \(descriptor)").secretLine(limit: limit)
  }

  /// Seconds since 1970 of a moment.
  func moment(_ name: String) throws(CommandFailure) -> Int64? {
    guard let text = value(name) else { return nil }
    guard let moment = Timestamp(text) else { throw .usage("--\(name) takes a moment such as 2027-01-31T12:00:00Z") }
    return moment.seconds
  }
}

extension Daemon {
  /// The id of the key that `--key` names.
  func key(_ name: String) throws(CommandFailure) -> [UInt8] {
    if name.utf8.count == 32, let id = Hex.decode(name) { return id }
    return try key(named: name).id
  }
}
