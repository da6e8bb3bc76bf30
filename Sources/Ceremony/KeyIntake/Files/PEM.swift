internal import Format

/// PEM text (RFC 7468), for public values only.
package enum PEM {
  package static func text(_ label: String, _ der: [UInt8]) -> String {
    let body = Array(Base64.encode(der).utf8)
    var text = "-----BEGIN \(label)-----\n"
    for start in stride(from: 0, to: body.count, by: 64) {
      text += String(decoding: body[start..<min(start + 64, body.count)], as: UTF8.self) + "\n"
    }
    return text + "-----END \(label)-----\n"
  }
}
