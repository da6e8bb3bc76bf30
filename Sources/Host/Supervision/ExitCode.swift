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
