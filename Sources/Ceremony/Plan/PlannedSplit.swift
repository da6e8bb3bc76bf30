import Configuration
import Crypto

/// How a KEK is split, and who will hold which share.
struct PlannedSplit {
  struct Group {
    let threshold: Int
    /// Share 1 is the first one's.
    let custodians: [String]
  }

  /// How many of the groups must come together.
  let groupThreshold: Int
  let groups: [Group]
  /// Whether custodians are asked if they want to see their share as a QR code, too.
  let offersCode: Bool

  /// One group in the step's own table, or several under `[[step.group]]`; nobody is in two.
  init(_ table: TOMLTable, _ people: People) throws(ConfigurationError) {
    offersCode = try table.optional("qr")?.boolean() ?? false
    let several = try table.sections("group") { table throws(ConfigurationError) in
      try Group(table, people)
    }
    guard !several.isEmpty else {
      groupThreshold = 1
      groups = [try Group(table, people)]
      return
    }
    groups = several
    groupThreshold = try table.required(
      "group_threshold", "how many of the groups bring the key back"
    ).integer(in: 1...min(several.count, 16))
    guard several.count <= 16 else {
      throw table.error("expected 2 to 16 tables under [[step.group]]")
    }
    let names = custodians
    guard Set(names).count == names.count else {
      throw table.error("a custodian is in two groups; expected one share for each")
    }
  }

  /// One for each share, in the shares' order.
  var custodians: [String] { groups.flatMap(\.custodians) }

  /// What is done with the split, a line each, for the script.
  var script: [String] {
    ["split by SLIP-39, \(text); every sufficient set is tested"]
      + titles.map { "\($0.title) is shown to \($0.custodian) alone, who writes it down" }
      + (offersCode
        ? [
          "each of them may ask to see it as a QR code, too; a device that scans it must keep nothing"
        ] : [])
  }

  var text: String {
    let all = groups.map { "\($0.threshold) of \($0.custodians.count)" }.joined(separator: ", ")
    return groups.count == 1 ? all : "\(groupThreshold) of \(groups.count) groups: " + all
  }

  /// For the sheet: which further shares open the store together with the share in `row`.
  func opening(_ row: Int) -> String {
    let (group, _) = place(row)
    guard groups.count > 1 else { return "any \(groups[group].threshold) open the store" }
    return
      "any \(groups[group].threshold) are enough of group \(group + 1), any \(groupThreshold) groups open the store"
  }

  func title(_ row: Int) -> String {
    let (group, member) = place(row)
    return "share \(member + 1) of \(groups[group].custodians.count)"
      + (groups.count == 1 ? "" : " in group \(group + 1)")
  }

  func scheme() throws(SharingError) -> SharingScheme {
    var scheme: [SharingScheme.Group] = []
    for group in groups {
      scheme.append(try SharingScheme.Group(group.threshold, of: group.custodians.count))
    }
    return try SharingScheme(groupThreshold: groupThreshold, groups: scheme)
  }

  private var titles: [(title: String, custodian: String)] {
    custodians.enumerated().map { (title($0), $1) }
  }

  private func place(_ row: Int) -> (group: Int, member: Int) {
    var member = row
    for (group, members) in groups.map(\.custodians.count).enumerated() {
      if member < members { return (group, member) }
      member -= members
    }
    return (0, row)
  }
}

extension PlannedSplit.Group {
  fileprivate init(_ table: TOMLTable, _ people: People) throws(ConfigurationError) {
    custodians = try people.custodians("custodians", of: table, 2...16)
    threshold = try table.required("threshold", "how many custodians bring the key back").integer(
      in: 2...custodians.count)
  }
}
