import Format
import TestSupport

/// A byte that says which message of the protocol, then the message: what is accepted encodes to
/// itself. [WIRE-3]
enum MessageTarget: FuzzTarget {
  static let name = "message"
  static let byteLimit = 4096

  static func seeds() throws -> [[UInt8]] {
    try WireVector.all().compactMap { vector in
      guard vector.bytes.count < byteLimit, case .message(let name) = vector.subject,
        let index = Schema.messages.firstIndex(where: { $0.name == name })
      else { return nil }
      return [UInt8(index)] + vector.bytes
    }
  }

  static func run(_ input: [UInt8]) throws {
    guard let first = input.first else { return }
    let name = Schema.messages[Int(first) % Schema.messages.count].name
    let bytes = Array(input.dropFirst())
    do {
      let again = try Decoded(.message(name), bytes).bytes
      try promise(again == bytes, "\(name) encodes to other bytes")
    } catch let flaw as Decoded.Flaw {
      throw BrokenPromise(description: "\(flaw)")
    }
  }
}
