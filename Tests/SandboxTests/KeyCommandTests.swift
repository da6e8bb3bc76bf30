import Foundation
import Testing

/// `kist key` against a running daemon; what it gives out is read by independent programs.
@Suite struct KeyCommandTests {
  private let folder: Folder
  private let daemon: Running
  private let endpoint: [String: String]

  init() throws {
    folder = try Folder()
    daemon = try Running(["sandbox", "run", "--dir", folder.path])
    endpoint = ["KIST_ADMIN_ENDPOINT": "unix:\(folder.path)/run/admin.sock"]
    while try !daemon.complaint().contains("event=ready") {}
  }

  /// [OP-CSR-1] [OP-CSR-2] `openssl req` verifies what goes to Apple.
  @Test func aRequestForACertificate() throws {
    let request = try Run(["key", "csr", "merchant/sandbox/processing-ec", "--organization", "Acme Inc.", "--country", "US"], environment: endpoint)
    #expect(request.complaint == "")
    try folder.write("acme.csr", request.output)
    let (code, said) = try run("/usr/bin/openssl", ["req", "-in", folder.path + "/acme.csr", "-verify", "-noout", "-subject", "-nameopt", "RFC2253"])
    #expect(code == 0 && said.contains("self-signature verify OK"))
    #expect(said.contains("subject=C=US,O=Acme Inc.,CN=Apple Pay Payment Processing:merchant."))
    for (words, complaint) in [
      (["merchant/sandbox/none"], "no key 'merchant/sandbox/none' that you may see"), (["merchant/sandbox/processing-ec", "--country", "USA"], "two letters"),
      (["merchant/sandbox/processing-ec", "--country", "1%"], "rejected at stage parameters"),
    ] {
      let refused = try Run(["key", "csr"] + words, environment: endpoint)
      #expect(refused.code != 0 && refused.output.isEmpty && refused.complaint.contains(complaint), "\(refused.complaint)")
    }
  }

  private func run(_ program: String, _ arguments: [String]) throws -> (code: Int32, output: String) {
    let process = Process(), output = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}
