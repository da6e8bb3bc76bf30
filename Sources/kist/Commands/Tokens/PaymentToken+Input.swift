internal import Doctor
internal import Format
internal import KistClient

extension PaymentToken {
  /// Apple's JSON from a file, or from standard input for `-`.
  static func read(_ path: String) throws(CommandFailure) -> PaymentToken {
    let text = try Input(path: path).contents(limit: 512 << 10)
    let problems = TokenDiagnosis.problems(ofForm: text.span)
    guard problems.isEmpty else { throw .failed("\(path): " + problems.map(\.sentence).joined(separator: "; ") + "; see kist token diagnose") }
    do throws(Unpacking) { return try PaymentToken(appleJSON: text) } catch { throw .failed("\(path): no payment token; see kist token diagnose") }
  }
}

extension Arguments {
  /// `--application-data`, 32 bytes in hexadecimal.
  func applicationData() throws(CommandFailure) -> [UInt8]? {
    guard let text = value("application-data") else { return nil }
    guard let bytes = Hex.decode(text), bytes.count == 32 else { throw .usage("--application-data takes a SHA-256 in 64 hexadecimal digits") }
    return bytes
  }
}
