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
          try floor.tell("  " + slip)
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

  /// A custodian, and the share that they entered.
  private struct Turn: ~Copyable {
    let custodian: Person
    let share: Share

    /// Nil where somebody is no custodian or has been here, or where the words are no share.
    init?(_ floor: Floor, _ register: CustodianRegister?, after others: [String]) throws(CeremonyError) {
      let name = try floor.ask(floor.people.administrator, "name of the custodian who enters a share")
      guard let custodian = floor.people.person(named: name), custodian.roles.contains(.custodian) else {
        try floor.tell("  the plan has no custodian of that name")
        return nil
      }
      guard !others.contains(name) else {
        try floor.tell("  \(name) has entered a share already; another custodian is needed")
        return nil
      }
      guard let share = try ShareDesk.ask(custodian, floor) else { return nil }
      let fingerprint = try CeremonyError.sharing { () throws(SharingError) in try share.fingerprint() }
      // A share of an older split is nobody's by the register, and opens the store all the same.
      if let holder = register?.holder(of: fingerprint), holder.name != name {
        try floor.tell("  this is the share of \(holder.name)")
        return nil
      }
      try floor.record(.entry(person: name, subject: "share \(share.header.member + 1)", value: fingerprint.description))
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
