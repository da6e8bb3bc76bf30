internal import CryptoBackend
internal import KeyBlock
internal import KeyStore
internal import SecretMemory
internal import SecretSharing

/// A KEK out of the shares of as many custodians as it takes.
enum GatheredKEK {
  /// - Parameters:
  ///   - expected: the check value that the store has of its KEK.
  ///   - register: who should hold which share, where the store says so.
  static func ask(for expected: KeyCheckValue, _ register: CustodianRegister?, _ floor: Floor) throws(CeremonyError) -> SecretBuffer {
    try floor.record(.fact(subject: Subject.custodians, value: StoreInventory.text(expected, register)))
    let first = try floor.retrying { () throws(CeremonyError) -> Turn? in try Turn(floor, register, after: []) }
    var names = [first.custodian.name]
    var shares = try CeremonyError.sharing { () throws(SharingError) in try ShareCollection(first.share) }
    while !shares.isComplete {
      let turn = try floor.retrying { () throws(CeremonyError) -> Turn? in
        guard let turn = try Turn(floor, register, after: names) else { return nil }
        do throws(SharingError) {
          try shares.add(turn.share)
          return turn
        } catch {
          guard let slip = error.slip else { throw .sharing(error) }
          try floor.refuse(slip)
          return nil
        }
      }
      names.append(turn.custodian.name)
    }
    let kek = try CeremonyError.sharing { () throws(SharingError) in try shares.combine() }
    let check = try CeremonyError.crypto { () throws(CryptoError) in try KeyCheckValue.aes(kek.bytes) }
    guard check == expected else { throw .keyStore(.wrongKEK) }
    try floor.readBack(.kek, check.description)
    return kek
  }

  /// Checks the records of it: shares of as many custodians as the register wants, each as it has them.
  ///
  /// - Returns: what the store says of its KEK.
  @discardableResult static func check(_ records: inout RecordCursor) throws(RecordCursor.End) -> String {
    let custodians = try records.fact(Subject.custodians)
    guard StoreInventory.isKEK(custodians) else { throw records.fault("the store's register", .fact(subject: Subject.custodians, value: custodians)) }
    var names: Set<String> = []
    while try records.isAnswer(Prompt.holder) {
      let name = try records.answer(records.people.administrator, Prompt.holder)
      if try records.isRefused() { continue }
      guard let person = records.people.person(named: name) else { throw records.fault("the name of a custodian") }
      let value = try records.share(of: person)
      // Of one that is not on the register, an exception says so.
      let isKnown = custodians.hasSuffix(", no shares") || custodians.contains(StoreInventory.holder(person.name, person.user, value))
      guard isKnown || records.isException else { throw records.fault("\(name)'s share of the register") }
      if try !records.isRefused() { names.insert(name) }
    }
    guard names.count >= fewest(custodians) else { throw records.fault("shares of \(fewest(custodians)) custodians") }
    let check = try records.readBack(.kek)
    guard custodians.hasPrefix("check value \(check), ") else { throw records.fault("the check value of the store's KEK") }
    return custodians
  }

  /// The fewest shares that open the store, by what its register says.
  private static func fewest(_ custodians: String) -> Int {
    let groups = custodians.matches(of: /, ([0-9]+) of [0-9]+(?: groups)?/).compactMap { Int($0.1) }
    guard let count = groups.first else { return 2 }
    return groups.dropFirst().sorted().prefix(count).reduce(0, +)
  }

  /// A custodian, and the share that they entered.
  private struct Turn: ~Copyable {
    let custodian: Person
    let share: Share

    /// Nil where somebody is no custodian or has been here, or where the words are no share.
    init?(_ floor: Floor, _ register: CustodianRegister?, after others: [String]) throws(CeremonyError) {
      let name = try floor.ask(floor.people.administrator, Prompt.holder)
      guard let custodian = floor.people.person(named: name), custodian.roles.contains(.custodian) else {
        try floor.refuse("the plan has no custodian of that name")
        return nil
      }
      guard floor.isPresent(custodian) else {
        try floor.refuse("\(name) was absent at the roll call")
        return nil
      }
      guard !others.contains(name) else {
        try floor.refuse("\(name) has entered a share already; another custodian is needed")
        return nil
      }
      guard let share = try ShareDesk.ask(custodian, floor) else {
        try floor.record(.fact(subject: Subject.refused, value: "words that are no share"))
        return nil
      }
      let fingerprint = try CeremonyError.sharing { () throws(SharingError) in try share.fingerprint() }
      // A share of an older split is nobody's by the register, and opens the store all the same.
      if let holder = register?.holder(of: fingerprint), holder.name != name {
        try floor.refuse("this is the share of \(holder.name)")
        return nil
      }
      try floor.record(.entry(person: name, subject: "share \(share.header.member + 1)", value: fingerprint.description))
      if let register, register.holder(of: fingerprint) == nil {
        try floor.note(custodian, "the share \(fingerprint) is not on the store's register")
      }
      try floor.tell("  fingerprint \(fingerprint)")
      self.custodian = custodian
      self.share = share
    }
  }
}

extension SharingError {
  /// What another custodian can mend; nil for the rest.
  fileprivate var slip: String? {
    switch self {
    case .otherSplit: "this share is of another set"
    case .duplicate: "this share is there already"
    case .tooMany: "there are enough shares of this group; another group's is needed"
    case .secretSize, .scheme, .unknownWord, .wordCount, .checksum, .header, .exponent, .tooFew, .digest, .crypto: nil
    }
  }
}
