import Foundation

/// Waits for what comes true, for a minute at most.
func eventually(_ condition: () throws -> Bool) throws {
  for _ in 0..<6000 {
    if try condition() { return }
    usleep(10_000)
  }
  throw TestDaemon.Failure("it does not come to pass")
}
