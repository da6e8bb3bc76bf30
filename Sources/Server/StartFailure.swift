internal import Configuration
package import Supervision

/// Why the daemon did not start, with the exit code and a sentence that says what to do next.
package struct StartFailure: Error, Sendable {
  package let code: ExitCode
  package let message: String

  init(_ code: ExitCode, _ message: String) { (self.code, self.message) = (code, message) }

  init(_ error: ConfigurationError) { self.init(.configuration, error.description) }
}
