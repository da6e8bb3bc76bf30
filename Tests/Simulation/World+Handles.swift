import Format
import KistClient
import Operations
import Service
import TestSupport

/// One client's connection, which has secrets behind handles, and another that has none.
struct Connections {
  let own: HandleTable
  let other: HandleTable

  init(to service: Service) {
    own = service.makeHandles()
    other = service.makeHandles()
  }
}

/// A handle that a client was given, and the code that the key behind it made.
struct Held {
  let handle: [UInt8]
  var code: [UInt8]?
}

extension World {
  func agree() throws -> Outcome {
    let peer = Self.generator
    let body = try written(atMost: 128) { (writer) throws(WireError) in
      var request = ECDHRequest()
      request.peer = peer.span
      try request.encode(into: &writer)
    }
    guard let made = try reply(.ecdh, agreeing, body, over: connections?.own) else { return .down }
    if made.outcome.isOK {
      handles.append(Held(handle: try ECDHReply(MessageReader(made.body.span)).handle.array))
    }
    return made.outcome
  }

  func derive(_ number: Int) throws -> Outcome {
    guard let held = handles[around: number] else { return .nothing }
    let body = try written(atMost: 64) { (writer) throws(WireError) in
      var request = KDFRequest()
      request.handle = held.handle.span
      request.count = 32
      try request.encode(into: &writer)
    }
    guard let made = try reply(.kdf, agreeing, body, over: connections?.own) else { return .down }
    if made.outcome.isOK {
      handles.append(Held(handle: try KDFReply(MessageReader(made.body.span)).handle.array))
    }
    return made.outcome
  }

  func useHandle(_ number: Int, isOwn: Bool) throws -> Outcome {
    guard !handles.isEmpty else { return .nothing }
    let place = handles.place(around: number)
    let handle = handles[place].handle
    let message = [UInt8](arrayLiteral: 1, 2, 3)
    let body = try written(atMost: 64) { (writer) throws(WireError) in
      var request = MACRequest()
      request.handle = handle.span
      request.algorithm = .hmacSHA256
      request.message = message.span
      try request.encode(into: &writer)
    }
    guard
      let made = try reply(
        .mac, agreeing, body, over: isOwn ? connections?.own : connections?.other)
    else { return .down }
    guard made.outcome.isOK else { return made.outcome }
    let code = try MACReply(MessageReader(made.body.span)).mac.array
    if let before = handles[place].code, before != code {
      throw Surprise("the key behind a handle is another one")
    }
    handles[place].code = code
    return made.outcome
  }

  func releaseHandle(_ number: Int) throws -> Outcome {
    guard let held = handles[around: number] else { return .nothing }
    let body = try written(atMost: 32) { (writer) throws(WireError) in
      try ReleaseHandleRequest(handle: held.handle.span).encode(into: &writer)
    }
    return try reply(.releaseHandle, agreeing, body, over: connections?.own)?.outcome ?? .down
  }

  /// The peer's public key: the generator of P-256 (SEC 2 §2.4.2), which is a point like any other.
  private static let generator: [UInt8] =
    Hex.decode(
      "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    ) ?? []
}
