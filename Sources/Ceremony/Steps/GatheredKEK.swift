import Crypto
import Host
import KeyStore

/// A KEK recovered from the shares of custodians.
enum GatheredKEK {
  /// Takes shares until one set is complete. The record names everybody whose share is of another
  /// set, even if that share came first.
  ///
  /// - Parameters:
  ///   - expected: the check value of the store's KEK.
  ///   - register: who should hold which share, if the store says so.
  static func ask(for expected: KeyCheckValue, _ register: CustodianRegister?, _ room: CeremonyRoom)
    throws(CeremonyError) -> SecretBuffer
  {
    try room.record(
      .fact(subject: Subject.custodians, value: StoreInventory.text(expected, register)))
    var sets = ShareSets()
    while sets.complete == nil {
      try room.retrying { () throws(CeremonyError) -> Void? in
        guard let turn = try Turn(room, register) else { return nil }
        return try take(turn, into: &sets, room)
      }
    }
    guard let whole = sets.complete else { throw .sharing(.tooFew) }
    for name in sets.odd { try room.note(room.people.administrator, isOdd(name)) }
    let kek = try onShares(whole.combine())
    let check = try onCrypto(KeyCheckValue.aes(kek.bytes))
    guard check == expected else { throw .keyStore(.wrongKEK) }
    try room.readBack(.kek, check.description)
    return kek
  }

  /// Checks the records: shares of as many custodians as the register requires, each as the
  /// register has it.
  ///
  /// - Returns: the store's line on its KEK.
  @discardableResult static func check(_ records: inout RecordCursor) throws(RecordCursor.End)
    -> String
  {
    let custodians = try records.fact(Subject.custodians)
    guard StoreInventory.isKEK(custodians) else {
      throw records.fault(
        "the store's register", .fact(subject: Subject.custodians, value: custodians))
    }
    let earlier = records.exceptions.count
    var names: [String] = []
    while try records.isAnswer(Prompt.holder) {
      let name = try records.answer(records.people.administrator, Prompt.holder)
      if try records.isRefused() { continue }
      guard let person = records.people.person(named: name) else {
        throw records.fault("the name of a custodian")
      }
      let value = try records.share(of: person)
      // If a share is not in the register, an exception must say so, of this share.
      let isKnown =
        custodians.hasSuffix(", no shares")
        || custodians.contains(StoreInventory.holder(person.name, person.user, value))
      guard isKnown || records.isException(person, isUnknown(value)) else {
        throw records.fault("\(name)'s share of the register")
      }
      if try !records.isRefused() { names.append(name) }
    }
    for text in records.exceptions[earlier...] {
      if let place = names.firstIndex(where: { text == isOdd($0) }) { names.remove(at: place) }
    }
    guard Set(names).count >= fewest(custodians) else {
      throw records.fault("shares of \(fewest(custodians)) custodians")
    }
    let check = try records.readBack(.kek)
    guard custodians.hasPrefix("check value \(check), ") else {
      throw records.fault("the check value of the store's KEK")
    }
    return custodians
  }

  /// The fewest shares that open the store, by its register.
  private static func fewest(_ custodians: String) -> Int {
    let groups = custodians.matches(of: /, ([0-9]+) of [0-9]+(?: groups)?/).compactMap { Int($0.1) }
    guard let count = groups.first else { return 2 }
    return groups.dropFirst().sorted().prefix(count).reduce(0, +)
  }

  /// The exception for a share that the store's register does not have, by its fingerprint.
  private static func isUnknown(_ fingerprint: String) -> String {
    "the share \(fingerprint) is not on the store's register"
  }

  /// The exception for a share that did not help to open the store.
  private static func isOdd(_ name: String) -> String {
    "the share of \(name) is of another set than the one that gives the KEK"
  }

  /// - Returns: nil if the share adds nothing.
  private static func take(_ turn: borrowing Turn, into sets: inout ShareSets, _ room: CeremonyRoom)
    throws(CeremonyError) -> Void?
  {
    let name = turn.custodian.name
    guard !sets.has(name, inSetOf: turn.share) else {
      try room.refuse("\(name) has entered a share already; another custodian is needed")
      return nil
    }
    let before = sets.count
    do throws(SharingError) { try sets.add(turn.share, of: name) } catch {
      guard let slip = error.slip else { throw .sharing(error) }
      try room.refuse(slip)
      return nil
    }
    if sets.count > max(before, 1) {
      try room.tell(
        "  the shares so far are of \(sets.count) sets; the first set that is complete counts")
    }
    return ()
  }

  /// A custodian, and the share that they entered.
  private struct Turn: ~Copyable {
    let custodian: Person
    let share: Share

    /// Nil if the person is no custodian or is absent, the words are no share, or the share is
    /// somebody else's.
    init?(_ room: CeremonyRoom, _ register: CustodianRegister?) throws(CeremonyError) {
      let name = try room.ask(room.people.administrator, Prompt.holder)
      guard let custodian = room.people.person(named: name), custodian.roles.contains(.custodian)
      else {
        try room.refuse("the plan has no custodian of that name")
        return nil
      }
      guard room.isPresent(custodian) else {
        try room.refuse("\(name) was absent at the roll call")
        return nil
      }
      guard let share = try ShareDesk.ask(custodian, room) else {
        try room.record(.fact(subject: Subject.refused, value: "words that are no share"))
        return nil
      }
      let fingerprint = share.fingerprint
      // The register has no holder for a share of an older split, but such a share still opens the
      // store.
      if let holder = register?.holder(of: fingerprint), holder.name != name {
        try room.refuse("this is the share of \(holder.name)")
        return nil
      }
      try room.record(
        .entry(
          person: name, subject: "share \(share.header.member + 1)", value: fingerprint.description)
      )
      if let register, register.holder(of: fingerprint) == nil {
        try room.note(custodian, isUnknown(fingerprint.description))
      }
      try room.tell("  fingerprint \(fingerprint)")
      self.custodian = custodian
      self.share = share
    }
  }
}

extension SharingError {
  /// What the custodian, or another one, can correct; nil for other errors.
  fileprivate var slip: String? {
    switch self {
    case .otherSplit: "this share does not fit the others of its set"
    case .duplicate: "this share was entered already"
    case .tooMany: "there are enough shares of this group; another group's is needed"
    case .secretSize, .scheme, .unknownWord, .wordCount, .checksum, .header, .exponent, .tooFew,
      .digest, .crypto:
      nil
    }
  }
}

/// Reads a share, typed word by word, or several words in a line as a hand scanner does.
enum ShareDesk {
  /// One share from one custodian; nil if its words are all in the list but are no valid share.
  static func ask(_ custodian: Person, _ room: CeremonyRoom) throws(CeremonyError) -> Share? {
    var entry: ShareEntry
    do throws(SharingError) { entry = try ShareEntry() } catch { throw .sharing(error) }
    let wordCount = Share.wordCount(size: KeyEncryptionKey.byteCount)
    while entry.count < wordCount {
      let word = try room.askSecret(custodian, "word \(entry.count + 1) of \(wordCount)")
      do throws(SharingError) {
        try entry.add(words: word.bytes)
      } catch {
        if case .wordCount = error {
          try room.tell("  those are more than \(wordCount) words; begin again")
          return nil
        }
        guard case .unknownWord(let number) = error else { throw .sharing(error) }
        try room.tell("  word \(number) is not in the list; type it again, four letters are enough")
      }
    }
    do throws(SharingError) {
      return try entry.finish()
    } catch {
      guard error == .checksum || error == .header else { throw .sharing(error) }
      try room.tell("  a word is wrong: the checksum does not hold; begin again")
      return nil
    }
  }
}
