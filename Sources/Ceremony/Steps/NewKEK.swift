import Configuration
import Crypto
import Host
import KeyStore

/// A KEK that is made and dealt to custodians before anything is sealed under it.
struct NewKEK {
  private let split: PlannedSplit
  /// Whether dice throws are mixed into the KEK beside the kernel's generator.
  private let usesDice: Bool

  init(_ table: TOMLTable, _ people: People) throws(ConfigurationError) {
    split = try PlannedSplit(table, people)
    usesDice = try table.optional("dice")?.boolean() ?? false
  }

  /// What is done with the KEK, a line each, for the script.
  var script: [String] {
    [
      "the new KEK: 32 bytes of the kernel's generator"
        + (usesDice ? ", XOR-ed with \(Dice.throwCount) throws of dice or more" : "")
    ]
      + split.script + ["each custodian enters their share from paper"]
  }

  /// Makes the KEK, shows the sheets, and has every custodian prove theirs; then `body` uses the
  /// KEK, and it is dropped.
  func deal(
    _ room: CeremonyRoom,
    _ body: (borrowing SecretBuffer, CustodianRegister) throws(CeremonyError) -> Void
  ) throws(CeremonyError) {
    let kek = try make(room)
    let custodians = try Deal.hand(out: kek, split, room)
    try body(kek, custodians)
  }

  /// Checks the records of the deal.
  ///
  /// - Returns: the store's line on its KEK once it is sealed under this one.
  func check(_ records: inout RecordCursor) throws(RecordCursor.End) -> String {
    if usesDice {
      let thrown = try records.entry(records.people.administrator, Subject.dice)
      guard thrown.hasSuffix(Dice.throwsText),
        let count = Int(thrown.dropLast(Dice.throwsText.count)), count >= Dice.throwCount
      else {
        throw records.fault("\(Dice.throwCount)\(Dice.throwsText) or more")
      }
    }
    return try Deal.check(split, &records)
  }

  var custodians: [String] { split.custodians }

  private func make(_ room: CeremonyRoom) throws(CeremonyError) -> SecretBuffer {
    var kek = try onCrypto(KeyEncryptionKey.generate())
    guard usesDice else { return kek }
    let thrown = try Dice.ask(room)
    var bytes = kek.mutableBytes
    for i in bytes.indices { bytes[i] ^= thrown.bytes[i] }
    return kek
  }
}

/// Randomness that people can see.
enum Dice {
  /// The number of throws of a six-sided die that give at least 256 bits.
  static let throwCount = 100
  static let throwsText = " throws"

  /// Asks the administrator for the throws, and derives 32 bytes from them with HKDF-SHA256.
  static func ask(_ room: CeremonyRoom) throws(CeremonyError) -> SecretBuffer {
    try room.tell(
      "  throw dice \(throwCount) times or more, and type the faces; blanks do not count")
    let thrown = try room.retrying { () throws(CeremonyError) -> SecretBuffer? in
      let typed = try room.askSecret(room.people.administrator, "faces, 1 to 6")
      guard let faces = try faces(typed) else {
        try room.tell("  that is not \(throwCount) faces from 1 to 6, or more")
        return nil
      }
      return faces
    }
    try room.record(
      .entry(
        person: room.people.administrator.name, subject: Subject.dice,
        value: "\(thrown.count)\(throwsText)"))
    let (salt, info): ([UInt8], [UInt8]) = ([], Array("kist/dice/v1".utf8))
    return try onCrypto(
      HKDFSHA256.derive(secret: thrown.bytes, salt: salt.span, info: info.span, count: 32))
  }

  private static func faces(_ typed: borrowing SecretBuffer) throws(CeremonyError) -> SecretBuffer?
  {
    var count = 0
    for i in 0..<typed.count where typed.bytes[i] != UInt8(ascii: " ") {
      guard (UInt8(ascii: "1")...UInt8(ascii: "6")).contains(typed.bytes[i]) else { return nil }
      count += 1
    }
    guard count >= throwCount else { return nil }
    var faces: SecretBuffer
    do throws(SecretMemoryError) { faces = try SecretBuffer(count: count) } catch {
      throw .desk(.exhausted)
    }
    var next = 0
    var out = faces.mutableBytes
    for i in 0..<typed.count where typed.bytes[i] != UInt8(ascii: " ") {
      out[next] = typed.bytes[i]
      next += 1
    }
    return faces
  }
}
