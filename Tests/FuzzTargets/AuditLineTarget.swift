import Audit
import Format
import Review

/// A line of the audit log as readers and verifiers take it, and the JSON under it.
enum AuditLineTarget: FuzzTarget {
  static let name = "audit-line"
  static let byteLimit = 8192

  static func seeds() throws -> [[UInt8]] {
    let zeros = String(repeating: "0", count: 64)
    let frame = { (members: String) in
      Array(#"{"boot":"0123456789abcdef0123456789abcdef","#.utf8)
        + Array(
          "\(members)\"prev\":\"\(zeros)\",\"seq\":7,\"ts\":\"2026-11-20T09:30:00.000000Z\",\"v\":1}"
            .utf8)
    }
    return [
      frame(#""op":"unlock","#),
      frame(#""event":{"keys":3,"note":"é\n"},"op":"start","#),
      Array(
        #"{"actor":{"exe":"/usr/bin/a","gid":1,"pid":2,"uid":3,"unit":"a.service"},"boot":"b","in":{"amount":1499,"currency":840},"key":"00112233445566778899aabbccddeeff","label":"merchant/a","op":"open-payment-token","policy":{"decision":"allow","grant":"g","sha256":"\#(zeros)"},"prev":"\#(zeros)","released":["last4"],"req":"0000000000000001","result":"ok","seq":1,"ts":"2026-11-20T09:30:00.000000Z","v":1}"#
          .utf8),
      DeepNesting.arrays(200), DeepNesting.objects(200),
    ]
  }

  static func run(_ input: [UInt8]) throws {
    if let json = try? CanonicalJSON(parsing: input.span, byteLimit: byteLimit) {
      try promise(json.serialised == input, "canonical JSON encodes to other bytes")
    }
    guard let record = try? Record(parsing: input.span) else { return }
    try promise(
      (try? CanonicalJSON(parsing: input.span, byteLimit: byteLimit)) != nil,
      "a record that is no canonical JSON is read")
    let line = HumanLine.text(record)
    try promise(
      line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F },
      "a line for people moves their terminal")
  }
}
