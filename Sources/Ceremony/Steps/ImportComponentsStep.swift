package import Configuration
import Crypto
import Host
package import KeyStore

/// Imports a key that was exchanged with another machine, from components that two or three
/// custodians hold.
package struct ImportComponentsStep: CeremonyStep {
  package static let kind = "import-components"
  let key: PlannedKey
  /// The first one has component 1.
  let custodians: [String]
  /// The check value of the whole key, as its sender wrote it.
  let check: KeyCheckValue
  private let algorithm: KeyAlgorithm
  private let components: ComponentAlgorithm
  private let parity: KeyComponents.Parity

  package init(_ table: TOMLTable, _ people: People) throws(ConfigurationError) {
    let key = try PlannedKey(table)
    self.key = key
    custodians = try people.custodians("custodians", of: table, 2...3)
    check = try table.text("kcv", Self.expectedCheck) {
      KeyCheckValue(hex: $0.filter { $0 != " " })
    }
    if key.role.allows(.aes256) {
      algorithm = .aes256
      components = .aes256
      parity = .odd
    } else if key.role.allows(.tripleDES2) {
      algorithm = .tripleDES2
      components = .tripleDES2
      parity = try table.optional("any_parity")?.boolean() ?? false ? .any : .odd
    } else {
      throw table.error(
        "'role' is \(key.role.rawValue), whose keys do not come in components; expected one of AES-256 or TDEA-2"
      )
    }
  }

  package var newLabel: KeyLabel? { key.label }

  package var script: [String] {
    ["\(key.text), \(algorithm.name), from \(custodians.count) components"]
      + custodians.enumerated().map {
        "\($1) enters component \($0 + 1) from paper, and its check value"
      }
      + ["the key's check value must be \(check), and is read back"]
  }

  package var needed: [String] { custodians }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    let people = custodians.compactMap(records.people.person)
    if records.kind == .rehearsal {
      for number in people.indices {
        try records.confirmation(people[number], Prompt.alone("component \(number + 1)"))
      }
    }
    for (index, custodian) in people.enumerated() {
      try checkComponent(index + 1, custodian, &records)
    }
    try key.check(algorithm, from: records.kind == .production ? check.description : "", &records)
  }

  private func checkComponent(_ number: Int, _ custodian: Person, _ records: inout RecordCursor)
    throws(RecordCursor.End)
  {
    var answer = ""
    repeat {
      answer = try records.answer(custodian, Prompt.componentCheck(number))
    } while try records.isRefused()
    guard let check = KeyCheckValue(hex: answer.filter { $0 != " " }) else {
      throw records.fault("the check value of component \(number)")
    }
    try records.entry(custodian, Subject.component(number, of: key.label), check.description)
  }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    let people = custodians.compactMap(room.people.person)
    let check =
      room.kind == .production
      ? check : try TestComponents.hand(out: people, of: key.label, components, room)
    var held = try Self.components { () throws(ComponentError) in
      try KeyComponents(components, expected: custodians.count, parity: parity)
    }
    for custodian in people { try take(from: custodian, into: &held, room) }
    let whole: SecretBuffer
    do throws(ComponentError) { whole = try held.combine(check: check) } catch {
      throw .component(error)
    }
    try key.accept(.symmetric(whole), algorithm, room)
  }

  private func take(from custodian: Person, into held: inout KeyComponents, _ room: CeremonyRoom)
    throws(CeremonyError)
  {
    let number = held.taken + 1
    try room.retrying { () throws(CeremonyError) -> Void? in
      let digits = try room.askSecret(
        custodian,
        "component \(number) of \(custodians.count), \(2 * components.byteCount) hexadecimal digits"
      )
      let answer = try room.ask(custodian, Prompt.componentCheck(number))
      guard let check = KeyCheckValue(hex: answer.filter { $0 != " " }) else {
        try room.refuse("a check value has 6 or 10 hexadecimal digits")
        return nil
      }
      guard
        let component = try onCrypto(SecretHex.decode(digits.bytes))
      else {
        try room.refuse("that is not hexadecimal")
        return nil
      }
      do throws(ComponentError) {
        try held.take(component.bytes, check: check)
      } catch {
        guard let slip = error.slip else { throw .component(error) }
        try room.refuse(slip)
        return nil
      }
      return try room.record(
        .entry(
          person: custodian.name, subject: Subject.component(number, of: key.label),
          value: check.description))
    }
  }

  private static let expectedCheck = "the check value of the whole key, 6 or 10 hexadecimal digits"

  private static func components<R: ~Copyable>(_ body: () throws(ComponentError) -> R)
    throws(CeremonyError) -> R
  {
    do throws(ComponentError) { return try body() } catch { throw .component(error) }
  }
}

extension ComponentError {
  /// What a custodian can correct; nil for other errors.
  fileprivate var slip: String? {
    switch self {
    case .length: "that is not as long as the key"
    case .parity: "a byte has even parity: a digit is wrong"
    case .checkValue: "the check value differs: a digit is wrong"
    case .zeroComponent: "a component cannot be all zeros"
    case .equal: "that is the same as an earlier component"
    case .count, .surplus, .missing, .zeroKey, .equalParts, .combinedCheckValue, .crypto: nil
    }
  }
}

/// Components of a test key: in a rehearsal each custodian is shown one, in place of the component
/// that a courier will bring.
enum TestComponents {
  /// - Returns: the check value of the whole key.
  static func hand(
    out custodians: [Person], of label: KeyLabel, _ algorithm: ComponentAlgorithm,
    _ room: CeremonyRoom
  ) throws(CeremonyError) -> KeyCheckValue {
    var whole = try onCrypto(zeros(algorithm))
    for (row, custodian) in custodians.enumerated() {
      let component = try onCrypto(make(algorithm))
      let check = try onCrypto(algorithm.checkValue(of: component.bytes))
      var bytes = whole.mutableBytes
      for i in bytes.indices { bytes[i] ^= component.bytes[i] }
      try room.confirm(custodian, Prompt.alone("component \(row + 1)"))
      var page = try SecretPage()
      page.add(
        "REHEARSAL: this component is of no key\n\nComponent \(row + 1) of \(custodians.count) of \(label)\nCustodian \(custodian.name)\n\nDigits      "
      )
      page.add(hex: component.bytes)
      page.add(
        "\nCheck value \(check)\n\nWrite this down, compare it, then press Return; nobody can show it again.\n"
      )
      try room.showAlone(custodian, page)
    }
    return try onCrypto(algorithm.checkValue(of: whole.bytes))
  }

  private static func make(_ algorithm: ComponentAlgorithm) throws(CryptoError) -> SecretBuffer {
    var component = try Random.secret(count: algorithm.byteCount)
    guard algorithm.isTripleDES else { return component }
    var bytes = component.mutableBytes
    DESParity.setOdd(&bytes)
    return component
  }

  private static func zeros(_ algorithm: ComponentAlgorithm) throws(CryptoError) -> SecretBuffer {
    do throws(SecretMemoryError) { return try SecretBuffer(count: algorithm.byteCount) } catch {
      throw .exhausted
    }
  }
}
