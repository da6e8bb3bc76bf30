import CLinux
import Format
import Foundation
import KistClient
import Testing

/// What the client makes of a server that does not keep to the protocol.
@Suite(.serialized) struct HostileServerTests {
  struct Answer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let expected: ClientError
  }

  /// A sound answer to the first request, with one place changed.
  static func reply(
    _ change: (inout [UInt8]) -> Void = { _ in }, status: Status = .ok, requestID: UInt64 = 1,
    opcode: Opcode = .ping
  ) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 24)
    var span = bytes.mutableSpan
    ReplyHeader(
      status: status, opcode: opcode.rawValue, requestID: requestID,
      auditSequence: ReplyHeader.unaudited
    ).encode(bodyCount: 0, into: &span)
    change(&bytes)
    return bytes
  }

  /// An answer to no request: opcode and request id are zero.
  static func about(_ status: Status, _ change: (inout [UInt8]) -> Void = { _ in }) -> [UInt8] {
    var bytes = reply(status: status, requestID: 0)
    bytes[6] = 0
    bytes[7] = 0
    change(&bytes)
    return bytes
  }

  static let answers = [
    Answer(testDescription: "nothing", bytes: [], expected: .disconnected(request: 1)),
    Answer(
      testDescription: "half a header", bytes: Array(reply().prefix(12)),
      expected: .disconnected(request: 1)),
    Answer(
      testDescription: "another request's id", bytes: reply(requestID: 2),
      expected: .malformedReply(request: 1)),
    Answer(
      testDescription: "another opcode", bytes: reply(opcode: .random),
      expected: .malformedReply(request: 1)),
    Answer(
      testDescription: "busy about no request, with a body",
      bytes: about(.busy, { $0[3] = 21 }) + [0], expected: .malformedReply(request: 1)),
    Answer(
      testDescription: "denied about no request", bytes: about(.denied),
      expected: .malformedReply(request: 1)),
    Answer(
      testDescription: "another version", bytes: reply({ $0[4] = 9 }),
      expected: .malformedReply(request: 1)),
    Answer(
      testDescription: "a status nobody knows", bytes: reply({ $0[5] = 200 }),
      expected: .malformedReply(request: 1)),
    Answer(
      testDescription: "a length below a header's", bytes: reply({ $0[3] = 19 }),
      expected: .malformedReply(request: 1)),
    Answer(
      testDescription: "a length of four gigabytes",
      bytes: reply({ $0.replaceSubrange(0..<4, with: [255, 255, 255, 255]) }),
      expected: .malformedReply(request: 1)),
    Answer(
      testDescription: "a longer length than bytes", bytes: reply({ $0[3] = 40 }),
      expected: .disconnected(request: 1)),
  ]

  @Test("[WIRE-19] refused without harm", arguments: answers) func refuses(_ answer: Answer) throws
  {
    let server = try OneAnswerServer(answer.bytes)
    defer { server.remove() }
    let client = try Client(Endpoint(path: server.path))
    #expect { try client.ping() } throws: { $0 as? ClientError == answer.expected }
  }

  @Test("a sound reply is taken, a denial is a refusal") func accepts() throws {
    let sound = try OneAnswerServer(Self.reply())
    defer { sound.remove() }
    try Client(Endpoint(path: sound.path)).ping()
    let denial = try OneAnswerServer(Self.reply(status: .denied))
    defer { denial.remove() }
    #expect { try Client(Endpoint(path: denial.path)).ping() } throws: {
      ($0 as? ClientError)?.status == "denied"
    }
  }

  @Test(
    "[WIRE-8] [WIRE-21] malformed and busy may be about the connection",
    arguments: [("malformed", about(.malformed)), ("busy", about(.busy))])
  func aboutConnection(_ status: String, _ bytes: [UInt8]) throws {
    let server = try OneAnswerServer(bytes)
    defer { server.remove() }
    #expect { try Client(Endpoint(path: server.path)).ping() } throws: {
      ($0 as? ClientError)?.status == status
    }
  }

  @Test(
    "[WIRE-21] busy is read where the daemon closed before it read the request, whether sending failed or not"
  )
  func overTheCaps() throws {
    let server = try OneAnswerServer(Self.about(.busy), readsRequest: false)
    defer { server.remove() }
    let client = try Client(Endpoint(path: server.path))
    server.hasEnded.wait()  // so that sending fails
    #expect { try client.ping() } throws: { ($0 as? ClientError)?.status == "busy" }
  }

  @Test("[WIRE-19] busy is about the connection only at its beginning")
  func busyLater() throws {
    let server = try OneAnswerServer(Self.reply() + Self.about(.busy))
    defer { server.remove() }
    let client = try Client(Endpoint(path: server.path))
    try client.ping()
    #expect { try client.ping() } throws: { $0 as? ClientError == .malformedReply(request: 2) }
  }

  @Test("[WIRE-24] busy says for how long, or not; anything else in its body is refused")
  func busyFor() throws {
    func thrown(_ body: [UInt8]) throws -> ClientError? {
      let server = try OneAnswerServer(
        Self.reply({ $0[3] = UInt8(20 + body.count) }, status: .busy) + body)
      defer { server.remove() }
      let client = try Client(Endpoint(path: server.path))
      do throws(ClientError) { try client.ping() } catch { return error }
      return nil
    }
    let quarter = try #require(try thrown([0x08, 0xFA, 0x01]))
    guard case .refused(let refusal) = quarter else {
      Issue.record("\(quarter)")
      return
    }
    #expect(
      (refusal.status, refusal.retryAfter, refusal.requestID) == ("busy", .milliseconds(250), 1))
    #expect("\(quarter)" == "busy for 250 ms (request 0000000000000001)")
    #expect("\(try #require(try thrown([])))" == "busy (request 0000000000000001)")
    #expect(
      "\(try #require(try thrown([0x08, 0xDD, 0x0B])))" == "busy for 2 s (request 0000000000000001)"
    )
    for wrong: [UInt8] in [
      [0x08, 0x00], [0x08, 0x81, 0x90, 0xE4, 0xC0, 0x04], [0x0A, 0x00], [0x08, 0xFA, 0x01, 0x00],
    ] {
      #expect(try thrown(wrong) == .malformedReply(request: 1))
    }
  }

  @Test("a call's own request id is sent, and named by its error; zero is none")
  func ownRequestID() throws {
    let server = try OneAnswerServer(
      Self.reply(requestID: 0xFEED_0000_0000_0001)
        + Self.reply(status: .denied, requestID: 0xFEED_0000_0000_0001) + Self.reply())
    defer { server.remove() }
    let client = try Client(Endpoint(path: server.path))
    #expect(throws: ClientError.request("a request id is not zero")) {
      try client.with(requestID: 0) { (client) throws(ClientError) in try client.ping() }
    }
    try client.with(requestID: 0xFEED_0000_0000_0001, timeout: .seconds(20)) { (client) throws in
      try client.ping()
      #expect { try client.ping() } throws: {
        ($0 as? ClientError)?.requestID == 0xFEED_0000_0000_0001
      }
    }
    try client.ping()  // the client's own count goes on where it was
  }

  @Test("a call's own time-out ends before the client's") func ownTimeout() throws {
    let server = try SilentServer()
    defer { server.remove() }
    let client = try Client(Endpoint(path: server.path), timeout: .seconds(3600))
    #expect(throws: ClientError.timedOut(request: 7)) {
      try client.with(requestID: 7, timeout: .milliseconds(20)) { (client) throws(ClientError) in
        try client.ping()
      }
    }
    #expect(
      "\(ClientError.timedOut(request: 7))".contains(
        "request 0000000000000007 may have been carried out"))
  }

  @Test("[OP-LIST-1] a listing that repeats itself ends", arguments: [["a", "a"], ["b", "a"]])
  func repeatedPage(_ labels: [String]) throws {
    let server = try OneAnswerServer(
      labels.enumerated().flatMap { Self.page($0.element, requestID: UInt64($0.offset + 1)) })
    defer { server.remove() }
    #expect { _ = try Client(Endpoint(path: server.path)).listKeys() } throws: {
      $0 as? ClientError == .malformedReply(request: 2)
    }
  }

  /// A page of one key with this label, and the promise of more.
  private static func page(_ label: String, requestID: UInt64) -> [UInt8] {
    let key =
      [0x0A, 16] + [UInt8](repeating: 1, count: 16) + [0x12, UInt8(label.utf8.count)]
      + Array(label.utf8)
    let body = [0x0A, UInt8(key.count)] + key + [0x10, 1]
    return reply({ $0[3] = UInt8(20 + body.count) }, requestID: requestID, opcode: .listKeys) + body
  }

  @Test("nobody there") func unreachable() {
    #expect { _ = try Client(Endpoint(path: "/nonexistent/kist.sock")) } throws: {
      $0 as? ClientError == .unreachable(path: "/nonexistent/kist.sock", errno: ENOENT)
    }
  }
}

/// Reads one ping, or nothing, and gives one answer, whatever it is, then hangs up.
final class OneAnswerServer: Sendable {
  let path: String
  /// Signalled when it has hung up.
  let hasEnded = DispatchSemaphore(value: 0)

  init(_ answer: [UInt8], readsRequest: Bool = true) throws {
    path =
      FileManager.default.temporaryDirectory.path + "/kist-fake-\(UUID().uuidString.prefix(8)).sock"
    let listener = kist_unix_socket()
    guard unsafe kist_bind_unix(listener, path) == 0, listen(listener, 1) == 0 else {
      throw TestDaemon.Failure("cannot listen")
    }
    Foundation.Thread.detachNewThread { [hasEnded] in
      let socket = kist_accept(listener)
      var request = [UInt8](repeating: 0, count: 32)
      if readsRequest {
        _ = unsafe recv(socket, &request, request.count, Int32(0x100 /* MSG_WAITALL */))
      }
      _ = unsafe Glibc.send(socket, answer, answer.count, Int32(MSG_NOSIGNAL))
      close(socket)
      close(listener)
      hasEnded.signal()
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
