import ApplePay
import Crypto
import Doctor
import Format
import Review

extension Command {
  static let tokenDiagnose = Command(
    name: "token diagnose",
    summary: "say what is wrong with a token, without a key or a daemon",
    usage: """
      Usage: kist token diagnose FILE|- [--cert CERT...] [OPTIONS]

      Takes Apple's JSON, or base64 of it, and says which certificate the token was
      made for, what is stale, malformed or mis-signed, and what to do about it.

        --cert CERT...    merchants' certificates, PEM or DER
        --at TIME         judge the token's age at that moment (default: now), such
                          as 2026-11-20T09:30:00Z
        --window SECONDS  how old a token may be (default 300, as in kist.toml)
        --root FILE       the root of a test PKI in place of Apple's
        --json            answer in JSON

      Exit codes: 0 nothing is wrong with it, 1 something is, 66 a file cannot be
      read.

      Example:
        kist token diagnose token.json --cert 2025.cer 2026.cer

      """,
    options: [.values("cert"), "at", "window", "root", .json],
    operands: 1...65,
    // A certificate's file may also hold a private key.
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let moment = try arguments.moment() ?? .now
    let window = try arguments.number("window", in: 0...UInt32.max) ?? 300
    var merchants: [Certificate] = []
    var files: [String] = []
    // A shell expands `--cert *.cer`: the option takes the first file, and the others become
    // operands after the token.
    for path in arguments.all("cert") + arguments.operands.dropFirst() {
      let found = try KeyFile.certificates(path)
      guard !found.isEmpty else { throw .failed("\(path): no certificate in it") }
      merchants += found
      files += found.map { _ in path }
    }
    let conditions = TokenDiagnosis.Conditions(
      now: moment, window: window, anchor: try anchor(arguments.value("root")))
    // More than a token may have, so that the diagnosis reports a token that is too large.
    let text = try Input(path: arguments.operands[0]).contents(limit: 16 << 20)
    let diagnosis = try onCrypto(TokenDiagnosis(text.span, merchants: merchants, conditions))
    arguments.answer(
      diagnosis.json(files), "\(arguments.operands[0]): " + diagnosis.text(files, at: moment))
    guard diagnosis.problems.isEmpty else { throw CommandFailure(code: 1) }
  }

  private static func anchor(_ path: String?) throws(CommandFailure) -> TrustAnchor {
    guard let path else { return try onCrypto(.appleRootCAG3()) }
    guard let root = try KeyFile.certificates(path).first else {
      throw .failed("\(path): no certificate in it")
    }
    do throws(CryptoError) { return try TrustAnchor(root) } catch {
      throw .failed("\(path): not a root certificate, since it may not sign others")
    }
  }
}

extension TokenDiagnosis {
  /// - Parameter files: the file of each certificate.
  fileprivate func text(_ files: [String], at moment: Timestamp) -> String {
    var table = Table()
    table.add(
      version.map { ["  version", $0.name] },
      signers.isEmpty ? nil : ["  signed by", signers.joined(separator: ", ")],
      signingTime.map { ["  signed", $0.wholeSeconds + (isSigned ? "" : ", unproven")] },
      publicKeyHash.map {
        [
          "  made for",
          "key \($0.hex.prefix(2 * KeyID.byteCount)), hash \($0.hex)",
        ]
      })
    for (finding, file) in zip(certificates, files) {
      table.add([
        "  \(finding.isTokens ? "its" : "another") certificate", "\(file): \(finding.text)",
      ])
    }
    let verdict =
      problems.isEmpty
      ? "nothing is wrong with it\n"
      : "\(problems.count) \(problems.count == 1 ? "thing is" : "things are") wrong\n"
    let wrong =
      problems.map { "\n\($0.sentence.capitalisedFirst).\n  \($0.remedy)\n" }
      + notes.map { "\nNote: \($0.sentence).\n" }
    return verdict + table.text + wrong.joined()
  }

  fileprivate func json(_ files: [String]) -> CanonicalJSON {
    [
      "certificates": zip(certificates, files).map { $0.json($1) },
      "notes": notes.map { ["name": $0.name, "text": $0.sentence] as CanonicalJSON },
      "ok": problems.isEmpty, "problems": problems.map(\.json), "signature_good": isSigned,
      "signers": signers, "version": version?.name, "signing_time": signingTime?.wholeSeconds,
      "public_key_hash": publicKeyHash?.hex,
    ]
  }
}

extension CertificateFinding {
  fileprivate var text: String {
    let whose =
      switch merchant {
      case .named(let name): name
      case .none: "no merchant"
      case .inconsistent: "of a contradictory merchant"
      }
    return "\(whose), \(purpose.rawValue), \(notBefore.day) to \(notAfter.day)"
  }

  fileprivate func json(_ file: String) -> CanonicalJSON {
    let merchant: String? = if case .named(let name) = merchant { name } else { nil }
    return [
      "file": file, "matches": isTokens, "merchant": merchant, "not_after": notAfter.wholeSeconds,
      "not_before": notBefore.wholeSeconds, "public_key_hash": publicKeyHash.hex,
      "purpose": purpose.rawValue,
    ]
  }
}

extension TokenProblem {
  fileprivate var json: CanonicalJSON {
    ["name": name, "remedy": remedy, "text": sentence]
  }
}

extension String {
  fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
