internal import Ceremony
internal import Host

/// The controlling terminal as the desk of a ceremony; it echoes only the answers to open questions.
final class CeremonyTerminal: CeremonyDesk {
  private let terminal: SilentTerminal

  /// - Throws: if there is no terminal, since secrets are read from nowhere else.
  init() throws(CommandFailure) {
    do throws(CommandFailure) { terminal = try SilentTerminal(instead: nil, stopsInOrder: true) } catch {
      throw .failed("there is no terminal; a ceremony takes place at one")
    }
  }

  var size: ScreenSize {
    let (columns, lines) = terminal.size
    return ScreenSize(columns: columns, lines: lines)
  }

  func show(_ text: String) throws(DeskError) {
    try Self.gone { () throws(CommandFailure) in try terminal.show(text) }
  }

  func ask(_ prompt: String) throws(DeskError) -> String {
    try Self.gone { () throws(CommandFailure) in try terminal.askAloud(prompt, limit: DeskLimit.line) }
  }

  func askSecret(_ prompt: String) throws(DeskError) -> SecretBuffer {
    try Self.gone { () throws(CommandFailure) in try terminal.ask(prompt, limit: DeskLimit.line) }
  }

  func showAlone(_ page: Span<UInt8>) throws(DeskError) {
    try Self.gone { () throws(CommandFailure) in try terminal.showAlone(page) }
  }

  private static func gone<R: ~Copyable>(_ body: () throws(CommandFailure) -> R) throws(DeskError) -> R {
    do throws(CommandFailure) { return try body() } catch { throw Interrupt.isPending ? .interrupted : .gone }
  }
}
