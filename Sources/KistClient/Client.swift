// KistClient: the daemon as a Swift program calls it.
// It knows the wire and its own socket, and keeps what is secret in the arena.
// It must not know keys, policy, or anything that only the daemon needs.

internal import Encoding
internal import SecretMemory
package import Wire

/// A connection to `kistd`, for one thread at a time.
///
/// Requests and replies are in this process's own locked memory. After `ClientError.disconnected` or `.timedOut` make a new client, or
/// `reconnect`.
public final class Client {
  private let endpoint: Endpoint
  private let timeout: Duration?
  private var connection: Connection
  private var lastRequestID: UInt64 = 0

  /// Connects to the daemon.
  ///
  /// - Parameter timeout: how long connecting and each request may take, more than zero; nil for no limit.
  /// - Throws: `ClientError.unreachable`, `.secretMemory`.
  public init(_ endpoint: Endpoint, timeout: Duration? = nil) throws(ClientError) {
    try Self.installArena()
    (self.endpoint, self.timeout) = (endpoint, timeout)
    connection = try Self.connect(to: endpoint, timeout)
  }

  /// Replaces the connection by a new one.
  ///
  /// - Throws: `ClientError.unreachable`; the old connection then stays.
  public func reconnect() throws(ClientError) { connection = try Self.connect(to: endpoint, timeout) }

  private static func connect(to endpoint: Endpoint, _ timeout: Duration?) throws(ClientError) -> Connection {
    try Connection(endpoint, timeout: timeout.map { max(1, $0.nanoseconds) })
  }

  /// Sends one request and waits for its reply.
  ///
  /// - Parameter encode: writes the body.
  package func call(
    _ opcode: Opcode, key: KeyID = .none, bodyCap: Int = 1024,
    _ encode: (inout MessageWriter) throws(WireError) -> Void = { (_) throws(WireError) in }
  ) throws(ClientError) -> Reply {
    lastRequestID += 1
    let headerCount = RequestHeader.lengthByteCount + RequestHeader.byteCount
    var frame = try Connection.buffer(headerCount + bodyCap)
    let bodyCount: Int
    do throws(WireError) {
      var bytes = frame.mutableBytes
      var writer = MessageWriter(bytes._mutatingExtracting(headerCount..<headerCount + bodyCap))
      try encode(&writer)
      bodyCount = writer.count
    } catch { throw .request(error.description) }
    var bytes = frame.mutableBytes
    RequestHeader(opcode: opcode.rawValue, requestID: lastRequestID, key: key).encode(bodyCount: bodyCount, into: &bytes)
    connection.beginRequest()
    do throws(ClientError) { try connection.send(frame.bytes.extracting(first: headerCount + bodyCount)) } catch {
      // What the daemon sent before it closed the connection must still be read [WIRE-19].
      guard error == .disconnected else { throw error }
    }
    return try Reply(try connection.receive(atMost: Self.replyCap), to: opcode.rawValue, lastRequestID)
  }

  /// - Parameter bytes: 16, or nil for no key.
  func keyID(_ bytes: [UInt8]?) throws(ClientError) -> KeyID {
    guard let bytes else { return .none }
    guard bytes.count == KeyID.byteCount, let id = KeyID(prefixOf: bytes.span) else {
      throw .request("a key id has \(KeyID.byteCount) bytes, not \(bytes.count)")
    }
    return id
  }

  /// The size of the largest reply.
  private static let replyCap = 1 << 20

  /// One MiB for requests and replies in flight; a process that already has an arena keeps it.
  private static func installArena() throws(ClientError) {
    guard SecretArena.usage.kind == nil else { return }
    do throws(SecretMemoryError) {
      try SecretArena.install(capacity: 4 << 20, allowMlockFallback: true)
    } catch {
      guard SecretArena.usage.kind != nil else { throw .secretMemory }
    }
  }
}

extension Duration {
  /// Clamped to what an `Int64` holds.
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isBeyond) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || isBeyond ? .max : sum
  }
}
