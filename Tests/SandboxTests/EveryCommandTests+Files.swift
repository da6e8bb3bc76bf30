import Foundation
import Testing

@testable import kist

/// What a file's name on the command line leads to: something that cannot be read ends every
/// command with 66, at once.
extension EveryCommandTests {
  @Test func everyCommandThatReadsAFileHasARow() {
    let readers = CommandTable.rows.filter { $0.usage.contains(/\b(FILE|CERT|CHECKPOINT)\b/) }.map(
      \.name)
    #expect(Set(FileArgument.rows.map(\.name)) == Set(readers).subtracting(FileArgument.others))
  }

  @Test func whatCannotBeReadEndsEveryCommandWith66() throws {
    let places = try Places(folder)
    try prepareCosigning()
    let failures = Failures()
    let isLong = ProcessInfo.processInfo.environment["KIST_SOAK_ROUNDS"] != nil
    DispatchQueue.concurrentPerform(iterations: FileArgument.rows.count) { [box] row in
      do {
        let argument = FileArgument.rows[row]
        let refused = places.refused(for: argument)
        // Each of them at every place takes a minute; `OpeningTests` has them all, for what opens
        // files for all commands.
        let tried = isLong ? refused : Array(Set([places.pipe, refused[row % refused.count]]))
        for place in tried { try box.refuses(argument, place) }
        if isLong || row % 4 == 0 { try box.followsLink(argument, places) }
      } catch { failures.add("\(FileArgument.rows[row].name): \(error)") }
    }
    #expect(failures.all.isEmpty)
  }

  /// A checkpoint of the sandbox's log, and a witness, so that the other file of `audit cosign` is
  /// the one in question.
  private func prepareCosigning() throws {
    let checkpoint = try box.ran([
      "audit", "checkpoint", folder.path + "/audit", "--key", folder.path + "/audit.vkey",
    ])
    try #require(checkpoint.code == 0, "\(checkpoint)")
    try folder.write("checkpoint", checkpoint.output)
    let witness = "witness.example.org+b8a2cf20+BFLN3yikSfFkVAJtrnh/CiY3Zozkoy7clp+P7XB28qUN"
    try folder.write("witnesses", "witness a \(witness)\nquorum a\n")
  }
}

extension Box {
  fileprivate func refuses(_ argument: FileArgument, _ place: Place) throws {
    let ended = try ran(argument, place.path)
    #expect(ended.code == 66, "\(place.reason): \(ended)")
    let said = ended.complaint + ended.output
    #expect(said.contains(place.path) && said.contains(place.reason), "\(ended)")
  }

  /// Whoever names a link has what it leads to read, and is answered as if they had named that.
  fileprivate func followsLink(_ argument: FileArgument, _ places: Places) throws {
    let file = try ran(argument, places.file)
    let link = try ran(argument, places.link)
    func sayable(_ text: String) -> String {
      text.replacing(places.link, with: places.file).replacing(
        /request [0-9a-f]{16}/, with: "request N"
      ).replacing(/[0-9]+/, with: "N")
    }
    #expect(
      link.code == file.code && sayable(link.complaint) == sayable(file.complaint),
      "\(file)\n\(link)")
  }

  private func ran(_ argument: FileArgument, _ path: String) throws -> Ended {
    let words = argument.words.replacing("FILE", with: path).replacing("DIR", with: folder.path)
    return try ran(
      (argument.name + " " + words).split(separator: " ").map(String.init),
      input: "4109370251004320\n", overridesModes: false)
  }
}

/// A path, and the words in which a command says why it does not read it.
private struct Place: Hashable, Sendable { let path, reason: String }

private struct Places: Sendable {
  let file, link: String
  let pipe: Place
  private let directory, absence: Place
  private let others: [Place]

  init(_ folder: Folder) throws {
    let path = folder.path
    file = path + "/some-file"
    link = path + "/some-link"
    try folder.write("some-file", "x\n")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "some-file")
    try FileManager.default.createDirectory(
      atPath: path + "/some-directory", withIntermediateDirectories: false)
    #expect(unsafe mkfifo(path + "/some-pipe", 0o644) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: path + "/link-to-pipe", withDestinationPath: "some-pipe")
    try folder.write("some-secret", "x\n")
    #expect(unsafe chmod(path + "/some-secret", 0) == 0)
    directory = Place(path: path + "/some-directory", reason: "not a regular file")
    pipe = Place(path: path + "/some-pipe", reason: "not a regular file")
    absence = Place(path: path + "/some-absence", reason: "No such file or directory")
    others = [
      pipe,
      Place(path: path + "/link-to-pipe", reason: "not a regular file"),
      Place(path: path + "/some-secret", reason: "Permission denied"),
    ]
  }

  func refused(for argument: FileArgument) -> [Place] {
    others + (argument.takesDirectories ? [] : [directory])
      + (argument.mayBeAbsent ? [] : [absence])
      + (argument.isTrusted ? [] : [Place(path: "/dev/zero", reason: "not a regular file")])
  }
}
