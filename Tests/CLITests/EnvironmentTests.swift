import Foundation
import Testing

/// What the environment would have the loader load does not get to see what people type.
@Suite struct EnvironmentTests {
  /// Ten lines that write down all that a program reads.
  private static let spy = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <unistd.h>
    ssize_t read(int descriptor, void *buffer, size_t count) {
      ssize_t (*real)(int, void *, size_t) = (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
      ssize_t got = real(descriptor, buffer, count);
      int file = open(SPIED, O_WRONLY | O_CREAT | O_APPEND, 0600);
      if (got > 0) (void)!write(file, buffer, (size_t)got);
      close(file);
      return got;
    }
    """

  @Test func aPreloadedLibrarySeesNoShare() throws {
    let scratch = try Scratch()
    let source = try scratch.write("spy.c", Self.spy)
    let library = scratch.path + "/spy.so"
    let spied = scratch.path + "/spied"
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = [
      "cc", "-shared", "-fPIC", "-DSPIED=\"\(spied)\"", "-o", library, source, "-ldl",
    ]
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
    let words = try ShareCommandTests.share().joined(separator: " ")
    let program = Process()
    // The spy itself works.
    program.executableURL = URL(fileURLWithPath: "/bin/cat")
    program.environment = ["LD_PRELOAD": library]
    program.standardInput = try FileHandle(
      forReadingFrom: URL(fileURLWithPath: try scratch.write("words", words)))
    program.standardOutput = FileHandle.nullDevice
    try program.run()
    program.waitUntilExit()
    let heard = try String(contentsOfFile: spied, encoding: .utf8)
    #expect(heard.contains(words))
    try FileManager.default.removeItem(atPath: spied)
    for variable in ["LD_PRELOAD", "LD_AUDIT"] {
      let said = try Kist.run(
        ["share", "verify", "--share-fd", "0"], input: words, environment: [variable: library])
      #expect(said.code == 0 && said.output.hasPrefix("the words are in order"), "\(said)")
      let spied = (try? String(contentsOfFile: spied, encoding: .utf8)) ?? ""
      #expect(!words.split(separator: " ").contains { spied.contains($0) && $0.count > 5 })
    }
  }

  @Test func whatCannotBeLeftBehindEndsTheCommand() throws {
    let said = try Kist.run(
      ["--version"], environment: ["GCONV_PATH": "/tmp", "KIST_ENVIRONMENT": "left"])
    #expect(
      said.code == 1 && said.output.isEmpty
        && said.complaint.hasPrefix("kist: LD_*, GCONV_PATH or the like is set"))
    #expect(try Kist.run(["--version"], environment: ["GCONV_PATH": "/tmp"]).code == 0)
  }
}
