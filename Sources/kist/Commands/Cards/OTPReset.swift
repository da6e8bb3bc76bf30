internal import Format
internal import KistClient

extension Command {
  static let otpReset = Command(
    name: "otp reset",
    summary: "let a person who was locked out try codes again",
    usage: """
      Usage: kist otp reset --key LABEL|ID [--subject TEXT] [--wait] [--json]
                            [--socket PATH] [--timeout S]

      Forgets the wrong codes of one person, so that a lock-out ends. A used code does
      not become valid again. Unless the configuration says otherwise, a second
      operator must approve it; kist approve --list shows for whom it is.

        --key LABEL|ID  the key that makes the codes
        --subject TEXT  whom they are for (default: the key's own codes)
        --wait          if a second operator must approve, wait for that
        --json          answer in JSON
        --socket PATH   the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                        /run/kist/admin.sock)
        --timeout S     give up after so many seconds (default: 10)

      Example:
        kist otp reset --key issuer/acme/codes --subject customer-7

      """,
    options: [.key, .value("subject"), .wait, .json], daemon: .operators
  ) { arguments throws(CommandFailure) in
    let name = try arguments.required("key")
    let daemon = try Daemon(arguments)
    let key = try daemon.key(name)
    let (failures, sequence) = try daemon.ask { (client) throws(ClientError) in
      try client.resetOTPLockout(subject: arguments.value("subject") ?? "", key: key)
    }
    guard !arguments.has("json") else {
      return Output.write(["audit_sequence": sequence.map { .count($0) }, "failures": .count(failures)])
    }
    Output.write("\(failures) wrong \(failures == 1 ? "code is" : "codes are") forgotten\(sequence.map { " (audit record \($0))" } ?? "")\n")
  }
}
