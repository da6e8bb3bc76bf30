import CLinux
import Format
import Glibc
import KistClient
import TestSupport

/// Replies of a hostile server: a byte for the client's call, then the reply's bytes; with the
/// byte's highest bit, only its body.
enum ClientTarget: FuzzTarget {
  static let name = "client"
  static let byteLimit = 8192

  static func seeds() throws -> [[UInt8]] {
    let replies = try WireVector.all().filter { vector in
      if case .message(let name) = vector.subject {
        name.hasSuffix("Reply") || name.hasSuffix("Report") || name == "KeyDescription"
      } else {
        false
      }
    }
    let bodies = calls.indices.flatMap { call in
      replies.filter { $0.file.hasPrefix(calls[call].vector) }.map {
        [0x80 | UInt8(call)] + $0.bytes
      }
    }
    let frames = try WireVector.all().filter { $0.subject == .frames(.reply) }.map {
      [0] + $0.bytes
    }
    return bodies + frames
  }

  static func run(_ input: [UInt8]) throws {
    guard let first = input.first else { return }
    let call = calls[Int(first & 0x7F) % calls.count]
    let body = Array(input.dropFirst())
    try withClient(answered: first & 0x80 == 0 ? body : sound(call.opcode, body)) { client in
      do throws(ClientError) { try call.make(client) } catch {
        switch error {
        case .malformedReply, .disconnected, .refused, .request: return
        default: throw BrokenPromise(description: "\(call.opcode.name) fails with \(error)")
        }
      }
    }
  }

  /// A reply with a true header.
  private static func sound(_ opcode: Opcode, _ body: [UInt8]) -> [UInt8] {
    var frame = [UInt8](repeating: 0, count: RequestHeader.lengthByteCount + ReplyHeader.byteCount)
    var span = frame.mutableSpan
    ReplyHeader(status: .ok, opcode: opcode.rawValue, requestID: 1, auditSequence: 5).encode(
      bodyCount: body.count, into: &span)
    return frame + body
  }

  /// A client whose server has answered before it asks, and says nothing more.
  private static func withClient(answered answer: [UInt8], _ body: (Client) throws -> Void) throws {
    let path = "/tmp/kist-fuzz-\(getpid()).sock"
    // That of a process which was killed and had the same number.
    unsafe unlink(path)
    let listener = kist_unix_socket()
    defer { close(listener) }
    guard unsafe kist_bind_unix(listener, path) == 0, listen(listener, 1) == 0 else {
      throw BrokenPromise(description: "cannot listen on \(path)")
    }
    defer { unsafe unlink(path) }
    let client = try Client(Endpoint(path: path))
    let server = kist_accept(listener)
    defer { close(server) }
    var sent = 0
    while sent < answer.count {
      let count = unsafe answer[sent...].withUnsafeBytes {
        unsafe send(server, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { break }
      sent += count
    }
    shutdown(server, Int32(SHUT_WR))
    try body(client)
  }
}

extension ClientTarget {
  private struct Call: Sendable {
    let opcode: Opcode
    /// What the golden vectors of its reply begin with.
    let vector: String
    let make: @Sendable (Client) throws(ClientError) -> Void
  }

  private static let key = [UInt8](repeating: 1, count: 16)
  private static let digits = Array("4109370251004320".utf8)

  private static let calls: [Call] = [
    Call(opcode: .ping, vector: "none") { (client) throws(ClientError) in try client.ping() },
    Call(opcode: .ready, vector: "none") { (client) throws(ClientError) in try client.ready() },
    Call(opcode: .describe, vector: "describe-reply") { (client) throws(ClientError) in
      _ = try client.describe()
    },
    Call(opcode: .listKeys, vector: "list-keys-reply") { (client) throws(ClientError) in
      _ = try client.listKeys()
    },
    Call(opcode: .describeKey, vector: "key-description") { (client) throws(ClientError) in
      _ = try client.describeKey(key)
    },
    Call(opcode: .random, vector: "random-reply") { (client) throws(ClientError) in
      _ = try client.random(16)
    },
    Call(opcode: .auditDigest, vector: "audit-digest-reply") { (client) throws(ClientError) in
      _ = try client.auditDigest(.pan, of: digits.span)
    },
    Call(opcode: .verifyPaymentToken, vector: "verify-payment-token-reply") {
      (client) throws(ClientError) in
      _ = try client.verifyPaymentToken(token)
    },
    Call(opcode: .openPaymentToken, vector: "open-payment-token-reply") {
      (client) throws(ClientError) in
      let opened = try client.openPaymentToken(token, withKey: key)
      for field in PaymentField.allCases { opened.withField(field) { _ in } }
    },
    Call(opcode: .provisionTrace, vector: "provision-trace-reply") { (client) throws(ClientError) in
      _ = try client.provisionTrace(recipient: key, ephemeralPrivateKey: key, passData: key)
    },
    Call(opcode: .signOTP, vector: "sign-otp-reply") { (client) throws(ClientError) in
      _ = try client.signOTP(subject: "a", key: key)
    },
    Call(opcode: .verifyOTP, vector: "verify-otp-reply") { (client) throws(ClientError) in
      _ = try client.verifyOTP(digits.span, subject: "a", key: key)
    },
    Call(opcode: .enrolAuthenticator, vector: "enrol-authenticator-reply") {
      (client) throws(ClientError) in
      try client.enrolAuthenticator(subject: "a", retryKey: RetryKey(), key: key).withSecret { _ in
      }
    },
    Call(opcode: .ecdh, vector: "ecdh-reply") { (client) throws(ClientError) in
      let secret = try client.agree(key, with: digits)
      _ = try client.derivedKey(.oneStepSHA256, from: secret, count: 32, info: .whole(digits))
    },
    Call(opcode: .ecdh, vector: "ecdh-reply") { (client) throws(ClientError) in
      let secret = try client.sharedSecret(key, with: digits)
      secret.withBytes { _ in }
    },
    Call(opcode: .seal, vector: "seal-reply") { (client) throws(ClientError) in
      _ = try client.seal(digits.span, under: .stored(key))
    },
    Call(opcode: .unseal, vector: "unseal-reply") { (client) throws(ClientError) in
      let plain = try client.unseal(digits + digits)
      plain.withBytes { _ in }
    },
    Call(opcode: .sign, vector: "sign-reply") { (client) throws(ClientError) in
      _ = try client.sign(digits, with: key, .ed25519)
    },
    Call(opcode: .mac, vector: "mac-reply") { (client) throws(ClientError) in
      _ = try client.mac(digits, under: .stored(key))
    },
    Call(opcode: .unwrap, vector: "unwrap-reply") { (client) throws(ClientError) in
      _ = try client.unwrap(key, digits)
    },
    Call(opcode: .tokenise, vector: "tokenise-reply") { (client) throws(ClientError) in
      _ = try client.surrogate(ofPAN: digits.span, merchant: "m", withKey: key)
    },
    Call(opcode: .detokenise, vector: "detokenise-reply") { (client) throws(ClientError) in
      _ = try client.pan(ofSurrogate: "4109370251004320", merchant: "m", withKey: key)
    },
  ]

  private static let token = PaymentToken(
    keySource: .ephemeralPublicKey([UInt8](repeating: 4, count: 91)),
    data: [UInt8](repeating: 1, count: 64),
    signature: [UInt8](repeating: 2, count: 64), publicKeyHash: [UInt8](repeating: 3, count: 32),
    transactionID: [UInt8](repeating: 4, count: 32))
}
