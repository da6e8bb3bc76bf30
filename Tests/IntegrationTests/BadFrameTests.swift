import Audit
import Format
import Foundation
import KistClient
import Testing

/// What the daemon does with bytes that are no request.
@Suite(.serialized) struct BadFrameTests {
  struct Bad: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
  }

  static let good = RawSocket.frame(.random, body: [0x08, 0x10])

  static func changed(_ place: Int, _ value: UInt8) -> [UInt8] {
    var bytes = good
    bytes[place] = value
    return bytes
  }

  /// With 256 bytes to spare for a field that is a little too long.
  static let tooLong =
    UInt32(RequestHeader.byteCount + Opcode.random.largestRequest + 257).bigEndianBytes
    + good.dropFirst(4)

  static let bad = [
    Bad(testDescription: "length zero", bytes: [0, 0, 0, 0] + good.dropFirst(4)),
    Bad(testDescription: "length shorter than a header", bytes: changed(3, 27)),
    Bad(
      testDescription: "length of four gigabytes", bytes: [255, 255, 255, 255] + good.dropFirst(4)),
    Bad(testDescription: "one byte more than the operation takes", bytes: tooLong),
    Bad(testDescription: "the first four bytes of another protocol", bytes: Array("GET ".utf8)),
    Bad(
      testDescription: "one byte more than any operation takes, and nothing else",
      bytes: [0, 2, 0, 1]),
    Bad(testDescription: "another version", bytes: changed(4, 2)),
    Bad(testDescription: "a reserved flag", bytes: changed(5, 2)),
    Bad(
      testDescription: "a body that is no message", bytes: RawSocket.frame(.random, body: [0xFF])),
    Bad(testDescription: "an unknown field", bytes: RawSocket.frame(.random, body: [0x10, 0x01])),
    Bad(
      testDescription: "an explicit default", bytes: RawSocket.frame(.random, body: [0x08, 0x00])),
    Bad(
      testDescription: "a varint that is too long",
      bytes: RawSocket.frame(.random, body: [0x08, 0x90, 0x00])),
    Bad(
      testDescription: "a body where there should be none",
      bytes: RawSocket.frame(.describe, body: [0x08, 0x01])),
  ]

  @Test("[WIRE-8] bad bytes: a clear status, the connection closed, the daemon healthy")
  func badFrames() throws {
    let daemon = try TestDaemon()
    defer { daemon.stop() }
    for bad in Self.bad {
      let socket = try RawSocket(daemon.services)
      socket.send(bad.bytes)
      let reply = try socket.reply()
      #expect(reply?.status == .malformed, "\(bad.testDescription)")
      #expect(try socket.reply() == nil, "\(bad.testDescription): not closed")
      try Client(daemon.services).ping()
    }
    #expect(try daemon.records().count { $0.result == "malformed" } == Self.bad.count)
  }

  @Test("[WIRE-10] pipelined requests are answered in order, what follows a broken one is not")
  func pipelining() throws {
    let daemon = try TestDaemon()
    defer { daemon.stop() }
    let socket = try RawSocket(daemon.services)
    let count: UInt64 = 200
    for id in 1...count {
      socket.send(
        id % 3 == 0
          ? RawSocket.frame(.ping, requestID: id)
          : RawSocket.frame(.random, requestID: id, body: [0x08, 0x10]))
    }
    var sequences: [UInt64] = []
    for id in 1...count {
      let reply = try #require(try socket.reply())
      #expect(reply.requestID == id && reply.status == .ok)
      if id % 3 != 0 { sequences.append(reply.auditSequence) }
    }
    #expect(sequences == Array(sequences[0]..<sequences[0] + UInt64(sequences.count)))
    for (sequence, record) in zip(
      sequences, try daemon.records().filter { $0.operation == "random" })
    { #expect(record.sequence == sequence) }

    socket.send(
      RawSocket.frame(.random, requestID: 7, body: [0x08, 0x10])
        + RawSocket.frame(.random, requestID: 8, body: [0xFF]) + Self.good)
    #expect(try socket.reply()?.status == .ok)
    #expect(try socket.reply()?.status == .malformed)
    #expect(try socket.reply() == nil)
  }

  @Test("[WIRE-22] the answer to a request whose body breaks a bound names the field and the bound")
  func flaws() throws {
    let daemon = try TestDaemon()
    defer { daemon.stop() }
    let flawed: [(opcode: Opcode, body: [UInt8], flaw: String)] = [
      (.random, [0x08, 0x81, 0x08], "count is 1025; it takes 1 to 1024"),
      (.random, [], "count is missing"),
      (.random, [0x12, 0x01, 0x00], "count is missing"),
      (.random, [0x0A, 0x01, 0x00], "count has another wire type"),
      (.random, [0x08, 0x10, 0x10, 1], "field 2 is unknown, comes twice or is out of order"),
      (.listKeys, [0x0A, 0xFF, 0x7F], "the bytes end inside a value"),
    ]
    for (opcode, body, flaw) in flawed {
      let socket = try RawSocket(daemon.services)
      socket.send(RawSocket.frame(opcode, body: body))
      let reply = try #require(try socket.replyWithBody())
      #expect(reply.header.status == .malformed, "\(opcode)")
      #expect(try Malformation(MessageReader(reply.body.span)).why == flaw, "\(flaw)")
      #expect(try socket.reply() == nil, "\(opcode): not closed")
    }
  }

  @Test("[WIRE-7] an opcode that this version has not got is no reason to hang up")
  func unknownOpcode() throws {
    let daemon = try TestDaemon()
    defer { daemon.stop() }
    let socket = try RawSocket(daemon.services)
    var frame = RawSocket.frame(.random, body: [0x08, 0x10])
    frame[6] = 0x7F
    frame[7] = 0xFF
    socket.send(frame + Self.good)
    #expect(try socket.reply()?.status == .unsupported)
    #expect(try socket.reply()?.status == .ok)

    // [WIRE-4] Nothing but the general limit is known of its size.
    for (length, statuses) in [(131_072, [.unsupported, .ok]), (131_073, [.malformed, nil])]
      as [(Int, [Status?])]
    {
      var longest = RawSocket.frame(
        .random, body: [UInt8](repeating: 0, count: length - RequestHeader.byteCount))
      longest[6] = 0x7F
      longest[7] = 0xFF
      let socket = try RawSocket(daemon.services)
      socket.send(longest + Self.good)
      for status in statuses { #expect(try socket.reply()?.status == status, "\(length)") }
    }
  }

  @Test("[WIRE-15] half a frame, a half-closed socket and a byte at a time") func halves() throws {
    let daemon = try TestDaemon()
    defer { daemon.stop() }
    let halfClosed = try RawSocket(daemon.services)
    halfClosed.send(Self.good)
    halfClosed.finishSending()
    #expect(try halfClosed.reply()?.status == .ok)
    #expect(try halfClosed.reply() == nil)

    let inPieces = try RawSocket(daemon.services)
    for byte in Self.good { inPieces.send([byte]) }
    #expect(try inPieces.reply()?.status == .ok)

    // Never finished: the frame's time runs out and the daemon hangs up.
    let hasty = try TestDaemon(TestDaemon.Options(extra: "[limits]\nframe_timeout = \"300ms\"\n"))
    defer { hasty.stop() }
    let stuck = try RawSocket(hasty.services)
    stuck.send(Array(Self.good.dropLast()))
    #expect(try stuck.reply() == nil)
    try Client(hasty.services).ping()
  }

  @Test("frames of several connections that arrive in turns, and request ids in no order")
  func interleaved() throws {
    let daemon = try TestDaemon()
    defer { daemon.stop() }
    let sockets = try (0..<3).map { _ in try RawSocket(daemon.services) }
    let ids: [UInt64] = [9, 3, .max, 3, 0, 7]
    let frames = ids.flatMap { RawSocket.frame(.random, requestID: $0, body: [0x08, 0x10]) }
    for start in stride(from: 0, to: frames.count, by: 11) {
      for socket in sockets { socket.send(Array(frames[start..<min(start + 11, frames.count)])) }
    }
    for socket in sockets {
      for id in ids {
        let reply = try #require(try socket.reply())
        #expect(reply.status == .ok && reply.requestID == id)
      }
    }
  }

  @Test("[WIRE-17] descriptors are refused", arguments: RightsKernel.allCases) func descriptors(
    _ kernel: RightsKernel
  ) throws {
    let daemon = try TestDaemon(TestDaemon.Options(launcher: kernel.launcher))
    defer { daemon.stop() }
    let script = """
      import array, socket, sys
      s = socket.socket(socket.AF_UNIX)
      s.connect(sys.argv[1])
      try:
          s.sendmsg([b"\\0"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])
          print(len(s.recv(1)))
      except (PermissionError, ConnectionResetError) as error:
          print(error.errno)
      """
    let received = try Oracle.run([Oracle.python, "-c", script, daemon.services.path])
    #expect(String(decoding: received, as: UTF8.self) == "\(kernel.refuses ? EPERM : ECONNRESET)\n")
    try Client(daemon.services).ping()
  }

  @Test(
    "[WIRE-21] connections in all and per user: one too many is told that the daemon is busy, on the record; operators have their own"
  )
  func connectionCaps() throws {
    let limits =
      "connections = 6\nconnections_per_user = 3\noperator_connections = 2\noperator_connections_per_user = 2\n"
    let daemon = try TestDaemon(TestDaemon.Options(extra: "[limits]\n" + limits))
    defer { daemon.stop() }
    var held: [Client] = []
    for _ in 0..<3 {
      let client = try Client(daemon.services)
      try client.ping()
      held.append(client)
    }
    #expect { try Client(daemon.services).ping() } throws: {
      ($0 as? ClientError)?.status == "busy"
    }
    let refused = try RawSocket(daemon.services)
    let reply = try #require(try refused.reply())
    #expect(
      reply.status == .busy && reply.opcode == 0 && reply.requestID == 0
        && reply.auditSequence == ReplyHeader.unaudited)
    #expect(try refused.reply() == nil)

    let operators = try (0..<2).map { _ in try Client(daemon.operators) }
    for client in operators { try client.ping() }
    #expect { try Client(daemon.operators).ping() } throws: {
      ($0 as? ClientError)?.status == "busy"
    }

    try held[0].ping()
    held.removeLast()
    try eventually { (try? Client(daemon.services).ping()) != nil }
    #expect(daemon.stop() == 0)
    let records = try daemon.records().filter { $0.operation == "connections-refused" }
    #expect(Set(records.compactMap { $0.text("socket") }) == ["services", "operators"])
    #expect(
      records.allSatisfy {
        $0.text("reason") == "full" && $0.number("uid") == Int64(getuid())
          && $0.number("count") ?? 0 > 0
      })
    #expect(
      daemon.readErrors().contains(
        "event=connections-refused socket=operators reason=full uid=\(getuid()) count=1"))
  }
}

extension Record {
  fileprivate func text(_ name: String) -> String? {
    guard case .string(let text)? = event.first(where: { $0.name == name })?.value else {
      return nil
    }
    return text
  }

  fileprivate func number(_ name: String) -> Int64? {
    guard case .integer(let number)? = event.first(where: { $0.name == name })?.value else {
      return nil
    }
    return number
  }
}
