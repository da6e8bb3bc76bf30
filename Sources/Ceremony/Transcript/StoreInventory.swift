internal import CryptoBackend
internal import Encoding
internal import KeyBlock
internal import KeyStore
internal import Wire

/// What a key store holds, as a ceremony leaves it: its KEK, who has the shares of that, and every key there is or was.
///
/// Neither how often a key was used nor whether it is active yet is part of it: a daemon may have run since.
struct StoreInventory {
  /// By what they are called on the record: the KEK, and each key.
  private var lines: [StoreSubject: String]

  /// A new store: no keys but the daemon's own, which are not counted.
  init(_ register: CustodianRegister) { lines = [.kek: Self.text(register.kek, register)] }

  init(_ store: KeyStore) throws(CeremonyError) {
    self.init(store.kekCheck, try CeremonyError.keyStore { () throws(KeyStoreError) in try store.custodians() }, store.records)
  }

  /// What a store that is made of the copy will hold.
  init(_ copy: StoreCopy) { self.init(copy.claimedKEK, copy.custodians, copy.claimedRecords) }

  private init(_ kek: KeyCheckValue, _ register: CustodianRegister?, _ records: [KeyRecord]) {
    lines = [.kek: Self.text(kek, register)]
    for record in records { add(record) }
  }

  /// SHA-256 over one line for the KEK and one for each key.
  var digest: Digest256 {
    SHA256.hash(Array(lines.map { "\($0.text): \($1)\n" }.sorted().joined().utf8))
  }

  /// Keys that are not destroyed.
  var keyCount: Int { lines.count { $0.key != .kek && !$0.value.hasSuffix(Self.destroyed) } }

  func line(_ subject: StoreSubject) -> String? { lines[subject] }

  mutating func add(_ record: KeyRecord) {
    if !record.role.isInternal { lines[.key(record.label)] = Self.text(record) }
  }

  mutating func attach(_ certificate: Digest256, to label: KeyLabel) { lines[.key(label)]? += Self.text(certificate) }

  mutating func destroy(_ label: KeyLabel) { lines[.key(label)]? += Self.destroyed }

  mutating func replaceKEK(_ register: CustodianRegister) { lines[.kek] = Self.text(register.kek, register) }
}

extension StoreInventory {
  private static let destroyed = ", destroyed"

  static func text(_ certificate: Digest256) -> String { ", certificate \(certificate.hex)" }

  private static func text(_ check: KeyCheckValue, _ register: CustodianRegister?) -> String {
    guard let register else { return "check value \(check), no shares" }
    let holdings = register.groups.flatMap(\.holdings).map { ", \($0.holder.name) as \($0.holder.user) \($0.fingerprint)" }
    let thresholds = register.groups.map { "\($0.threshold) of \($0.holdings.count)" }.joined(separator: ", ")
    return "check value \(check), set \(register.split), \(register.groupThreshold) of \(register.groups.count) groups, \(thresholds)" + holdings.joined()
  }

  /// What may be added in a key's life comes last.
  private static func text(_ record: KeyRecord) -> String {
    "\(record.role.rawValue), \(record.algorithm.name), id \(Hex.encode(record.id.bytes)), check value \(record.check.text)"
      + (record.merchant.map { ", of \($0.text)" } ?? "") + text(record.otp) + (record.isExportable ? ", exportable" : "")
      + (record.certificate.map { text($0.digest) } ?? "") + (record.state == .destroyed ? destroyed : "")
  }

  private static func text(_ otp: OTPAttributes?) -> String {
    switch otp {
    case .visa(let keySet): ", key set \(keySet)"
    case .mastercard(let alias): alias.map { ", key alias \($0)" } ?? ""
    case .code(let code): ", codes of \(code.digits) digits"
    case nil: ""
    }
  }
}
