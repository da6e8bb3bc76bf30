package import Format

extension KeyInventory.Custody {
  /// From a key store's `custodians.json` (KS-CUSTODIANS); only an unlocked daemon knows whether that is authentic.
  ///
  /// - Throws: `CanonicalJSONError` if it is no such file.
  package init(register text: Span<UInt8>) throws(CanonicalJSONError) {
    var file = try CanonicalJSONFields(try CanonicalJSON(parsing: text, byteLimit: Self.byteLimit))
    var register = try file.object("register")
    guard try register.string("format") == "kist-custodians/v1" else { throw .schema }
    let (kcv, groupThreshold) = (try register.string("kek"), try register.integer("group_threshold"))
    var holdings: [Holding] = []
    var rules: [String] = []
    for (place, group) in try register.array("groups").enumerated() {
      var group = try CanonicalJSONFields(group)
      let shares = try group.array("shares")
      for share in shares {
        var share = try CanonicalJSONFields(share)
        holdings.append(
          Holding(custodian: try share.string("name"), user: try share.string("user"), fingerprint: try share.string("fingerprint"), group: place + 1))
      }
      rules.append("\(try group.integer("threshold")) of \(shares.count)")
    }
    guard !holdings.isEmpty else { throw .schema }
    let rule = rules.count == 1 ? "\(rules[0]) shares" : "\(groupThreshold) of \(rules.count) groups: " + rules.joined(separator: ", ") + " shares"
    self.init(kcv: kcv, holdings: holdings, rule: rule)
  }

  /// The largest file that is read, in bytes.
  package static let byteLimit = 64 << 10
}
