import Configuration
import Format
import KistClient
import Policy
import Review

extension Command {
  static let keyRotate = Command(
    name: "key rotate",
    summary: "replace a merchant's key, step by step",
    usage: """
      Usage: kist key rotate plan|preflight|activate|retire OLD NEW [OPTIONS]

      Apple's certificates end after 25 months, and once a new one is activated at
      Apple there is no way back. OLD and NEW are labels or ids of a merchant's keys.
      Meanwhile both serve: a token names its key by its publicKeyHash.

        plan           print what to do, in order, and what is done; NEW may be absent
        preflight      print whether NEW can take over, check by check
        activate       do the same, and activate NEW if every check passes; activate
                       its certificate at Apple only after that
        retire         print when the last token came under OLD; retire OLD if NEW has
                       had tokens, and OLD none for --quiet days

        --quiet DAYS   for retire (default 7); 0 skips the quiet period
        --policy DIR   the policy files (default /etc/kist/policy.d): a grant that
                       covers OLD must cover NEW
        --wait         if a second operator must approve, wait for that
        --json         answer in JSON
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      Exit codes: 0 done, or all checks pass; 1 refused, or a check fails.

      """,
    options: ["quiet", "policy", .wait, .json], daemon: .operators,
    operands: 3...3
  ) { arguments throws(CommandFailure) in
    let names = arguments.operands
    let quiet = Int64(try arguments.number("quiet", in: 0...366) ?? 7)
    let daemon = try Daemon(arguments)
    let old = try daemon.key(named: names[1])
    switch names[0] {
    case "plan": try plan(old, try? daemon.key(named: names[2]), arguments)
    case "preflight":
      try check(Rotation(old, try daemon.key(named: names[2]), now: .now), arguments)
    case "activate":
      let new = try daemon.key(named: names[2])
      try check(Rotation(old, new, now: .now), arguments)
      if new.state == "active" {
        Output.complain("\(new.label) is active already\n")
      } else {
        try daemon.step(.activateKey, new.id, arguments)
      }
      Output.complain(
        "now activate the certificate of \(new.label) at Apple; there is no way back from that\n")
    case "retire":
      let rotation = Rotation(old, try daemon.key(named: names[2]), now: .now)
      Output.complain(rotation.lastTokens)
      if let reason = rotation.objection(quietDays: quiet) { throw .failed(reason) }
      try daemon.step(.retireKey, old.id, arguments)
      Output.complain(
        "late tokens under \(old.label) still open; kist key destroy \(old.label) ends that for good\n"
      )
    default:
      throw .usage("'\(names[0])' is not a step; there are plan, preflight, activate and retire")
    }
  }

  private static func plan(_ old: Key, _ new: Key?, _ arguments: Arguments) throws(CommandFailure) {
    guard !old.merchantIdentifier.isEmpty else {
      throw .failed("\(old.label) is not a merchant's key")
    }
    if let mismatch = new.flatMap({ Rotation(old, $0, now: .now).mismatch }) {
      throw .failed(mismatch)
    }
    let plan = RotationPlan(old, new, named: arguments.operands[2], now: .now)
    arguments.answer(plan.json, plan.text)
  }

  /// Shows the checks, including those of the policy files; exits with 1 if one fails.
  private static func check(_ rotation: Rotation, _ arguments: Arguments) throws(CommandFailure) {
    let checks =
      rotation.checks + [rotation.check(try PolicyDirectory.read(arguments.value("policy")))]
    let isReady = checks.allSatisfy(\.isMet)
    if arguments.operands[0] == "preflight", arguments.has("json") {
      Output.write(["checks": checks.map(\.json), "ready": isReady])
    } else {
      let text = checks.map(\.text).joined()
      if arguments.has("json") { Output.complain(text) } else { Output.write(text) }
    }
    guard isReady else { throw .failed("\(rotation.new.label) cannot take over yet") }
    guard arguments.operands[0] == "preflight" else { return }
    Output.complain(
      "\(rotation.new.label) can take over: kist key rotate activate \(rotation.old.label) \(rotation.new.label)\n"
    )
  }
}

/// The steps of a key rotation, in order.
struct RotationPlan {
  private let old: Key
  private let new: Key?
  private let name: String
  private let now: Timestamp

  /// - Parameter name: the new key's name, whether or not the key exists yet.
  init(_ old: Key, _ new: Key?, named name: String, now: Timestamp) {
    self.old = old
    self.new = new
    self.name = name
    self.now = now
  }

  struct Step {
    let text: String
    let isDone: Bool
  }

  var steps: [Step] {
    let isCertified = new.map { !$0.certificate.isEmpty } ?? false
    let isActive = new?.state == "active"
    let pair = "\(old.label) \(name)"
    return [
      Step(
        text:
          "kist key generate --label \(name) --role \(old.role) --merchant-id \(old.merchantIdentifier)",
        isDone: new != nil),
      Step(
        text:
          "kist key csr \(name) > request.csr; upload it at Apple, and do not activate the certificate there yet",
        isDone: isCertified),
      Step(text: "kist key attach \(name) certificate.cer", isDone: isCertified),
      Step(text: "kist key rotate preflight \(pair)", isDone: isActive),
      Step(text: "kist key rotate activate \(pair)", isDone: isActive),
      Step(
        text:
          "activate the certificate at Apple; from then on tokens come under it, and for a while under the old one, too",
        isDone: isActive && new?.lastUse != nil),
      Step(
        text: "kist key rotate retire \(pair); it says when the last token came under the old key",
        isDone: !["pre-active", "active"].contains(old.state)),
    ]
  }

  var text: String {
    var table = Table(["KEY", "STATE", "EXPIRES", "LAST USE", "USES"])
    for key in [old, new].compactMap(\.self) {
      table.add([
        key.label, key.state, key.expiry(now, \.day), Key.text(key.lastUse, \.wholeSeconds),
        String(key.uses),
      ])
    }
    return table.text + "\n" + lines.joined()
      + "\nA retired key still opens late tokens; kist key destroy \(old.label) ends that for good.\n"
  }

  /// The steps, with the next one marked.
  private var lines: [String] {
    let steps = steps
    let next = steps.firstIndex { !$0.isDone }
    return steps.enumerated().map { number, step in
      "\(step.isDone ? "done" : number == next ? "NEXT" : "    ")  \(number + 1). \(step.text)\n"
    }
  }

  var json: CanonicalJSON {
    [
      "old": old.json(now: now), "new": new.map { $0.json(now: now) },
      "steps": steps.map { ["done": $0.isDone, "text": $0.text] as CanonicalJSON },
    ]
  }
}
