import Crypto
import Format
import Host
import KeyStore
import Policy
import Sandbox

// The common parts of the sandbox commands.

extension Arguments {
  /// `--dir`, else `KIST_SANDBOX`.
  func sandbox() throws(CommandFailure) -> String {
    if let path = value("dir") { return path }
    guard let path = UsualPlaces.sandbox else {
      throw .usage("which sandbox? Give --dir, or set KIST_SANDBOX as kist sandbox run prints it")
    }
    return path
  }

  /// `--config` and `--policy`.
  func additions() throws(CommandFailure) -> SandboxAdditions {
    let policies = all("policy")
    guard policies.count < 100 else { throw .usage("--policy stands more than 99 times") }
    return try onSandbox(
      nil, SandboxAdditions(configuration: value("config"), policies: policies))
  }

  /// `--at`, in whole seconds.
  func moment() throws(CommandFailure) -> Timestamp? {
    try value("at", "a moment such as 2026-11-20T09:30:00Z") { text in
      Timestamp(text).flatMap { $0.wholeSeconds == text ? $0 : nil }
    }
  }
}

extension SandboxDirectory {
  /// Lines for a shell or an environment file.
  var environment: String {
    """
    KIST_ENDPOINT=unix:\(configuration.service.path)
    KIST_ADMIN_ENDPOINT=unix:\(configuration.admin.path)
    KIST_SANDBOX=\(path)

    """
  }
}

/// - Parameter path: the path that the user gave, if any.
func onSandbox<R>(_ path: String?, _ body: @autoclosure () throws(SandboxError) -> R)
  throws(CommandFailure) -> R
{
  do throws(SandboxError) { return try body() } catch { throw .sandbox(error, path) }
}

extension CommandFailure {
  fileprivate static func sandbox(_ error: SandboxError, _ path: String?) -> CommandFailure {
    let name = path ?? "a new sandbox"
    switch error {
    case .path:
      return .failed(
        "\(name): a sandbox's path has at most 92 bytes, all printable ASCII without spaces and quotes"
      )
    case .present: return .failed("\(name): not empty; a sandbox wants a directory of its own")
    case .notSandbox: return .failed("\(name): kist.toml has no [sandbox]; this is not a sandbox")
    case .pki: return .failed("\(name): pki/ is damaged; make a new sandbox")
    case .pass(let fault): return .failed(fault.text)
    case .configuration(let error): return .misconfigured(error)
    case .storage(.disk(let error)), .keyStore(.storage(.disk(let error))):
      return .failed("\(name): \(error.text)")
    case .storage(.exhausted), .crypto(.exhausted): return .secretMemory
    case .storage, .keyStore: return .failed("\(name): the key store cannot be made")
    case .crypto: return .failed("OpenSSL or libsodium does not work here")
    }
  }
}
