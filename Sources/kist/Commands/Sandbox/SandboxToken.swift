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
      .value("dir"), .value("version"), .value("key"), .value("amount"), .value("currency"),
      .value("pan"), .value("application-data"),
      .value("at"), .flag("stale"), .value("defect"),
    ],
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let merchant = try TestMerchant(arguments)
    let payment = try TestPayment(arguments)
    let defect = try TokenDefect(arguments)
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
    var version: ApplePayTokenVersion?
    if let name = arguments.value("version") {
      version = ApplePayTokenVersion(name: name)
      guard version != nil else { throw .usage("--version takes EC_v1 or RSA_v1, not '\(name)'") }
    }
    guard let label = arguments.value("key") else {
      self = .opening(version ?? .ecV1)
      return
    }
    guard let merchant = TestMerchant(label: label) else {
      throw .usage(
        "--key takes one of \(TestMerchant.allCases.map(\.label).joined(separator: ", ")), not '\(label)'"
      )
    }
    guard version == nil || version == merchant.version else {
      throw .usage("key \(label) is for \(merchant.version.name)")
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
    guard let hex = arguments.value("application-data") else { return }
    guard let digest = Digest256(hex: hex) else {
      throw .usage("--application-data takes 64 hexadecimal digits, not '\(hex)'")
    }
    applicationData = digest
  }
}

extension TokenDefect {
  fileprivate init?(_ arguments: Arguments) throws(CommandFailure) {
    guard let name = arguments.value("defect") else { return nil }
    guard let defect = TokenDefect(rawValue: name) else {
      throw .usage(
        "--defect takes one of \(Self.allCases.map(\.rawValue).joined(separator: ", ")), not '\(name)'"
      )
    }
    self = defect
  }
}

extension Arguments {
  fileprivate func digits(_ name: String, _ counts: ClosedRange<Int>) throws(CommandFailure)
    -> String?
  {
    guard let text = value(name) else { return nil }
    guard counts.contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else {
      let count =
        counts.count == 1 ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
      throw .usage("--\(name) takes \(count) digits, not '\(text)'")
    }
    return text
  }
}
