import Configuration
import Glibc
import KistClient
import Policy

/// Where commands look unless they are told: in the sandbox of `KIST_SANDBOX`, else where a daemon
/// of this host keeps its files.
enum UsualPlaces {
  /// A sandbox's directory; nil if none is named.
  static var sandbox: String? {
    guard let path = unsafe getenv("KIST_SANDBOX").map({ unsafe String(cString: $0) }),
      !path.isEmpty
    else { return nil }
    return path
  }

  static var configuration: String { inSandbox("kist.toml") ?? DaemonConfiguration.defaultPath }
  static var policy: String { inSandbox("policy.d") ?? PolicyDirectory.defaultPath }
  static var auditLog: String { inSandbox("audit") ?? "/var/log/kist/audit" }
  /// Only a sandbox keeps it beside the log; elsewhere it must come from another host.
  static var verifierKey: String? { inSandbox("audit.vkey") }

  /// A daemon's socket, which has the same name in a sandbox.
  static func socket(_ usual: Endpoint) -> Endpoint? {
    usual.path.split(separator: "/").last.flatMap { inSandbox("run/" + $0) }.map {
      Endpoint(path: $0)
    }
  }

  private static func inSandbox(_ name: String) -> String? { sandbox.map { $0 + "/" + name } }
}

extension Arguments {
  /// `--key` of a log, else that of the sandbox.
  func verifierKey() throws(CommandFailure) -> String {
    if let key = value("key") ?? UsualPlaces.verifierKey { return key }
    return try required("key")
  }
}
