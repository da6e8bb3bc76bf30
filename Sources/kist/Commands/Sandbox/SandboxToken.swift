import Crypto
import Format
import KistClient
import Sandbox

extension Command {
  static let sandboxToken = Command(
    name: "sandbox token",
    summary: "make a payment token for a sandbox",
    usage: """
      Usage: kist sandbox token [OPTIONS]

      Prints a fresh token as Apple's JSON, signed by the sandbox's test PKI at the
      sandbox's time. Every token has a new transaction identifier.

        --dir DIR           the sandbox (default: KIST_SANDBOX)
        --version VERSION   EC_v1 (default) or RSA_v1
        --key LABEL         the key it is for (default: the merchant's of VERSION),
                            such as merchant/other/processing-ec
        --amount N          in minor units (default 1499)
        --currency CODE     ISO 4217 numeric (default 840)
        --pan DIGITS        the account number (default 4109370251004320)
        --application-data HEX
                            SHA-256 of the request's application data
        --at TIME           when it is signed, such as 2026-11-20T09:30:00Z
        --stale             sign it two days before
        --defect DEFECT     make it wrong in one way: wrong-key, bad-signature,
                            no-leaf-marker or bad-tag

      """,
    options: [
      "dir", "version", "key", "amount", "currency",
      "pan", "application-data",
      "at", .flag("stale"), "defect",
    ],
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let merchant = try TestMerchant(arguments)
    let payment = try TestPayment(arguments)
    let defect: TokenDefect? = try arguments.choice("defect")
    let moment = try arguments.moment()
    let path = try arguments.sandbox()
    let sandbox = try onSandbox(path, SandboxDirectory(path))
    let signed = (moment ?? sandbox.clock ?? .now).adding(
      seconds: arguments.has("stale") ? -TokenMint.staleAge : 0)
    let token = try onSandbox(
      path, sandbox.mint(payment, for: merchant, signedAt: signed, defect: defect))
    Output.write(String(decoding: token.json, as: UTF8.self) + "\n")
  }
}

extension TestMerchant {
  fileprivate init(_ arguments: Arguments) throws(CommandFailure) {
    let version = try arguments.value(
      "version", "EC_v1 or RSA_v1", ApplePayTokenVersion.init(name:))
    let merchant = try arguments.value(
      "key", "one of \(TestMerchant.allCases.map(\.label).joined(separator: ", "))",
      TestMerchant.init(label:))
    guard let merchant else {
      self = .opening(version ?? .ecV1)
      return
    }
    guard version == nil || version == merchant.version else {
      throw .usage("key \(merchant.label) is for \(merchant.version.name)")
    }
    self = merchant
  }
}

extension TestPayment {
  fileprivate init(_ arguments: Arguments) throws(CommandFailure) {
    self.init()
    if let number = try arguments.number("amount", in: 0...Self.maximumAmount) { amount = number }
    if let digits = try arguments.digits("currency", 3...3) { currency = digits }
    if let digits = try arguments.digits("pan", 12...19) { pan = digits }
    applicationData = try arguments.value(
      "application-data", "64 hexadecimal digits", Digest256.init(hex:))
  }
}

extension Arguments {
  fileprivate func digits(_ name: String, _ counts: ClosedRange<Int>) throws(CommandFailure)
    -> String?
  {
    let count =
      counts.count == 1 ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
    return try value(name, "\(count) digits") {
      counts.contains($0.utf8.count) && $0.utf8.allSatisfy(\.isDigit) ? $0 : nil
    }
  }
}
