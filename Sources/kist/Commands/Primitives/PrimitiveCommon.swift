import Format
import KistClient

/// The common parts of the primitives' commands.
enum Primitive {
  /// The last lines of every help.
  static let common = """
      --key KEY      its label, or its id in 32 hexadecimal digits
      --socket PATH  the daemon's socket (default: KIST_ENDPOINT, or
                     /run/kist/kist.sock)
      --timeout S    give up after so many seconds (default: 10)
    """

  static let messageLimit = 64 << 10
}

extension Arguments {
  func hex(_ name: String) throws(CommandFailure) -> [UInt8]? {
    guard let text = value(name) else { return nil }
    guard let bytes = Hex.decode(text) else {
      throw .usage("--\(name) takes hexadecimal digits, an even number of them")
    }
    return bytes
  }

  func requiredHex(_ name: String) throws(CommandFailure) -> [UInt8] {
    guard let bytes = try hex(name) else { throw .usage("--\(name) is missing") }
    return bytes
  }

  func scheme() throws(CommandFailure) -> SignatureScheme {
    let name = try required("scheme")
    guard let scheme = SignatureScheme(name: name) else {
      throw .usage(
        "unknown scheme '\(name)'; there are \(SignatureScheme.names.joined(separator: ", "))")
    }
    return scheme
  }

  /// `--length`, nil for the whole code.
  func codeLength() throws(CommandFailure) -> Int? { try number("length", in: 8...64) }
}

extension Daemon {
  /// The id of the key that `--key` names.
  func key(_ arguments: Arguments) throws(CommandFailure) -> [UInt8] {
    try key(arguments.required("key"))
  }
}

extension ReleasedBytes {
  /// Writes the bytes in hexadecimal and a newline, through secret memory.
  borrowing func writeHex() throws(CommandFailure) {
    var text = try SecretText(capacity: 2 * count + 1)
    withBytes { bytes in
      for i in bytes.indices { text.addHex(bytes[i]) }
    }
    text.add("\n")
    text.write()
  }

  /// Writes the bytes unchanged.
  borrowing func write() { withBytes { Output.write($0) } }
}
