internal import Format
internal import Host
internal import KistClient

extension Command {
  static let otpVerify = Command(
    name: "otp verify",
    summary: "check a person's one-time code",
    usage: """
      Usage: kist otp verify --key LABEL|ID [--subject TEXT] [OPTIONS]

      Each code is accepted once. After several wrong codes the subject is locked out
      for a while. The code is asked for without echo, or read from a descriptor.

        --key LABEL|ID  the key that made the code
        --subject TEXT  whom it was made for (default: the key's own codes)
        --code-fd N     read the code from this open descriptor, one line
        --json          answer in JSON
        --socket PATH   the daemon's socket (default: KIST_ENDPOINT, or
                        /run/kist/kist.sock)
        --timeout S     give up after so many seconds (default: 10)

      Exit codes: 0 the code is right, 1 it is not, or nobody could say.

      """,
    options: [.key, .value("subject"), .codeDescriptor, .json], daemon: .services,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let name = try arguments.required("key")
    let daemon = try Daemon(arguments)
    let key = try daemon.key(name)
    let code = try arguments.secret(.codeDescriptor, "Code", limit: 8)
    let counter = try daemon.ask { (client) throws(ClientError) in
      try client.verifyOTP(code.bytes, subject: arguments.value("subject") ?? "", key: key)
    }
    arguments.answer(["counter": .count(counter), "ok": .bool(true)], "right\n")
  }
}
