// KistClient: the daemon as a Swift program calls it.
// It knows the wire and its own socket, and keeps what is secret in the arena.
// It must not know keys, policy, or anything that only the daemon needs.
// Called by kist, Sandbox and programs in Swift that use the daemon.

package import Format
import Glibc
import Host

/// A connection to `kistd`, for one thread at a time.
///
/// Requests and replies are in this process's own locked memory. After `ClientError.disconnected`
/// or `.timedOut` make a new client, or `reconnect`.
public final class Client {
  private let endpoint: Endpoint
  /// What holds for the call that comes next.
  private var options: Options
  private var connection: Connection
  private var lastRequestID: UInt64

  private struct Options {
    var timeout: Duration?
    var requestID: UInt64?
  }

  /// Connects to the daemon.
  ///
  /// - Parameters:
  ///   - timeout: how long connecting and each request may take, more than zero; nil for no limit.
  ///   - firstRequestID: from which the ids of requests count; one that is drawn at random makes
  ///     them unique in the audit log. Not zero.
  /// - Throws: `ClientError.unreachable`, `.secretMemory`.
  public init(_ endpoint: Endpoint, timeout: Duration? = nil, firstRequestID: UInt64 = 1)
    throws(ClientError)
  {
    try Self.installArena()
    self.endpoint = endpoint
    options = Options(timeout: timeout)
    lastRequestID = firstRequestID &- 1
    connection = try Self.connect(to: endpoint, timeout)
  }

  /// Replaces the connection by a new one.
  ///
  /// - Throws: `ClientError.unreachable`; the old connection then stays.
  public func reconnect() throws(ClientError) {
    connection = try Self.connect(to: endpoint, options.timeout)
  }

  /// Makes the calls of `body` with a request id and a time limit of their own.
  ///
  /// - Parameters:
  ///   - requestID: what the audit records of these calls have, for `kist audit show --request`,
  ///     and their errors; not zero. Nil for the client's own count.
  ///   - timeout: how long each may take, more than zero; nil for the client's own.
  /// - Throws: what `body` throws.
  public func with<R: ~Copyable, E>(
    requestID: UInt64? = nil, timeout: Duration? = nil, _ body: (Client) throws(E) -> R
  ) throws(E) -> R {
    let before = options
    defer { options = before }
    options = Options(timeout: timeout ?? before.timeout, requestID: requestID ?? before.requestID)
    return try body(self)
  }

  private static func connect(to endpoint: Endpoint, _ timeout: Duration?) throws(ClientError)
    -> Connection
  {
    try Connection(endpoint, timeout: timeout?.limit)
  }

  /// Sends one request and waits for its reply.
  ///
  /// - Parameter key: 16 bytes, or nil for no key.
  package func call(
    _ opcode: Opcode, key: [UInt8]? = nil, _ request: some Message & ~Escapable = NoFields()
  ) throws(ClientError) -> Reply {
    let key = try Self.keyID(key)
    let requestID = try nextRequestID()
    let largest = Self.headerCount + opcode.largestRequest
    var frame = try Connection.buffer(min(1024, largest))
    let bodyCount = try Self.encode(request, into: &frame, atMost: largest)
    var bytes = frame.mutableBytes
    RequestHeader(opcode: opcode.rawValue, requestID: requestID, key: key, asksWait: true).encode(
      bodyCount: bodyCount, into: &bytes)
    connection.begin(requestID, within: options.timeout?.limit)
    do throws(ClientError) {
      try connection.send(frame.bytes.extracting(first: Self.headerCount + bodyCount))
    } catch {
      // What the daemon sent before it closed the connection must still be read [WIRE-19].
      guard case .disconnected = error else { throw error }
    }
    let isFirst = !connection.hasAnswered
    return try Reply(
      try connection.receive(atMost: Self.replyCap), to: opcode.rawValue, requestID,
      isFirst: isFirst)
  }

  /// Writes a request's body, whose bytes it counts; the frame grows to at most `largest` bytes
  /// until the body fits, since locked memory is scarce.
  private static func encode(
    _ request: some Message & ~Escapable, into frame: inout SecretBuffer, atMost largest: Int
  ) throws(ClientError) -> Int {
    do throws(WireError) {
      var bytes = frame.mutableBytes
      var writer = MessageWriter(bytes._mutatingExtracting(headerCount..<bytes.count))
      try request.encode(into: &writer)
      return writer.count
    } catch .tooLong where frame.count < largest {
      frame = try Connection.buffer(min(4 * frame.count, largest))
      return try encode(request, into: &frame, atMost: largest)
    } catch { throw .request(error.description) }
  }

  private static func keyID(_ bytes: [UInt8]?) throws(ClientError) -> KeyID {
    guard let bytes else { return .none }
    guard bytes.count == KeyID.byteCount, let id = KeyID(prefixOf: bytes.span) else {
      throw .request("a key id has \(KeyID.byteCount) bytes, not \(bytes.count)")
    }
    return id
  }

  private func nextRequestID() throws(ClientError) -> UInt64 {
    if let chosen = options.requestID {
      guard chosen != 0 else { throw .request("a request id is not zero") }
      return chosen
    }
    lastRequestID = lastRequestID == .max ? 1 : lastRequestID + 1
    return lastRequestID
  }

  private static let headerCount = RequestHeader.lengthByteCount + RequestHeader.byteCount
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
  /// In nanoseconds: at least one, and what an `Int64` holds.
  fileprivate var limit: Int64 { max(1, nanoseconds) }

  private var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isBeyond) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || isBeyond ? .max : sum
  }
}

/// Where a daemon listens: a Unix socket, written `unix:/run/kist/kist.sock`.
public struct Endpoint: Hashable, Sendable {
  /// The socket's path.
  public let path: String

  public init(path: String) { self.path = path }

  /// From a `unix:` URL, or nil for any other text.
  public init?(url: String) {
    guard url.hasPrefix("unix:/") else { return nil }
    path = String(url.dropFirst("unix:".count))
  }

  public static let services = Endpoint(path: "/run/kist/kist.sock")
  public static let operators = Endpoint(path: "/run/kist/admin.sock")

  /// `KIST_ENDPOINT`, or the services' socket if it is not set or empty.
  ///
  /// - Throws: `ClientError.endpoint` if it is set to something that is no `unix:` URL.
  public static func fromEnvironment() throws(ClientError) -> Endpoint {
    try fromEnvironment("KIST_ENDPOINT") ?? .services
  }

  /// The endpoint that `variable` names; nil if it is not set or empty.
  ///
  /// - Throws: `ClientError.endpoint` if it is set to something that is no `unix:` URL.
  package static func fromEnvironment(_ variable: String) throws(ClientError) -> Endpoint? {
    guard let value = unsafe getenv(variable).map({ unsafe String(cString: $0) }), !value.isEmpty
    else { return nil }
    guard let endpoint = Endpoint(url: value) else { throw .endpoint(value) }
    return endpoint
  }
}
