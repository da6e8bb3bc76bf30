import Glibc

/// Why the daemon did not start, with the exit code and a sentence that says what to do next.
package struct StartFailure: Error, Sendable {
  package let code: ExitCode
  package let message: String

  package init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }

  package func complain() -> ExitCode {
    Diagnostics.writeLine("kistd: \(message)")
    return code
  }
}

extension ServiceManager {
  /// Tells of a start that failed, and keeps it where people look.
  package func note(failedStart failure: StartFailure, _ ledger: LoadLedger? = LoadLedger()) {
    tell(.status(failure.message))
    ledger?.note(refusal: failure.message, isStart: true)
    // The unit has a daemon that was killed replaced at once; what a mistake keeps from starting
    // must not fill the journal meanwhile.
    if isThere { sleep(2) }
  }
}

/// The daemon's exit codes, from `sysexits.h`.
package enum ExitCode: Int32, Sendable {
  case ok = 0
  case usage = 64
  case badData = 65
  case unavailable = 69
  case software = 70
  case osError = 71
  case cannotCreate = 73
  case auditIO = 74
  case noPermission = 77
  case configuration = 78
}
