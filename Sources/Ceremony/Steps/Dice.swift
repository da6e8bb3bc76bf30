internal import Crypto
internal import Host

/// Randomness that people can see.
enum Dice {
  /// The number of throws of a six-sided die that give at least 256 bits.
  static let throwCount = 100
  static let throwsText = " throws"

  /// Asks the administrator for the throws, and derives 32 bytes from them with HKDF-SHA256.
  static func ask(_ room: CeremonyRoom) throws(CeremonyError) -> SecretBuffer {
    try room.tell("  throw dice \(throwCount) times or more, and type the faces; blanks do not count")
    let thrown = try room.retrying { () throws(CeremonyError) -> SecretBuffer? in
      let typed = try room.askSecret(room.people.administrator, "faces, 1 to 6")
      guard let faces = try faces(typed) else {
        try room.tell("  that is not \(throwCount) faces from 1 to 6, or more")
        return nil
      }
      return faces
    }
    try room.record(.entry(person: room.people.administrator.name, subject: Subject.dice, value: "\(thrown.count)\(throwsText)"))
    let (salt, info): ([UInt8], [UInt8]) = ([], Array("kist/dice/v1".utf8))
    return try CeremonyError.crypto { () throws(CryptoError) in
      try HKDFSHA256.derive(secret: thrown.bytes, salt: salt.span, info: info.span, count: 32)
    }
  }

  private static func faces(_ typed: borrowing SecretBuffer) throws(CeremonyError) -> SecretBuffer? {
    var count = 0
    for i in 0..<typed.count where typed.bytes[i] != UInt8(ascii: " ") {
      guard (UInt8(ascii: "1")...UInt8(ascii: "6")).contains(typed.bytes[i]) else { return nil }
      count += 1
    }
    guard count >= throwCount else { return nil }
    var faces: SecretBuffer
    do throws(SecretMemoryError) { faces = try SecretBuffer(count: count) } catch { throw .desk(.exhausted) }
    var next = 0
    var out = faces.mutableBytes
    for i in 0..<typed.count where typed.bytes[i] != UInt8(ascii: " ") {
      out[next] = typed.bytes[i]
      next += 1
    }
    return faces
  }
}
