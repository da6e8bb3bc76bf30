package import Host

/// Where a ceremony meets the people in the room: one screen and one keyboard.
package protocol CeremonyDesk: AnyObject {
  /// The size of the screen, in characters.
  var size: ScreenSize { get }
  /// Shows text to everybody.
  func show(_ text: String) throws(DeskError)
  /// Asks for one line, which everybody may see.
  func ask(_ prompt: String) throws(DeskError) -> String
  /// Asks for one line without echo, which is read directly into secret memory.
  func askSecret(_ prompt: String) throws(DeskError) -> SecretBuffer
  /// Shows one page to one person until Return is pressed, and leaves nothing of it on the screen or in its scrollback.
  func showAlone(_ page: Span<UInt8>) throws(DeskError)
}

package struct ScreenSize: Hashable, Sendable {
  package let columns, lines: Int

  package init(columns: Int, lines: Int) { (self.columns, self.lines) = (columns, lines) }
}

package enum DeskError: Error, Hashable, Sendable {
  /// There is no terminal, or it is gone.
  case gone
  /// Somebody stops the ceremony, such as with Control-C; nothing more can be asked.
  case interrupted
  case tooLong
  /// The arena is full.
  case exhausted
}

/// The longest line that is taken, in bytes.
package enum DeskLimit {
  package static let line = 512
}
