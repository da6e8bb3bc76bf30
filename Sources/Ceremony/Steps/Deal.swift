import Crypto
import Host
import KeyStore

/// A KEK that has been split: custodians write their shares on paper, and then enter them from it.
struct Deal: ~Copyable {
  private let shares: ShareCollection
  private let plan: PlannedSplit
  private let custodians: [Person]
  private let check: KeyCheckValue

  /// Splits a KEK, shows the sheets, and has every custodian enter theirs from paper; afterwards
  /// `kek` may be dropped.
  ///
  /// - Returns: who holds which share.
  static func hand(out kek: borrowing SecretBuffer, _ plan: PlannedSplit, _ room: CeremonyRoom)
    throws(CeremonyError) -> CustodianRegister
  {
    let deal = try split(kek, plan, room)
    try deal.hand(out: room)
    try deal.takeBack(room)
    return try deal.register()
  }

  /// Checks the records of a deal.
  ///
  /// - Returns: the store's line on its KEK once the store is made.
  static func check(_ plan: PlannedSplit, _ records: inout RecordCursor) throws(RecordCursor.End)
    -> String
  {
    let set = try records.fact(Subject.shareSet)
    guard set.hasSuffix(tried(plan)) else {
      throw records.fault("a share set" + tried(plan), .fact(subject: Subject.shareSet, value: set))
    }
    let check = try records.readBack(.kek)
    let custodians = plan.custodians.compactMap(records.people.person)
    var fingerprints: [String] = []
    for (row, custodian) in custodians.enumerated() {
      let title = plan.title(row)
      try records.confirmation(custodian, Prompt.alone(title))
      fingerprints.append(try records.sheet(custodian, title))
      if plan.offersCode { try checkCode(custodian, title, &records) }
      try records.answer(custodian, Prompt.envelope(title))
    }
    for (row, custodian) in custodians.enumerated() {
      try records.entry(custodian, plan.title(row), fingerprints[row])
    }
    var holders = zip(custodians, fingerprints).map { ($0.name, $0.user, $1) }[...]
    let groups = plan.groups.map { group in
      defer { holders = holders.dropFirst(group.custodians.count) }
      return (group.threshold, Array(holders.prefix(group.custodians.count)))
    }
    return StoreInventory.text(
      check, String(set.dropLast(tried(plan).count)), plan.groupThreshold, groups)
  }

  private static func checkCode(_ custodian: Person, _ title: String, _ records: inout RecordCursor)
    throws(RecordCursor.End)
  {
    while try records.answer(custodian, Prompt.code(title)) == "yes" {
      // If the terminal is too small, the question is asked again.
      guard try !records.isAnswer(Prompt.code(title)) else { continue }
      try records.fact(Subject.code(title), shown(custodian))
      return
    }
  }

  private static func tried(_ plan: PlannedSplit) -> String { ", \(plan.text), every subset tried" }
  private static func shown(_ custodian: Person) -> String { "shown to \(custodian.name)" }

  /// Splits the KEK, tries every sufficient set of shares, and has the KEK's check value read back.
  private static func split(
    _ kek: borrowing SecretBuffer, _ plan: PlannedSplit, _ room: CeremonyRoom
  ) throws(CeremonyError) -> Deal {
    let check = try onCrypto(KeyCheckValue.aes(kek.bytes))
    let shares = try onShares(ShareCollection.split(kek.bytes, by: plan.scheme()))
    try onShares(shares.checkEverySubset(gives: kek.bytes))
    try room.record(
      .fact(
        subject: Subject.shareSet, value: "\(shares.headers[0].split.identifier)" + Self.tried(plan)
      ))
    try room.readBack(.kek, check.description)
    return Deal(
      shares: shares, plan: plan, custodians: plan.custodians.compactMap(room.people.person),
      check: check)
  }

  /// Shows every custodian their sheet, alone, and records the number of its envelope.
  private func hand(out room: CeremonyRoom) throws(CeremonyError) {
    for (row, custodian) in custodians.enumerated() {
      let share = try onShares(shares.share(row))
      let fingerprint = share.fingerprint
      try room.confirm(custodian, Prompt.alone(plan.title(row)))
      let page = try page(share, row, custodian, fingerprint, room)
      try room.showAlone(custodian, page)
      try room.record(
        .sheet(person: custodian.name, subject: plan.title(row), value: fingerprint.description))
      if plan.offersCode { try offerCode(share, row, custodian, room) }
      _ = try room.ask(custodian, Prompt.envelope(plan.title(row)))
    }
  }

  /// Has every custodian enter their share from paper, to prove that it was written down and can be
  /// read.
  private func takeBack(_ room: CeremonyRoom) throws(CeremonyError) {
    for (row, custodian) in custodians.enumerated() {
      let expected = try onShares(shares.share(row).fingerprint)
      try room.tell("  \(custodian.name) enters \(plan.title(row)) from paper")
      let entered = try room.retrying { () throws(CeremonyError) -> Share? in
        guard let share = try ShareDesk.ask(custodian, room) else { return nil }
        guard share.fingerprint == expected else {
          try room.tell("  these words are a share, but not this one")
          return nil
        }
        return share
      }
      let fingerprint = entered.fingerprint
      try room.record(
        .entry(person: custodian.name, subject: plan.title(row), value: fingerprint.description))
      try room.tell("  \(plan.title(row)) is as it was shown: \(fingerprint)")
    }
  }

  /// Who holds which share, as the store keeps it.
  private func register() throws(CeremonyError) -> CustodianRegister {
    var holders: [Custodian] = []
    for person in custodians {
      guard let holder = Custodian(name: person.name, user: person.user) else {
        throw .keyStore(.custodians)
      }
      holders.append(holder)
    }
    return try onStore(CustodianRegister(shares, holders: holders, kek: check))
  }

  /// Three columns of eleven numbered words.
  private func page(
    _ share: borrowing Share, _ row: Int, _ custodian: Person, _ fingerprint: ShareFingerprint,
    _ room: CeremonyRoom
  ) throws(CeremonyError) -> SecretPage {
    let words = try onShares(share.words())
    let places = Self.places(words.bytes)
    var page = try heading(
      row, "\(plan.opening(row)); set \(share.header.split.identifier)", custodian, room)
    page.add("\n")
    let lines = (places.count + 2) / 3
    for line in 0..<lines {
      for index in stride(from: line, to: places.count, by: lines) {
        page.add(index < 9 ? " \(index + 1). " : "\(index + 1). ")
        page.add(words.bytes.extracting(places[index]), width: 12)
      }
      page.add("\n")
    }
    page.add("\nFingerprint      \(fingerprint)\nKEK check value  \(check)\n")
    page.add("\nWrite this down, compare it, then press Return; nobody can show it again.\n")
    return page
  }

  private func heading(_ row: Int, _ text: String, _ custodian: Person, _ room: CeremonyRoom)
    throws(CeremonyError) -> SecretPage
  {
    var page = try SecretPage()
    if room.kind == .rehearsal { page.add("REHEARSAL: this share opens nothing\n\n") }
    page.add(
      "Ceremony \(room.plan.id), \(room.plan.date)\n\(plan.title(row)), \(text)\nCustodian \(custodian.name)\n"
    )
    return page
  }

  private static func places(_ words: Span<UInt8>) -> [Range<Int>] {
    var places: [Range<Int>] = []
    var start = 0
    for i in 0...words.count where i == words.count || words[i] == UInt8(ascii: " ") {
      places.append(start..<i)
      start = i + 1
    }
    return places
  }
}

extension Deal {
  /// Shows the words again as a QR code, if the custodian wants that.
  private func offerCode(
    _ share: borrowing Share, _ row: Int, _ custodian: Person, _ room: CeremonyRoom
  ) throws(CeremonyError) {
    while try room.ask(custodian, Prompt.code(plan.title(row))) == "yes" {
      let screen = room.screen
      guard screen.columns >= QRSymbol.columns, screen.lines >= Self.codeLines else {
        try room.tell(
          "  the code needs \(QRSymbol.columns) columns and \(Self.codeLines) lines, and this terminal has \(screen.columns) and \(screen.lines):"
            + " enlarge it and say yes again, or no, and the words alone were shown")
        continue
      }
      let page = try codePage(share, row, custodian, room)
      try room.showAlone(custodian, page)
      return try room.record(
        .fact(subject: Subject.code(plan.title(row)), value: Self.shown(custodian)))
    }
  }

  /// Including the text above and below the code, and the cursor's line.
  private static let codeLines = QRSymbol.lines + 7

  private func codePage(
    _ share: borrowing Share, _ row: Int, _ custodian: Person, _ room: CeremonyRoom
  ) throws(CeremonyError) -> SecretPage {
    let words = try onShares(share.words())
    var page = try heading(row, "its words as a QR code", custodian, room)
    do throws(QRCodeError) {
      page.add(try QRSymbol(words.bytes))
    } catch {
      switch error {
      case .exhausted: throw .desk(.exhausted)
      // A share's words have only letters and spaces, and at most 296 of them.
      case .letter, .tooLong: throw .desk(.tooLong)
      }
    }
    page.add("Scan this, then press Return; nobody can show it again.\n")
    return page
  }
}
