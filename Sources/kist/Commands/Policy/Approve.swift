import Configuration
import Crypto
import Format
import KistClient
import Policy
import Review

extension Command {
  static let approve = Command(
    name: "approve",
    summary: "let another operator's request run, once",
    usage: """
      Usage: kist approve ID [--show] [--policy DIR] [--from DIR] [--json]
                          [--socket PATH] [--timeout S]
             kist approve --list [--json] [--socket PATH] [--timeout S]

      Some requests need a second person. The daemon answers the first one with an ID.
      Another user approves it with this command. Then the same request, sent again,
      is carried out once. Nobody can approve their own requests.

      A change of policy is approved only if --policy has the files of exactly that
      policy. The command prints its SHA-256, and who gains and loses what.

        --list         what waits: who asks for what with which key, the SHA-256 of
                       the request's body or of the policy, and until when; for an
                       export, the exchange key and its check value to compare; for a
                       lock-out that would end, whose it is
        --show         print what ID asks for, and approve nothing
        --policy DIR   the requested policy (default /etc/kist/policy.d)
        --from DIR     the policy in force, such as an older copy of the files;
                       without it, print all that the new one allows
        --json         answer in JSON
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      """,
    options: [.flag("list"), .flag("show")] + RequestedPolicy.options + [.json], daemon: .operators,
    operands: 0...1
  ) { arguments throws(CommandFailure) in
    guard arguments.has("list") == arguments.operands.isEmpty else {
      throw .usage("expected an ID, or --list")
    }
    guard !arguments.has("list") || !arguments.has("show") else {
      throw .usage("--list and --show exclude each other")
    }
    let daemon = try Daemon(arguments)
    guard let id = arguments.operands.first else {
      let requests = try daemon.ask(daemon.client.listRequests())
      arguments.answer(["requests": requests.map(\.json)], text(requests))
      return
    }
    guard !arguments.has("show") else { return try show(id, daemon, arguments) }
    if let request = try daemon.pendingRequests?.first(where: { $0.id == id }),
      request.asksForPolicy
    {
      let policy = try RequestedPolicy(request, daemon, arguments)
      if !arguments.has("json") { Output.write(policy.text) }
    }
    let sequence = try daemon.ask(
      daemon.client.approve(id),
      rejectedMeans: "it is your own request, or no request with that id waits")
    Output.done(
      "approved \(id); the same request, sent again, is carried out once", sequence, arguments)
  }

  /// Prints what one request asks for.
  private static func show(_ id: String, _ daemon: Daemon, _ arguments: Arguments)
    throws(CommandFailure)
  {
    let requests = try daemon.ask(daemon.client.listRequests())
    guard let request = requests.first(where: { $0.id == id }) else {
      throw .failed("no request \(id) waits")
    }
    let policy: RequestedPolicy? =
      request.asksForPolicy ? try RequestedPolicy(request, daemon, arguments) : nil
    guard !arguments.has("json") else { return Output.write(request.json + (policy?.json ?? [:])) }
    Output.write(text([request]) + (policy.map { "\n" + $0.text } ?? ""))
  }

  private static func text(_ requests: [PendingRequest]) -> String {
    guard !requests.isEmpty else { return "Nothing waits for an approval.\n" }
    var table = Table(["ID", "USER", "OPERATION", "KEY", "UNTIL", "APPROVED BY", "SHA-256"])
    for request in requests {
      table.add([
        request.id, String(request.uid), request.operation, request.keyName, request.end ?? "-",
        request.approvedBy.map { String($0) } ?? "-",
        request.digest.isEmpty ? "-" : Hex.encode(request.digest),
      ])
    }
    return table.text + requests.compactMap(\.matter).map { $0 + "\n" }.joined()
  }
}

extension PendingRequest {
  fileprivate var keyName: String { label.isEmpty ? key.isEmpty ? "-" : Hex.encode(key) : label }

  /// What else there is to judge; nil where operation and key say it.
  fileprivate var matter: String? {
    switch operation {
    case Opcode.exportKey.name: "\(id) exports \(keyName) to those who hold \(exchangeName)"
    case Opcode.resetOTPLockout.name:
      "\(id) ends the lock-out of \(subject.isEmpty ? "the key's own codes" : Printable.line(subject))"
    default: nil
    }
  }

  /// Whoever holds this key gets the one that leaves under it.
  fileprivate var exchangeName: String {
    exchangeLabel.isEmpty
      ? "a key that is not there" : "\(exchangeLabel), check value \(exchangeCheck)"
  }

  /// In groups, as other machines and ceremonies show it.
  private var exchangeCheck: String {
    let digits = Hex.encode(exchangeCheckValue)
    return KeyCheckValue(hex: digits)?.description ?? digits
  }

  fileprivate var end: String? { Timestamp(reported: Int64(clamping: until))?.wholeSeconds }

  fileprivate var asksForPolicy: Bool { operation == Opcode.swapPolicy.name }

  fileprivate var json: CanonicalJSON {
    let exchange: CanonicalJSON = [
      "id": Hex.encode(exchangeKey), "kcv": Hex.encode(exchangeCheckValue).uppercased(),
      "label": exchangeLabel,
    ]
    return [
      "approved_by": approvedBy, "digest": digest.isEmpty ? nil : Hex.encode(digest),
      "exchange_key": exchangeKey.isEmpty ? nil : exchange, "id": id,
      "key": key.isEmpty ? nil : Hex.encode(key),
      "label": label.isEmpty ? nil : label, "operation": operation,
      "subject": subject.isEmpty ? nil : subject, "uid": uid, "until": end,
    ]
  }
}

/// The policy that another operator's `swap-policy` asks for, as whoever approves it has it in
/// files.
struct RequestedPolicy {
  private let digest: Digest256
  /// Nil where nobody gave the files of the policy in force: then all that the new one allows
  /// counts as a change.
  private let inForce: Digest256?
  private let changes: [PolicyChange]

  static let options: [Option] = ["policy", "from"]

  /// - Throws: where the files are not the policy that was asked for, or `--from` not the one in
  ///   force.
  init(_ request: PendingRequest, _ daemon: Daemon, _ arguments: Arguments)
    throws(CommandFailure)
  {
    let directory = arguments.value("policy") ?? UsualPlaces.policy
    let policy = try PolicyDirectory.read(directory)
    digest = policy.digest
    guard digest.bytes == request.digest else {
      throw .failed(
        "request \(request.id) is for policy \(Hex.encode(request.digest)), and \(directory) has policy \(digest.hex): give the requested one with --policy"
      )
    }
    let old = try arguments.value("from").map { (path) throws(CommandFailure) in
      try PolicyDirectory.read(path)
    }
    if let old, let known = try daemon.policyInForce, known != old.digest.bytes {
      throw .failed(
        "the policy in force is \(Hex.encode(known)), and --from has policy \(old.digest.hex)")
    }
    inForce = old?.digest
    changes = try PolicyChange.all(from: old ?? .empty, to: policy)
  }

  var text: String {
    let heading =
      inForce.map { "changes from policy \($0.hex):" }
      ?? "it allows the following; --from would say what is new:"
    return "policy \(digest.hex)\n\(heading)\n"
      + (changes.isEmpty ? "nothing\n" : PolicyChange.text(changes))
  }

  var json: CanonicalJSON {
    [
      "changes": changes.map(\.json), "from_sha256": inForce?.hex, "policy_sha256": digest.hex,
    ]
  }
}
