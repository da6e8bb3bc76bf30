import Crypto
import Format
import Policy
import Operations
import ServiceHarness
import TestSupport

/// A key that the world knows, too: what it must say is known.
struct ImportedKey {
  /// Nil if the daemon never said that it took it.
  let id: KeyID?
  let bytes: [UInt8]
  /// The change that comes next; nil after the last.
  var next: Act.Step?
}

extension World {
  func importKey(isActive: Bool, lifetime: Int64?) throws -> Outcome {
    let bytes = SHA256.hash(Array("imported \(imported.count)".utf8)).bytes
    let body = try written(atMost: 256) { (writer) throws(WireError) in
      var request = ImportKeyRequest()
      request.label = "merchant/imported/\(imported.count)"
      request.role = "mac-hmac-sha256"
      request.privateKey = bytes.span
      request.activate = isActive
      request.notAfter = UInt64(lifetime.map { clock + $0 } ?? 0)
      try request.encode(into: &writer)
    }
    let hadRoom = hasRoom
    guard let made = try reply(.importKey, .none, body, on: .operators) else { return .down }
    if made.outcome.isOK, !hadRoom { throw Surprise("a key was added to a full store") }
    let isFull = made.outcome == .said("key-import") && !hadRoom
    let taken = made.outcome.isOK ? try KeyDescription(MessageReader(made.body.span)).id : []
    let id = KeyID(prefixOf: taken.span)
    imported.append(ImportedKey(id: id, bytes: bytes, next: isActive ? .retire : .activate))
    return isFull ? .nothing : made.outcome
  }

  /// Whether the manifest has room for another key, with all that may be said of the others.
  /// [KS-ROOM]
  private var hasRoom: Bool {
    let text = String(decoding: disk.contents("/state/keys/manifest.json") ?? [], as: UTF8.self)
    let keys =
      text.ranges(of: "\"block\":").count - text.ranges(of: "\"state\":\"destroyed\"").count
    return text.utf8.count + 1536 * keys + (70 << 10) <= Self.manifestLimit
  }

  func useImported(_ number: Int) throws -> Outcome {
    guard let key = imported[around: number], let id = key.id else { return .nothing }
    guard let made = try reply(.mac, id, try TestService.macBody()) else { return .down }
    guard made.outcome.isOK else { return made.outcome }
    let bytes = key.bytes
    let message = [UInt8](arrayLiteral: 1, 2, 3)
    let right = try HMACSHA256.authenticate(key: bytes.span, message.span)
    guard try MACReply(MessageReader(made.body.span)).mac.array == right.bytes else {
      throw Surprise("a key is not the one that was imported")
    }
    return made.outcome
  }

  func advance(_ number: Int) throws -> Outcome {
    guard !imported.isEmpty else { return .nothing }
    let place = imported.place(around: number)
    guard let id = imported[place].id, let step = imported[place].next else { return .nothing }
    guard let made = try reply(step.opcode, id, [], on: .operators) else { return .down }
    if made.outcome.isOK { imported[place].next = step.next }
    return made.outcome
  }
}

extension Act.Step {
  fileprivate var opcode: Opcode {
    switch self {
    case .activate: .activateKey
    case .retire: .retireKey
    }
  }
}
