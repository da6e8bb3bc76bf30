import Ceremony
import Host

extension Command {
  static let ceremonyRun = Command(
    name: "ceremony run",
    summary: "hold a key ceremony",
    usage: """
      Usage: kist ceremony run FILE DIR [--config FILE]

      Follows FILE at this terminal, on a machine without network and without kistd.
      DIR, which must be new or empty, takes the transcript and the outputs. At every
      prompt, ! and a few words put an exception on the record. Control-C stops and
      shows a last checkpoint. The existing keys then stay as they are, and kist
      ceremony resume goes on with the step that was not done, for people who have the
      newest checkpoint on paper. Run it as the user that owns the key store, with DIR
      where nobody else can write.

        --config FILE  the daemon's configuration, whose audit.origin is compared
                       with FILE's (default: /etc/kist/kist.toml, if it is there)

      """,
    options: ["config"],
    operands: 2...2,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    try hold(arguments, rehearsal: nil)
  }

  static let ceremonyRehearse = Command(
    name: "ceremony rehearse",
    summary: "rehearse a ceremony, with worthless keys",
    usage: """
      Usage: kist ceremony rehearse FILE DIR [--store DIR] [--config FILE]

      Does the same as kist ceremony run, with a store of kind 'rehearsal', which
      daemons refuse; sheets, transcript and outputs are marked. It says what is wrong
      with the machine, and does not ask about it.

        --store DIR  the rehearsal's store (default: DIR/keys); a ceremony that
                     makes none needs one from an earlier rehearsal
        --config FILE  as for kist ceremony run

      """,
    options: ["store", "config"],
    operands: 2...2,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    try hold(arguments, rehearsal: arguments.value("store") ?? arguments.operands[1] + "/keys")
  }

  static let ceremonyResume = Command(
    name: "ceremony resume",
    summary: "go on with a ceremony that was stopped",
    usage: """
      Usage: kist ceremony resume DIR [--config FILE]

      Opens the store again and goes on with the first step that was not done, in a
      new sitting of the same transcript. First the operator and the witnesses type
      the newest checkpoint that they have on paper. If all steps are done, it takes
      the missing signatures.

        --config FILE  as for kist ceremony run

      """,
    options: ["config"],
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let directory = CeremonyDirectory(arguments.operands[0])
    let plan = try CeremonyPlan.read(directory.path + "/" + CeremonyDirectory.planName)
    let desk = try CeremonyTerminal()
    let host = try CeremonyHost.system(for: plan, arguments.value("config"))
    try tell(CeremonyRun.resume(directory, desk, host))
  }

  private static func hold(_ arguments: Arguments, rehearsal: String?) throws(CommandFailure) {
    let plan = try CeremonyPlan.read(arguments.operands[0])
    let directory = CeremonyDirectory(arguments.operands[1])
    let place = try rehearsal.map { (path) throws(CommandFailure) -> StorePlace in
      guard let place = StorePlace(path) else {
        throw .usage("'\(path)' is not a place for a store: give DIR as an absolute path")
      }
      return place
    }
    let desk = try CeremonyTerminal()
    let host = try CeremonyHost.system(for: plan, arguments.value("config"))
    try tell(CeremonyRun.begin(plan, rehearsal: place, in: directory, desk, host))
  }

  private static func tell(_ body: @autoclosure () throws(CeremonyError) -> Void)
    throws(CommandFailure)
  {
    do throws(CeremonyError) { try body() } catch { throw .failed(error.text) }
  }
}

/// The controlling terminal as the desk of a ceremony; it echoes only the answers to open
/// questions.
final class CeremonyTerminal: CeremonyDesk {
  private let terminal: SilentTerminal

  /// - Throws: if there is no terminal, since secrets are read from nowhere else.
  init() throws(CommandFailure) {
    do throws(CommandFailure) {
      terminal = try SilentTerminal(instead: nil, stopsInOrder: true)
    } catch {
      throw .failed("there is no terminal; a ceremony takes place at one")
    }
  }

  var size: ScreenSize {
    let (columns, lines) = terminal.size
    return ScreenSize(columns: columns, lines: lines)
  }

  func show(_ text: String) throws(DeskError) {
    try Self.gone(terminal.show(text))
  }

  func ask(_ prompt: String) throws(DeskError) -> String {
    try Self.gone(terminal.askAloud(prompt, limit: DeskLimit.line))
  }

  func askSecret(_ prompt: String) throws(DeskError) -> SecretBuffer {
    try Self.gone(terminal.ask(prompt, limit: DeskLimit.line))
  }

  func showAlone(_ page: Span<UInt8>) throws(DeskError) {
    try Self.gone(terminal.showAlone(page))
  }

  private static func gone<R: ~Copyable>(_ body: @autoclosure () throws(CommandFailure) -> R)
    throws(DeskError)
    -> R
  {
    do throws(CommandFailure) { return try body() } catch {
      throw Interrupt.isPending ? .interrupted : .gone
    }
  }
}
