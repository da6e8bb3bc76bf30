package import Format

/// What an auditor asks for first: every key, its owner and purpose, where it is, and who can
/// recover it.
package struct KeyInventory: Sendable {
  package let made: Timestamp
  /// In the order of their labels.
  package let keys: [Entry]
  package let place: Place
  /// Nil if the holders of the shares of the key-encryption key were not given.
  package let custody: Custody?

  package init(made: Timestamp, keys: [Entry], place: Place, custody: Custody?) {
    self.made = made
    self.keys = keys
    self.place = place
    self.custody = custody
  }

  /// One key, as its daemon describes it.
  package struct Entry: Sendable {
    package var label = ""
    /// 32 digits.
    package var id = ""
    /// Empty if nobody is named.
    package var owner = ""
    package var role = ""
    package var algorithm = ""
    /// In bits; nil for an algorithm that this version does not know.
    package var strength: Int?
    package var check = Check.kcv("")
    /// Usage, algorithm and mode in its key block's header, such as `K3 E X`.
    package var header = ""
    package var state = ""
    package var created: Timestamp?
    package var activated: Timestamp?
    package var notBefore: Timestamp?
    package var notAfter: Timestamp?
    package var lastUse: Timestamp?
    package var uses = 0
    /// Nil for any number of uses.
    package var useLimit: Int?

    package init() {}

    var isPair: Bool { if case .spkiHash = check { true } else { false } }
  }

  /// Identifies a key, in hexadecimal digits.
  package enum Check: Sendable {
    case kcv(String)
    case spkiHash(String)
  }

  /// The daemon that has the keys.
  package struct Place: Sendable {
    package var host = ""
    package var version = ""
    /// How many keys it has, including those that the caller may not see.
    package var keyCount = 0
    /// The kind of memory that holds the keys while the daemon is unlocked.
    package var memory = ""
    package var isRehearsal = false

    package init() {}
  }

  /// Who holds the shares of the key-encryption key.
  package struct Custody: Sendable {
    package struct Holding: Sendable {
      package let custodian, user, fingerprint: String
      /// From 1.
      package let group: Int
    }

    package let kcv: String
    package let holdings: [Holding]
    /// How many must come together, in words.
    package let rule: String
  }
}

extension KeyInventory {
  package var html: String {
    let sections = sections
    return HTMLText.page("Key inventory") { page in
      page.element("p", [("class", "lead")], lead)
      page.element(
        "p",
        [("class", "finding " + (concerns.isEmpty ? "good" : "unverified")), ("role", "status")],
        finding)
      page.contents(sections)
      var evidence: [ReviewSection.Evidence] = []
      for section in sections { section.write(into: &page, evidence: &evidence) }
    }
  }

  /// The line that says when the inventory was made, and of which daemon.
  package var lead: String {
    "\(made.wholeSeconds), \(keys.count) of \(place.keyCount) keys of kistd \(place.version) on \(place.host)\(place.isRehearsal ? ", a rehearsal" : "")."
  }

  package var finding: String { ReviewSection.attention(concerns.count) }
}

extension KeyInventory.Custody {
  /// From a key store's `custodians.json` (KS-CUSTODIANS); only an unlocked daemon knows whether
  /// that is authentic.
  ///
  /// - Throws: `CanonicalJSONError` if it is no such file.
  package init(register text: Span<UInt8>) throws(CanonicalJSONError) {
    var file = try CanonicalJSONFields(try CanonicalJSON(parsing: text, byteLimit: Self.byteLimit))
    var register = try file.object("register")
    guard try register.string("format") == "kist-custodians/v1" else { throw .schema }
    let kcv = try register.string("kek")
    let groupThreshold = try register.integer("group_threshold")
    var holdings: [Holding] = []
    var rules: [String] = []
    for (place, group) in try register.array("groups").enumerated() {
      var group = try CanonicalJSONFields(group)
      let shares = try group.array("shares")
      for share in shares {
        var share = try CanonicalJSONFields(share)
        holdings.append(
          Holding(
            custodian: try share.string("name"), user: try share.string("user"),
            fingerprint: try share.string("fingerprint"), group: place + 1))
      }
      rules.append("\(try group.integer("threshold")) of \(shares.count)")
    }
    guard !holdings.isEmpty else { throw .schema }
    let rule =
      rules.count == 1
      ? "\(rules[0]) shares"
      : "\(groupThreshold) of \(rules.count) groups: " + rules.joined(separator: ", ") + " shares"
    self.init(kcv: kcv, holdings: holdings, rule: rule)
  }

  /// The largest file that is read, in bytes.
  package static let byteLimit = 64 << 10
}
