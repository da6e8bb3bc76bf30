internal import Configuration
internal import Crypto
internal import Host
internal import KeyStore

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
    ["the new KEK: 32 bytes of the kernel's generator" + (usesDice ? ", XOR-ed with \(Dice.throwCount) throws of dice or more" : "")]
      + split.script + ["each custodian enters their share from paper"]
  }

  /// Makes the KEK, shows the sheets, and has every custodian prove theirs; then `body` uses the KEK, and it is dropped.
  func deal(_ room: CeremonyRoom, _ body: (borrowing SecretBuffer, CustodianRegister) throws(CeremonyError) -> Void) throws(CeremonyError) {
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
      guard thrown.hasSuffix(Dice.throwsText), let count = Int(thrown.dropLast(Dice.throwsText.count)), count >= Dice.throwCount else {
        throw records.fault("\(Dice.throwCount)\(Dice.throwsText) or more")
      }
    }
    return try Deal.check(split, &records)
  }

  var custodians: [String] { split.custodians }

  private func make(_ room: CeremonyRoom) throws(CeremonyError) -> SecretBuffer {
    var kek = try CeremonyError.crypto { () throws(CryptoError) in try KeyEncryptionKey.generate() }
    guard usesDice else { return kek }
    let thrown = try Dice.ask(room)
    var bytes = kek.mutableBytes
    for i in bytes.indices { bytes[i] ^= thrown.bytes[i] }
    return kek
  }
}
