internal import Glibc

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
  public static func fromEnvironment() throws(ClientError) -> Endpoint { try fromEnvironment("KIST_ENDPOINT") ?? .services }

  /// The endpoint that `variable` names; nil if it is not set or empty.
  ///
  /// - Throws: `ClientError.endpoint` if it is set to something that is no `unix:` URL.
  package static func fromEnvironment(_ variable: String) throws(ClientError) -> Endpoint? {
    guard let value = unsafe getenv(variable).map({ unsafe String(cString: $0) }), !value.isEmpty else { return nil }
    guard let endpoint = Endpoint(url: value) else { throw .endpoint(value) }
    return endpoint
  }
}
