import Audit
import Ceremony
import Crypto
import Format
import KeyStore

extension Command {
  static let ceremonyVerify = Command(
    name: "ceremony verify",
    summary: "check a ceremony's transcript, signatures and outputs",
    usage: """
      Usage: kist ceremony verify DIR [--transcript] [--json]

      Checks, without store, keys or network: every record, link and signature of
      every sitting; that every record that the ceremony's file needs is there, of
      the right person, with the right value and in order; that the outputs are as
      they were written, with no other files; and who has signed. Lists the
      exceptions.

        --transcript  also print every record as a line, for those who will sign it
        --json        answer in JSON

      Exit codes: 0 complete and witnessed, 1 something is false, 3 partial: it was
      stopped, 4 a complete rehearsal, 5 witnesses are missing, 66 unreadable.

      """,
    options: [.flag("transcript"), .json],
    operands: 1...1
  ) { arguments throws(CommandFailure) in
    try Hardening.prepareForPublicData()
    let path = arguments.operands[0]
    let verdict: CeremonyVerdict
    do throws(TranscriptFault) { verdict = try CeremonyVerdict(CeremonyDirectory(path)) } catch {
      throw CommandFailure(code: error.exitCode, "\(path): \(error.text)")
    }
    if arguments.has("transcript"), !arguments.has("json") {
      for moment in verdict.reading.entries {
        Output.write(Printable.line("\(moment.time.wholeSeconds)  \(moment.entry.text)") + "\n")
      }
    }
    arguments.answer(verdict.json, "\(path): \(verdict.text)")
    guard verdict.outcome.exitCode == 0 else {
      throw CommandFailure(code: verdict.outcome.exitCode)
    }
  }
}

extension CeremonyVerdict.Outcome {
  fileprivate var exitCode: Int32 {
    switch self {
    case .complete: 0
    case .partial: 3
    case .rehearsed: 4
    case .unwitnessed: 5
    }
  }

  fileprivate var text: String {
    switch self {
    case .complete: "complete"
    case .rehearsed: "REHEARSAL, complete: do not use anything that it made"
    case .partial: "PARTIAL: it was stopped; kist ceremony resume goes on"
    case .unwitnessed: "complete, but NOT WITNESSED by enough"
    }
  }
}

extension TranscriptFault {
  fileprivate var exitCode: Int32 { if case .unreadable = self { 66 } else { 1 } }
}

extension CeremonyVerdict {
  fileprivate var text: String {
    var table = Table(
      ["  ceremony", reading.plan.id],
      ["  kind", reading.kind == .rehearsal ? "REHEARSAL" : reading.kind.rawValue],
      ["  store", reading.store],
      ["  file", reading.plan.digest.hex],
      ["  steps", "\(reading.stepsDone) of \(reading.plan.steps.count)"],
      ["  sittings", "\(reading.sittings), \(reading.interrupted) cut off"])
    for (sitting, names) in stops.sorted(by: { $0.key < $1.key }) {
      table.add([
        "  stop of sitting \(sitting)",
        "signed by " + (names.isEmpty ? "nobody" : names.joined(separator: ", ")),
      ])
    }
    table.add(
      ["  outputs", "\(reading.outputs.count), as they were written"],
      [
        "  signed by",
        (signers.isEmpty ? "nobody" : signers.joined(separator: ", "))
          + "; needed: \(reading.plan.quorum) of the witnesses",
      ],
      genesis.map { ["  genesis", $0.hex] },
      ["  exceptions", "\(reading.exceptions.count)"])
    for moment in reading.exceptions {
      table.add(["    " + moment.time.wholeSeconds, moment.said])
    }
    return "\(outcome.text)\n\(table.text)"
  }

  fileprivate var json: CanonicalJSON {
    [
      "exceptions": reading.exceptions.map(\.said), "genesis": genesis?.hex, "id": reading.plan.id,
      "kind": reading.kind.rawValue, "ok": outcome.exitCode == 0,
      "outputs": CanonicalJSON.object(reading.outputs.map { .init($0.key, .string($0.value.hex)) }),
      "plan": reading.plan.digest.hex, "signers": signers, "sittings": reading.sittings,
      "steps": reading.plan.steps.count, "steps_done": reading.stepsDone, "store": reading.store,
    ]
  }
}

extension TranscriptReading.Moment {
  fileprivate var said: String {
    if case .exception(let person, let text) = entry {
      Printable.line("\(person): \(text)")
    } else {
      Printable.line(entry.text)
    }
  }
}
