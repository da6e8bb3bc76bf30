internal import Format
internal import KistClient
internal import Review

/// The steps of a key rotation, in order.
struct RotationPlan {
  private let old: Key
  private let new: Key?
  private let name: String
  private let now: Timestamp

  /// - Parameter name: the new key's name, whether or not the key exists yet.
  init(_ old: Key, _ new: Key?, named name: String, now: Timestamp) { (self.old, self.new, self.name, self.now) = (old, new, name, now) }

  struct Step {
    let text: String
    let isDone: Bool
  }

  var steps: [Step] {
    let isCertified = new.map { !$0.certificate.isEmpty } ?? false
    let isActive = new?.state == "active"
    let pair = "\(old.label) \(name)"
    return [
      Step(text: "kist key generate --label \(name) --role \(old.role) --merchant-id \(old.merchantIdentifier)", isDone: new != nil),
      Step(text: "kist key csr \(name) > request.csr; upload it at Apple, and do not activate the certificate there yet", isDone: isCertified),
      Step(text: "kist key attach \(name) certificate.cer", isDone: isCertified),
      Step(text: "kist key rotate preflight \(pair)", isDone: isActive),
      Step(text: "kist key rotate activate \(pair)", isDone: isActive),
      Step(
        text: "activate the certificate at Apple; from then on tokens come under it, and for a while under the old one, too",
        isDone: isActive && new?.lastUse != nil),
      Step(text: "kist key rotate retire \(pair); it says when the last token came under the old key", isDone: !["pre-active", "active"].contains(old.state)),
    ]
  }

  var text: String {
    var table = Table(["KEY", "STATE", "EXPIRES", "LAST USE", "USES"])
    for key in [old] + (new.map { [$0] } ?? []) {
      table.add([key.label, key.state, key.expiry(now, \.day), Key.text(key.lastUse, \.wholeSeconds), String(key.uses)])
    }
    return table.text + "\n" + lines.joined() + "\nA retired key still opens late tokens; kist key destroy \(old.label) ends that for good.\n"
  }

  /// The steps, with the next one marked.
  private var lines: [String] {
    let steps = steps
    let next = steps.firstIndex { !$0.isDone }
    return steps.enumerated().map { number, step in "\(step.isDone ? "done" : number == next ? "NEXT" : "    ")  \(number + 1). \(step.text)\n" }
  }

  var json: CanonicalJSON {
    [
      "old": old.json(now: now),
      "new": new.map { $0.json(now: now) },
      "steps": .array(steps.map { ["done": .bool($0.isDone), "text": .string($0.text)] }),
    ]
  }
}
