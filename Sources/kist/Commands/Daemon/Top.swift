internal import Format
internal import Glibc
internal import KistClient

extension Command {
  static let top = Command(
    name: "top",
    summary: "show what the daemon does, second by second",
    usage: """
      Usage: kist top [--interval S] [-n N] [--socket PATH] [--timeout S]

      Shows what the daemon did since the page before: requests of each operation,
      how long they took, what was denied and what there was too little of; and the
      connections of each user. It needs what kist status --metrics does, and leaves
      no audit record. On a terminal it goes on when the daemon does not answer, and
      Ctrl-C ends it.

        --interval S   seconds from page to page (default: 1)
        -n, --pages N  how many pages (default: until it is ended)
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      """,
    options: [.value("interval"), .value("pages", "n")], daemon: .operators
  ) { arguments throws(CommandFailure) in
    let interval = UInt32(try arguments.number("interval", in: 1...3600) ?? 1)
    let pages = try arguments.number("pages", in: 1...UInt64(UInt32.max))
    var isDenied = false
    func counted() throws(CommandFailure) -> (StatusReport, MetricsReply, ContinuousClock.Instant) {
      func note(_ refusal: ClientError.Refusal) -> String? {
        isDenied = refusal.status == Status.denied.name
        return nil
      }
      return try Daemon(arguments).ask(meaning: note) { (client) throws(ClientError) in (try client.status(), try client.metrics(), .now) }
    }
    let isTerminal = isatty(STDOUT_FILENO) == 1
    var (_, before, then) = try counted()
    for _ in 0..<(pages ?? .max) {
      sleep(interval)
      var page = ""
      do throws(CommandFailure) {
        let (report, now, time) = try counted()
        page = ActivityPage(report, from: before, to: now, seconds: (time - then) / .seconds(1)).text
        (before, then) = (now, time)
      } catch {
        // Whoever watches a restart goes on watching; what is denied would be so again, and on the record each time.
        guard isTerminal, !isDenied, let why = error.message else { throw error }
        page = why + "\n"
      }
      // A terminal shows one page, in place of the one before.
      if isTerminal { Output.write(Array("\u{1B}[H\u{1B}[J".utf8).span) }
      Output.write(page + "\n")
    }
  }
}
