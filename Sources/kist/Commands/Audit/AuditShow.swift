import Format
import Review

extension Command {
  static let auditShow = Command(
    name: "audit show",
    summary: "print audit records",
    usage: """
      Usage: kist audit show [DIR] [SEQUENCE | FILTERS] [--json | --csv]

      Prints the record whose sequence a caller quotes, or all records that match the
      filters. It checks nothing: kist audit verify does that. DIR is by default
      /var/log/kist/audit.

        --since TIME    from then on, such as 2026-11-20 or 2026-11-20T09:30:00Z;
                        times are in UTC
        --until TIME    before then
        --user USER     the caller's user: the name in the record, as the daemon found
                        it, or the number
        --unit UNIT     the caller's systemd unit
        --op OPERATION  such as open-payment-token, or an event's name
        --key KEY       a key's label, labels under a prefix such as merchant/acme/*,
                        or a key's id of 32 digits
        --grant ID      requests that policy allowed under that grant
        --result NAME   the outcome, such as ok, denied or rejected
        --stage NAME    the check that failed, such as signature
        --digest VALUE  the hmac-sha256:... of a transaction or an account number
        --claim DIGITS  the claim of a token or code in a fleet's store: all hosts'
                        records about it have the same 64 digits
        --request ID    the request's id of 16 digits, as clients' errors show it, or
                        the X-Request-Id of the HTTP request behind it
        --json          the records as they are in the log, one per line; characters
                        that steer a terminal are written as \\u001b
        --csv           comma-separated values, with a heading

      Example:
        kist audit show --since 2026-11-20 --unit shop.service --result rejected

      """,
    options: RecordFilter.options + RecordSearch.Form.options,
    operands: 0...2
  ) { arguments throws(CommandFailure) in
    let (directory, sequence) = try place(arguments)
    let filter = try RecordFilter(arguments)
    guard sequence == nil || filter == RecordFilter() else {
      throw .usage("a sequence and filters exclude each other")
    }
    let form = try RecordSearch.Form(arguments)
    try Hardening.prepareForPublicData()
    Terminal.page()
    let search = try RecordSearch(directory, form)
    if let sequence { try search.print(only: sequence) } else { try search.print(filter) }
  }

  /// The log's directory, and the sequence, which is the operand that is all digits.
  private static func place(_ arguments: Arguments) throws(CommandFailure) -> (
    directory: String, sequence: UInt64?
  ) {
    var operands = arguments.operands
    let isNumber = operands.last?.utf8.allSatisfy(\.isDigit) ?? false
    var sequence: UInt64?
    if isNumber || operands.count == 2, let text = operands.popLast() {
      guard let number = UInt64(text) else { throw .usage("'\(text)' is not a sequence number") }
      sequence = number
    }
    return (operands.first ?? UsualPlaces.auditLog, sequence)
  }
}
