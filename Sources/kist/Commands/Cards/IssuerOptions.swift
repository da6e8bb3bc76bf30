import Format
import Host
import KistClient

// The common parts of the issuer's commands.

extension Option {
  /// The label or id of the key.
  static let key: Option = "key"
  /// The descriptor from which a card's number is read, instead of the terminal.
  static let accountDescriptor: Option = "account-fd"
  /// The descriptor from which a code is read, instead of the terminal.
  static let codeDescriptor: Option = "code-fd"
}

extension Arguments {
  /// Bytes in hexadecimal.
  func hex(_ name: String, in counts: ClosedRange<Int>) throws(CommandFailure) -> [UInt8]? {
    guard let text = value(name) else { return nil }
    guard let bytes = Hex.decode(text), counts.contains(bytes.count) else {
      throw .usage(
        "--\(name) takes \(counts.lowerBound) to \(counts.upperBound) bytes in hexadecimal")
    }
    return bytes
  }

  /// One line from the descriptor that `option` names, or from the terminal without echo.
  func secret(_ option: Option, _ prompt: String, limit: Int) throws(CommandFailure) -> SecretBuffer
  {
    guard let descriptor = try number(option.name, in: 0...Int32.max) else {
      return try SilentTerminal(instead: "--\(option.name)").ask(prompt + ": ", limit: limit)
    }
    return try Input(descriptor: descriptor, name: "--\(option.name) \(descriptor)").secretLine(
      limit: limit)
  }

  /// Seconds since 1970 of a moment.
  func moment(_ name: String) throws(CommandFailure) -> Int64? {
    try value(name, "a moment such as 2027-01-31T12:00:00Z") { Timestamp($0)?.seconds }
  }
}

/// A card's number that the caller does not hold: what is given instead, and what only the daemon
/// turns into the number.
enum HiddenAccount {
  case envelope([UInt8], context: [UInt8])
  case surrogate(String, key: String, merchant: String)

  static let options: [Option] = [
    "account-envelope", "associated-data", "account-surrogate", "surrogate-key", "merchant-id",
  ]

  /// Nil where the caller gives the number itself.
  init?(_ arguments: Arguments) throws(CommandFailure) {
    for (part, whole) in [
      ("associated-data", "account-envelope"), ("surrogate-key", "account-surrogate"),
      ("merchant-id", "account-surrogate"),
    ] {
      guard arguments.has(whole) || !arguments.has(part) else {
        throw .usage("--\(part) goes with --\(whole)")
      }
    }
    let given = ["account-envelope", "account-surrogate", Option.accountDescriptor.name].filter(
      arguments.has)
    guard given.count < 2 else {
      throw .usage("--\(given[0]) and --\(given[1]) both give the card number")
    }
    if let envelope = try arguments.hex("account-envelope", in: 1...512) {
      self = .envelope(envelope, context: try arguments.hex("associated-data", in: 0...512) ?? [])
      return
    }
    guard let surrogate = arguments.value("account-surrogate") else { return nil }
    guard !surrogate.isEmpty else { throw .usage("--account-surrogate is empty") }
    self = .surrogate(
      surrogate, key: try arguments.required("surrogate-key"),
      merchant: try arguments.required("merchant-id"))
  }

  func account(_ daemon: Daemon) throws(CommandFailure) -> PassRequest.Account {
    switch self {
    case .envelope(let envelope, let context): .envelope(envelope, context: context)
    case .surrogate(let surrogate, let key, let merchant):
      .surrogate(surrogate, key: try daemon.key(key), merchant: merchant)
    }
  }
}
