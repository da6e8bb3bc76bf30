internal import Configuration
internal import Crypto
internal import Format
internal import Policy
internal import Review

/// The policy that another operator's `swap-policy` asks for, as whoever approves it has it in files.
struct RequestedPolicy {
  private let digest: Digest256
  /// Nil where nobody gave the files of the policy in force: then all that the new one allows counts as a change.
  private let inForce: Digest256?
  private let changes: [PolicyChange]

  static let options: [Option] = [.value("policy"), .value("from")]

  /// - Throws: where the files are not the policy that was asked for, or `--from` not the one in force.
  init(_ request: ListRequestsReply.Request, _ daemon: Daemon, _ arguments: Arguments) throws(CommandFailure) {
    let directory = arguments.value("policy") ?? UsualPlaces.policy
    let policy = try PolicyDirectory.read(directory)
    digest = policy.digest
    guard digest.bytes == request.digest else {
      throw .failed(
        "request \(request.id) is for policy \(Hex.encode(request.digest)), and \(directory) has policy \(digest.hex): give the requested one with --policy"
      )
    }
    let old = try arguments.value("from").map { (path) throws(CommandFailure) in try PolicyDirectory.read(path) }
    if let old, let known = try daemon.policyInForce, known != old.digest.bytes {
      throw .failed("the policy in force is \(Hex.encode(known)), and --from has policy \(old.digest.hex)")
    }
    inForce = old?.digest
    changes = try PolicyChange.all(from: old ?? .empty, to: policy)
  }

  var text: String {
    let heading = inForce.map { "changes from policy \($0.hex):" } ?? "it allows the following; --from would say what is new:"
    return "policy \(digest.hex)\n\(heading)\n" + (changes.isEmpty ? "nothing\n" : PolicyChange.text(changes))
  }

  var json: CanonicalJSON {
    ["changes": .array(changes.map(\.json)), "from_sha256": inForce.map { .string($0.hex) }, "policy_sha256": .string(digest.hex)]
  }
}
