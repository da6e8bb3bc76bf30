import Foundation
import Testing

/// What `kist status` says where the daemon's processes end one after another: real ones, each
/// killed by SIGKILL.
@Suite struct CrashLoopTests {
  private static let isHere = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

  /// How the lives end; in the last two the service manager keeps the listening socket.
  enum Life: String, CaseIterable, Sendable {
    case beforeListening, beforeAccepting, afterAccepting, afterReading, afterHalfAReply,
      heldBeforeAccepting, heldAfterReading
  }

  @Test(.enabled(if: isHere, "python3 is not here"), arguments: Life.allCases) func statusSaysSo(
    _ life: Life
  ) throws {
    let scratch = try Scratch()
    let socket = scratch.path + "/admin.sock"
    let loop = Process()
    let output = Pipe()
    loop.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    loop.arguments = ["-c", Self.program, socket, life.rawValue]
    loop.standardOutput = output
    try loop.run()
    defer { loop.terminate() }
    #expect(output.fileHandleForReading.readData(ofLength: 1) == Data("r".utf8))
    for _ in 0..<3 {
      let answer = try Kist.run(["status", "--socket", socket, "--timeout", "1"])
      #expect((answer.code, answer.output) == (1, ""))
      #expect(
        answer.complaint.hasPrefix("kist status: ") && answer.complaint.contains("again and again"),
        "\(answer)")
      #expect(answer.complaint.contains("journalctl -u kistd"), "\(answer)")
    }
  }

  /// Signals are let in again, which the tests' threads keep out: a life ends by itself after ten
  /// seconds, the loop with the test.
  private static let program = """
    import os, signal, socket, sys, time
    path, life = sys.argv[1:]
    def listener():
        made = socket.socket(socket.AF_UNIX)
        made.bind(path + "." + str(os.getpid()))
        if life != "beforeListening":
            made.listen(8)
        os.rename(path + "." + str(os.getpid()), path)
        return made
    held = listener() if life.startswith("held") else None
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    count = 0
    while os.path.isdir(os.path.dirname(path)):
        if os.fork() == 0:
            signal.alarm(10)
            mine = held or listener()
            if count == 0:
                os.write(1, b"r")
            time.sleep(0.01)
            if not life.lower().startswith(("before", "heldbefore")):
                caller, _ = mine.accept()
                if life != "afterAccepting":
                    caller.recv(4096)
                if life == "afterHalfAReply":
                    caller.send(bytes([0, 0, 0, 20, 1, 0]))
            os.kill(os.getpid(), signal.SIGKILL)
        os.wait()
        count += 1
    """
}
