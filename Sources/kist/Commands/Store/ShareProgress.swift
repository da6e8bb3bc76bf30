import Crypto
import Format
import KistClient

extension Command {
  static let shareProgress = Command(
    name: "share progress",
    summary: "say how many shares were handed in, and until when",
    usage: """
      Usage: kist share progress [--json] [--socket PATH] [--timeout S]

        --json         answer in JSON
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      """,
    options: [.json], daemon: .operators
  ) { arguments throws(CommandFailure) in
    let daemon = try Daemon(arguments)
    let progress = try daemon.ask(daemon.client.shareProgress())
    arguments.answer(progress.json, progress.text + "\n")
  }
}

extension ShareProgressReply {
  /// `1 of 2 shares, until 2026-11-20T09:45:00Z`.
  var text: String {
    if unlocked { return "unlocked" }
    if needed == 0 { return "the key store's key is not split" }
    return "\(present) of \(needed) shares" + (end.map { ", until \($0.wholeSeconds)" } ?? "")
  }

  var json: CanonicalJSON {
    [
      "needed": needed, "present": present, "unlocked": unlocked, "until": end?.wholeSeconds,
    ]
  }

  private var end: Timestamp? { until == 0 ? nil : Timestamp(reported: Int64(clamping: until)) }
}
