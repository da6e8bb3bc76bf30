internal import Format

/// The protected header of a JWE: what the algorithm needs, then the members that the partner's key has. [OP-PARTNER-4]
struct JWEHeader: Sendable {
  /// JSON without white space.
  package let text: String

  /// What a key management algorithm adds (RFC 7518 §4.6.1, §4.7.1).
  enum Parameter: Sendable {
    /// An uncompressed point on P-256, 65 bytes.
    case epk([UInt8])
    case iv([UInt8])
    case tag([UInt8])
  }

  package init(_ algorithm: String, _ members: JWEMembers, at now: Timestamp, _ parameters: [Parameter] = []) {
    let own = ["\"alg\":\"\(algorithm)\"", "\"enc\":\"A256GCM\""] + parameters.map(\.text)
    text = "{" + (own + members.members.map { $0.json(at: now) }).joined(separator: ",") + "}"
  }
}

extension JWEHeader.Parameter {
  fileprivate var text: String {
    switch self {
    case .epk(let point):
      "\"epk\":{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(Base64URL.encode(Array(point[1..<33])))\",\"y\":\"\(Base64URL.encode(Array(point[33...])))\"}"
    case .iv(let bytes): "\"iv\":\"\(Base64URL.encode(bytes))\""
    case .tag(let bytes): "\"tag\":\"\(Base64URL.encode(bytes))\""
    }
  }
}

extension JWEMembers.Member {
  /// Neither name nor value needs an escape.
  fileprivate func json(at now: Timestamp) -> String {
    switch value {
    case .text(let value): "\"\(name)\":\"\(value)\""
    case .timeAsNumber: "\"\(name)\":\(now.seconds)"
    case .timeAsText: "\"\(name)\":\"\(now.seconds)\""
    }
  }
}
