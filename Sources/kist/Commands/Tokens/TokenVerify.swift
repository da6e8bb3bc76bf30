internal import Format
internal import KistClient

extension Command {
  static let tokenVerify = Command(
    name: "token verify",
    summary: "verify an Apple Pay token without opening it",
    usage: """
      Usage: kist token verify FILE|- [--application-data HEX] [OPTIONS]

      Takes Apple's JSON, or base64 of it, and has Apple's signature checked as for
      opening it. Apple signs key, data, transaction id and application data as one
      text, without their lengths: only opening the token shows that bytes were moved
      from one to the next. So do not count or compare by the transaction id of a
      token that was only verified.

        --application-data HEX  refuse other application data: its SHA-256
        --json                  answer in JSON
        --socket PATH           the daemon's socket (default: KIST_ENDPOINT, or
                                /run/kist/kist.sock)
        --timeout S             give up after so many seconds (default: 10)

      Exit codes: 0 the signature is good, 1 it is not, or nobody could say.

      """,
    options: [.value("application-data"), .json], daemon: .services,
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    let applicationData = try arguments.applicationData() ?? []
    let token = try PaymentToken.read(arguments.operands[0])
    let seconds = try Daemon(arguments).ask { (client) throws(ClientError) in
      try client.verifyPaymentToken(token, applicationData: applicationData)
    }
    let signed = Timestamp(reported: seconds)?.wholeSeconds ?? "-"
    arguments.answer(
      ["ok": .bool(true), "signing_time": .string(signed)],
      "good, signed \(signed); where data ends and the transaction id begins is proven only by opening it\n")
  }
}
