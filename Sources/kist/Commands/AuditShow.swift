internal import Audit
internal import AuditReview
internal import Configuration
internal import Encoding
internal import Policy
internal import Storage
internal import Wire

extension Command {
  static let auditShow = Command(
    name: "audit show",
    summary: "print audit records",
    usage: """
      Usage: kist audit show [DIR] [SEQUENCE | FILTERS] [--json | --csv]

      The record that a caller quotes the sequence of, or all that the filters cover.
      Nothing is checked on the way: kist audit verify does that. DIR is
      /var/log/kist/audit where it is not said.

        --since TIME    from then on, such as 2026-11-20 or 2026-11-20T09:30:00Z;
                        times are in UTC
        --until TIME    before then
        --user USER     the caller's user, by name or number
        --unit UNIT     the caller's systemd unit
        --op OPERATION  such as open-payment-token, or an event's name
        --key KEY       a key's label, labels under a prefix such as merchant/acme/*,
                        or a key's id of 32 digits
        --grant ID      what policy allowed under that grant
        --result NAME   the outcome, such as ok, denied or rejected
        --stage NAME    the check that failed, such as signature
        --digest VALUE  the hmac-sha256:... of a transaction or an account number
        --json          the records as they stand in the log, one per line
        --csv           comma-separated values, with a heading

      Example:
        kist audit show --since 2026-11-20 --unit shop.service --result rejected

      """,
    options: [
      .value("since"), .value("until"), .value("user"), .value("unit"), .value("op"), .value("key"), .value("grant"), .value("result"), .value("stage"),
      .value("digest"), .json, .flag("csv"),
    ],
    operands: 0...2
  ) { arguments throws(CommandFailure) in
    let (directory, sequence) = try place(arguments)
    let filter = try RecordFilter(arguments)
    guard sequence == nil || filter == RecordFilter() else { throw .usage("a sequence and filters exclude each other") }
    guard !arguments.has("json") || !arguments.has("csv") else { throw .usage("--json and --csv exclude each other") }
    try Hardening.prepareForPublicData()
    let search = RecordSearch(directory, arguments.has("json") ? .json : arguments.has("csv") ? .csv : .text)
    if let sequence { try search.print(only: sequence) } else { try search.print(filter) }
  }

  /// Where the log is, and the sequence: what is all digits is no directory.
  private static func place(_ arguments: Arguments) throws(CommandFailure) -> (directory: String, sequence: UInt64?) {
    var operands = arguments.operands
    let isNumber = operands.last?.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    var sequence: UInt64?
    if isNumber || operands.count == 2, let text = operands.popLast() {
      guard let number = UInt64(text) else { throw .usage("'\(text)' is no sequence number") }
      sequence = number
    }
    return (operands.first ?? AuditDirectory.usual, sequence)
  }
}

/// Where kistd keeps its log if the configuration does not say otherwise.
enum AuditDirectory {
  static let usual = "/var/log/kist/audit"
}

extension RecordFilter {
  fileprivate init(_ arguments: Arguments) throws(CommandFailure) {
    self.init()
    since = try arguments.time("since")
    until = try arguments.time("until")
    unit = arguments.value("unit")
    operation = arguments.value("op")
    grant = arguments.value("grant")
    stage = arguments.value("stage")
    if let user = arguments.value("user") {
      guard let uid = UInt32(user) ?? Accounts.system.uid(user) else { throw .failed("unknown user '\(user)'") }
      self.uid = uid
    }
    if let name = arguments.value("result") {
      guard Status.allCases.contains(where: { $0.name == name }) else {
        throw .usage("unknown result '\(name)'; there are \(Status.allCases.map(\.name).joined(separator: ", "))")
      }
      result = name
    }
    if let text = arguments.value("key") { key = try Self.key(text) }
    if let text = arguments.value("digest") {
      guard let value = KeyedDigest(text) else { throw .usage("--digest takes hmac-sha256: and 64 digits, as records have them") }
      digest = value
    }
  }

  private static func key(_ text: String) throws(CommandFailure) -> KeyCondition {
    if text.utf8.count == 2 * KeyID.byteCount, let bytes = Hex.decode(text), let id = KeyID(prefixOf: bytes.span) { return .id(id) }
    guard let pattern = KeyPattern(text) else { throw .usage("--key takes a label, a prefix such as merchant/acme/*, or an id, not '\(text)'") }
    return .label(pattern)
  }
}
