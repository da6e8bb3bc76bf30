import Foundation
import KistClient
import TestSupport

/// Callers on threads of their own, each with a connection, that go on until told to stop or until
/// they are cut off.
final class Load: Sendable {
  /// How many calls ended in each way: `ok`, or the status of a refusal.
  private let outcomes = Locked<[String: Int]>([:])
  private let isOver = Locked(false)
  private let ended = DispatchSemaphore(value: 0)
  private let callers: Int

  /// - Parameter call: one caller's turn, with its number.
  init(
    callers: Int, at endpoint: Endpoint,
    _ call: @escaping @Sendable (Client, _ turn: Int) throws -> Void
  ) {
    self.callers = callers
    for caller in 0..<callers {
      Foundation.Thread.detachNewThread { [self] in
        defer { ended.signal() }
        guard let client = try? Client(endpoint) else { return }
        var turn = caller
        while !isOver.withLock({ $0 }) {
          let result = outcome { try call(client, turn) }
          outcomes.withLock { $0[result, default: 0] += 1 }
          guard result != "disconnected" else { return }
          turn += callers
        }
      }
    }
  }

  func count(_ outcome: String) -> Int { outcomes.withLock { $0[outcome, default: 0] } }

  /// Waits until that many calls ended well.
  func reach(_ count: Int) throws { try eventually { self.count("ok") >= count } }

  /// Ends the callers and gives all that happened.
  @discardableResult func stop() -> [String: Int] {
    isOver.withLock { $0 = true }
    for _ in 0..<callers { ended.wait() }
    return outcomes.withLock { $0 }
  }
}
