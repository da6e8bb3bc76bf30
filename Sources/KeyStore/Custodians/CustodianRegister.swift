package import Crypto
internal import Format

/// Who holds which share of the KEK: public, and authenticated with the KEK once that is known. [KS-CUSTODIANS]
package struct CustodianRegister: Hashable, Sendable {
  /// One share and its holder.
  package struct Holding: Hashable, Sendable {
    package let fingerprint: ShareFingerprint
    package let holder: Custodian

    package init(fingerprint: ShareFingerprint, holder: Custodian) { (self.fingerprint, self.holder) = (fingerprint, holder) }
  }

  package struct Group: Hashable, Sendable {
    /// How many of the holdings are needed.
    package let threshold: Int
    /// In the order of the shares' indices.
    package let holdings: [Holding]

    package init(threshold: Int, holdings: [Holding]) { (self.threshold, self.holdings) = (threshold, holdings) }
  }

  /// The split's identifier, 15 bits, which every share repeats.
  package let split: UInt16
  /// How many of the groups are needed.
  package let groupThreshold: Int
  package let groups: [Group]
  package let kek: KeyCheckValue

  /// - Throws: `KeyStoreError.custodians` for an impossible split, or if somebody would hold two shares.
  package init(split: UInt16, groupThreshold: Int, groups: [Group], kek: KeyCheckValue) throws(KeyStoreError) {
    (self.split, self.groupThreshold, self.groups, self.kek) = (split, groupThreshold, groups, kek)
    let holdings = groups.flatMap(\.holdings)
    guard split < 1 << 15, Set(holdings.map(\.holder.user)).count == holdings.count, Set(holdings.map(\.holder.name)).count == holdings.count,
      Set(holdings.map(\.fingerprint)).count == holdings.count
    else { throw .custodians }
    do throws(SharingError) {
      var scheme: [SharingScheme.Group] = []
      for group in groups { scheme.append(try SharingScheme.Group(group.threshold, of: group.holdings.count)) }
      _ = try SharingScheme(groupThreshold: groupThreshold, groups: scheme)
    } catch { throw .custodians }
  }

  /// The holder of the share with this fingerprint.
  package func holder(of fingerprint: ShareFingerprint) -> Custodian? {
    groups.lazy.flatMap(\.holdings).first { $0.fingerprint == fingerprint }?.holder
  }

  /// The fewest shares that are still needed, given how many of each group are present.
  ///
  /// - Parameter present: counts by the group's index; a group without an entry has none.
  package func missing(with present: [Int: Int]) -> Int {
    groups.enumerated().map { max(0, $1.threshold - (present[$0] ?? 0)) }.sorted().prefix(groupThreshold).reduce(0, +)
  }
}

extension CustodianRegister {
  private static let format = "kist-custodians/v1"

  var json: CanonicalJSON {
    [
      "format": .string(Self.format), "group_threshold": .integer(Int64(groupThreshold)), "groups": .array(groups.map(\.json)),
      "kek": .string(kek.text), "split": .integer(Int64(split)),
    ]
  }

  init(_ json: CanonicalJSON) throws(KeyStoreError) {
    do throws(CanonicalJSONError) {
      var fields = try CanonicalJSONFields(json)
      guard try fields.string("format") == Self.format, let kek = KeyCheckValue(hex: try fields.string("kek")) else { throw .schema }
      let (threshold, split) = (try fields.integer("group_threshold"), try fields.integer("split"))
      guard let split = UInt16(exactly: split), (1...16).contains(threshold) else { throw .schema }
      var groups: [Group] = []
      for element in try fields.array("groups") { groups.append(try Group(element)) }
      try fields.end()
      do throws(KeyStoreError) { try self.init(split: split, groupThreshold: Int(threshold), groups: groups, kek: kek) } catch { throw .schema }
    } catch { throw .custodians }
  }
}

extension CustodianRegister.Group {
  fileprivate var json: CanonicalJSON {
    let holdings = holdings.map { holding -> CanonicalJSON in
      ["fingerprint": .string(holding.fingerprint.description), "name": .string(holding.holder.name), "user": .string(holding.holder.user)]
    }
    return ["shares": .array(holdings), "threshold": .integer(Int64(threshold))]
  }

  fileprivate init(_ json: CanonicalJSON) throws(CanonicalJSONError) {
    var fields = try CanonicalJSONFields(json)
    let threshold = try fields.integer("threshold")
    guard (2...16).contains(threshold) else { throw .schema }
    var holdings: [CustodianRegister.Holding] = []
    for element in try fields.array("shares") {
      var fields = try CanonicalJSONFields(element)
      let (name, user) = (try fields.string("name"), try fields.string("user"))
      guard let fingerprint = ShareFingerprint(hex: try fields.string("fingerprint")), let holder = Custodian(name: name, user: user) else { throw .schema }
      try fields.end()
      holdings.append(CustodianRegister.Holding(fingerprint: fingerprint, holder: holder))
    }
    try fields.end()
    self.init(threshold: Int(threshold), holdings: holdings)
  }
}
