import Format
import Operations
import Service
import ServiceHarness
import Synchronization
import TestSupport

/// Requests of one connection through the real service, with a live key of every role.
///
/// Each is a byte for the operation, a byte for the key, two bytes of length, and the body; what
/// `ServiceScene.placeholder` stands for in a body is the handle that the connection was given
/// last.
enum ServiceTarget: FuzzTarget {
  static let name = "service"
  static let byteLimit = 8192
  private static let requestLimit = 6
  private static let headCount = 4

  static func seeds() throws -> [[UInt8]] {
    let requests = try WireVector.accepted().compactMap(request)
    let alone = try requests.flatMap { request in
      let keys = try ServiceScene.keyIndices(serving: operationTable[Int(request.row)].opcode)
      return keys.map { request.bytes(key: $0) }
    }
    let bare = operationTable.indices.flatMap { [[UInt8($0), 2, 0, 0], [UInt8($0), .max, 0, 0]] }
    return alone + bare + (try chain(requests))
  }

  static func run(_ input: [UInt8]) throws {
    try scene.withLock { scene in
      let current: ServiceScene
      if let there = scene { current = there } else { current = try ServiceScene() }
      scene = current
      do { try send(input, to: current) } catch {
        scene = nil
        throw error
      }
      if current.isUsedUp {
        scene = nil
        try current.verifyLog()
      }
    }
  }

  private static let scene = Locked<ServiceScene?>(nil)

  private static func send(_ input: [UInt8], to scene: ServiceScene) throws {
    var rest = input[...]
    var handle = [UInt8](repeating: 0, count: 16)
    let connection = scene.service.service.makeHandles()
    for _ in 0..<requestLimit {
      guard rest.count >= headCount else { return }
      let head = Array(rest.prefix(headCount))
      rest = rest.dropFirst(headCount)
      let body = Array(rest.prefix(Int(head[2]) << 8 | Int(head[3])))
      rest = rest.dropFirst(body.count)
      let row = operationTable[Int(head[0]) % operationTable.count]
      guard RequestHeader.byteCount + body.count <= row.frameCap else { continue }
      // Seldom, for a new service takes longer than all that is asked of it.
      guard row.opcode != .lock || head[1] == .max else { continue }
      let reply = try scene.ask(
        row.opcode, keyIndex: Int(head[1]), body.replacing(ServiceScene.placeholder, with: handle),
        over: connection)
      if let given = reply { handle = given }
    }
  }

  /// A golden vector of a request, and the operation it is for.
  private struct Request {
    let name: String
    let row: UInt8
    let body: [UInt8]

    func bytes(key: Int) -> [UInt8] {
      [row, UInt8(key), UInt8(body.count >> 8), UInt8(truncatingIfNeeded: body.count)] + body
    }
  }

  private static func request(_ vector: WireVector) -> Request? {
    guard case .message(let name) = vector.subject, vector.bytes.count < 1 << 16,
      let row = operationTable.firstIndex(where: {
        ServiceScene.messageName($0.opcode, "Request") == name
      })
    else { return nil }
    let handle = vector.fields.first { $0.hasPrefix("handle = hex:") }.flatMap {
      Hex.decode($0.dropFirst("handle = hex:".count))
    }
    return Request(
      name: vector.file, row: UInt8(row),
      body: handle.map { vector.bytes.replacing($0, with: ServiceScene.placeholder) }
        ?? vector.bytes)
  }

  /// An agreed secret, a key derived of it, and what is done with that.
  private static func chain(_ requests: [Request]) throws -> [[UInt8]] {
    guard let key = try ServiceScene.keyIndices(serving: .ecdh).first else { return [] }
    let names = [
      ["ecdh-request-point", "kdf-request-hkdf", "seal-request-handle"],
      ["ecdh-request-point", "kdf-request-parts", "mac-request-handle"],
    ]
    return names.map { names in
      names.flatMap { name in
        requests.filter { $0.name == name + ".txt" }.flatMap { $0.bytes(key: key) }
      }
    }
  }
}

extension [UInt8] {
  /// With every `old` replaced, from the front.
  fileprivate func replacing(_ old: [UInt8], with new: [UInt8]) -> [UInt8] {
    guard !old.isEmpty, count >= old.count else { return self }
    var result: [UInt8] = []
    var place = 0
    while place < count {
      if self[place] == old[0], self[place...].starts(with: old) {
        result += new
        place += old.count
      } else {
        result.append(self[place])
        place += 1
      }
    }
    return result
  }
}
