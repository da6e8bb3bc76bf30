import Host

/// Every changing call of a piece of work × every way a call can fail × every error × every way to
/// lose power afterwards.
///
/// That a call succeeds and is not persisted is `Crash`; that it fails, done or not or half done,
/// is `Fault`.
package struct FaultMatrix {
  /// One place in the matrix.
  package struct Point: CustomStringConvertible, Sendable {
    package let call: Int
    package let fault: SimulatedDisk.Fault
    package let errno: Int32
    package let crash: SimulatedDisk.Crash

    package var description: String { "call \(call), \(fault), errno \(errno), \(crash)" }
  }

  /// EIO, ENOSPC, EROFS: one after the other, or in the long form (`make soak`) each at every call.
  private static let errors: [Int32] = [5, 28, 30]

  private let start: SimulatedDisk

  /// - Parameter start: the disk before the work, which no run of it changes.
  package init(from start: SimulatedDisk) { self.start = start }

  /// Does the work once with each failure, and looks at what each crash leaves of it.
  ///
  /// - Parameters:
  ///   - step: only every so many-th call fails; in the long form every one does.
  ///   - work: gives what was acknowledged; it goes on, or gives up, after a failure as its callers
  ///     would.
  ///   - verify: is given the disk as the next process finds it.
  /// - Returns: the number of points, and of calls that the work makes of the disk.
  @discardableResult
  package func run<Done>(
    every step: Int = 1, _ work: (SimulatedDisk) throws -> Done,
    _ verify: (SimulatedDisk, Done, Point) throws -> Void
  ) throws -> (points: Int, calls: Int) {
    let whole = start.afterCrash(.keepsUnsynced)
    _ = try work(whole)
    var points = 0
    for call in stride(from: 0, to: whole.changingCalls, by: LongForm.isOn ? 1 : step) {
      for (number, fault) in SimulatedDisk.Fault.allCases.enumerated() {
        for errno in LongForm.isOn
          ? Self.errors : [Self.errors[(call + number) % Self.errors.count]]
        {
          let disk = start.afterCrash(.keepsUnsynced)
          disk.fail(call: call, fault, errno: errno)
          let done = try work(disk)
          for crash in SimulatedDisk.Crash.allCases {
            try verify(
              disk.afterCrash(crash), done,
              Point(call: call, fault: fault, errno: errno, crash: crash))
            points += 1
          }
        }
      }
    }
    return (points, whole.changingCalls)
  }
}
