import Format
import Host

/// The thread that stays connected to `kistd` and reads what it asks.
struct DaemonLink: Sendable {
  private let path: String
  private let desk: ClaimDesk

  init(_ path: String, _ desk: ClaimDesk) {
    self.path = path
    self.desk = desk
  }

  /// Connects again and again, until the desk is stopped.
  func run() {
    var isKnownAway = false
    while !desk.isStopped {
      if let socket = DaemonSocket(path) {
        isKnownAway = false
        Diagnostics.write(.info, "kistd-connected", [("socket", path)])
        desk.connect(socket)
        let end = serve(socket)
        desk.disconnect(socket)
        socket.hangUp()
        Diagnostics.write(.warning, "kistd-disconnected", [("reason", end)])
      } else if !isKnownAway {
        isKnownAway = true
        Diagnostics.write(.warning, "kistd-away", [("socket", path)])
      }
      // Also after a connection: kistd hangs up on a second peer at once.
      desk.pause(until: Monitor.now + 250_000_000)
    }
  }

  /// Returns why it ended.
  private func serve(_ socket: DaemonSocket) -> String {
    var input = FrameInput()
    var isGreeted = false
    while true {
      let count = input.fill { socket.receive(into: &$0) }
      guard count > 0 else { return count == 0 ? "kistd hung up" : "the connection broke" }
      do throws(ClaimWireError) {
        while let frame = try input.next(DaemonFrame.self) {
          switch frame {
          case .hello(let host):
            guard !isGreeted else { return "a second hello" }
            isGreeted = true
            desk.greet(socket, host)
          case .ask(let ask):
            guard isGreeted else { return "an ask before the hello" }
            desk.ask(ask, of: socket)
          }
        }
      } catch { return error.description }
    }
  }
}
