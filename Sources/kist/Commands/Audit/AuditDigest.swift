import Format
import Host
import KistClient

extension Command {
  static let auditDigest = Command(
    name: "audit digest",
    summary: "print the log's digest of a transaction, account number or subject",
    usage: """
      Usage: kist audit digest [--subject] [-] [--json] [--socket PATH]
                               [--timeout S]

      The log has transaction ids, account numbers and the subjects of one-time codes
      only as keyed digests. Asks for one value without echo, or with - reads its line
      from standard input: 64 hexadecimal digits are a transaction id, 10 to 19 digits
      an account number. The value is never an argument, which others could see.
      Prints the digest, for

        kist audit show --digest

      The policy must grant audit-digest, with a rate or quota. The request leaves a
      record with the same digest.

        --subject      the value is the person whom codes are for
        --json         answer in JSON
        --socket PATH  the daemon's socket (default: KIST_ENDPOINT, or
                       /run/kist/kist.sock)
        --timeout S    give up after so many seconds (default: 10)

      """,
    options: [.flag("subject"), .json], daemon: .services,
    operands: 0...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    guard arguments.operands.allSatisfy({ $0 == "-" }) else {
      throw .usage(
        "type the value when asked, or give it on standard input with -; others can see arguments")
    }
    let daemon = try Daemon(arguments)
    let isSubject = arguments.has("subject")
    let (question, limit) =
      isSubject
      ? ("Whom the codes are for: ", SignOTPRequest.Caps.subject)
      : ("Transaction id or account number: ", 64)
    let value =
      try arguments.operands.isEmpty
      ? SilentTerminal(instead: "-, on standard input").ask(question, limit: limit)
      : Input(path: "-").secretLine(limit: limit)
    let meaning =
      "the value is not an account number: 10 to 19 digits, the last of them a check digit"
    let transaction = isSubject ? nil : transaction(value.bytes)
    let digest =
      if let transaction {
        try daemon.ask(
          daemon.client.auditDigest(.transaction, of: transaction.span), rejectedMeans: meaning)
      } else {
        try daemon.ask(
          daemon.client.auditDigest(isSubject ? .subject : .pan, of: value.bytes),
          rejectedMeans: meaning)
      }
    arguments.answer(["digest": digest], digest + "\n")
  }

  /// The 32 bytes of 64 hexadecimal digits; anybody who has the token knows its transaction id.
  private static func transaction(_ typed: Span<UInt8>) -> [UInt8]? {
    typed.count == 64 ? Hex.decode(typed) : nil
  }
}
