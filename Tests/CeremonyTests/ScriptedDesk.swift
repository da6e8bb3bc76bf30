import Ceremony
import Host

/// Everybody in the room, for tests: they answer what they are asked, and write down what they are
/// shown alone.
final class ScriptedDesk: CeremonyDesk {
  /// All that was shown to everybody, prompts included.
  private(set) var shown = ""
  /// Whole pages, by the custodian who saw them.
  private(set) var pages: [String: String] = [:]
  /// Answers to give first, one after the other, where a prompt has the text.
  var overrides: [Override]
  /// The words that each custodian has on paper.
  var paper: [String: [String]]
  var custodians = ["carol", "dave", "bob"]
  /// Whether whole shares are entered in a line, in capitals, as a hand scanner does.
  var scans = false
  /// Components of a key as custodians have them on paper: digits, check value.
  var components: [String: (digits: String, check: String)] = [:]
  /// A prompt that is answered with another word once a sheet was shown.
  var wrongFromSheet: String?
  /// The newest checkpoint that people have on paper.
  var mark: String?
  /// Called before each prompt and sheet.
  var onPrompt: (() -> Void)?
  /// Nobody is there any more after so many prompts.
  var promptLimit = Int.max
  /// What was asked, and "sheet" for each page that was shown.
  private(set) var asked: [String] = []
  var prompts: Int { asked.count }
  private(set) var secretsTyped: [String] = []
  var size = ScreenSize(columns: 80, lines: 24)
  /// Pages with a code, by the custodian who saw them.
  private(set) var codes: [String: String] = [:]

  typealias Override = (prompt: String, answers: [String])

  init(_ paper: [String: [String]] = [:], answering overrides: [Override] = []) {
    self.paper = paper
    self.overrides = overrides
  }

  func show(_ text: String) { shown += text }

  func ask(_ prompt: String) throws(DeskError) -> String {
    shown += prompt
    let answer = try answer(prompt)
    shown += answer + "\n"
    return answer
  }

  func askSecret(_ prompt: String) throws(DeskError) -> SecretBuffer {
    shown += prompt + "\n"
    let answer = try answer(prompt)
    secretsTyped.append(answer)
    let bytes = Array(answer.utf8)
    do throws(SecretMemoryError) { return try SecretBuffer(copying: bytes.span) } catch {
      throw .exhausted
    }
  }

  func showAlone(_ page: Span<UInt8>) throws(DeskError) {
    var bytes: [UInt8] = []
    for i in page.indices { bytes.append(page[i]) }
    let text = String(decoding: bytes, as: UTF8.self)
    let isCode = text.contains("QR code")
    try count(isCode ? "code" : "sheet")
    guard
      let custodian = text.split(separator: "\n").first(where: { $0.hasPrefix("Custodian ") })?
        .dropFirst("Custodian ".count)
    else { return }
    guard !isCode else { return codes[String(custodian)] = text }
    pages[String(custodian)] = text
    if let sheet = text.firstMatch(of: /Digits +([0-9A-F ]+)\nCheck value +([0-9A-F ]+)\n/) {
      components[String(custodian)] = (String(sheet.1), String(sheet.2))
    } else {
      paper[String(custodian)] = Self.words(text)
    }
  }

  private func answer(_ prompt: String) throws(DeskError) -> String {
    try count(prompt)
    for index in overrides.indices
    where prompt.contains(overrides[index].prompt) && !overrides[index].answers.isEmpty {
      let answer = overrides[index].answers.removeFirst()
      return answer == Self.wrongWord ? wrongWord(prompt) : answer
    }
    if let wrongFromSheet, !pages.isEmpty, prompt.contains(wrongFromSheet) {
      return wrongWord(prompt)
    }
    let person = String(prompt.prefix { $0 != ":" })
    if prompt.contains("your name") { return person }
    if prompt.contains("(yes)") { return "yes" }
    if prompt.contains("checkpoint on your paper") { return mark ?? "none" }
    if prompt.contains("(accept)") { return "accept" }
    if prompt.contains("reads it out") {
      return lastFact(String(prompt.dropFirst(person.count + 2).prefix { $0 != "," }))
    }
    if prompt.contains("serial number") { return "B-4711" }
    if prompt.contains("name of the custodian") {
      return custodians.isEmpty ? "" : custodians.removeFirst()
    }
    if prompt.contains("faces") { return String(repeating: "123456", count: 17) }
    if prompt.contains(": component") { return components[person]?.digits ?? "" }
    if prompt.contains("check value of component") { return components[person]?.check ?? "" }
    if prompt.contains("for ever") { return lastLabel }
    guard let word = word(prompt, of: person) else { return "" }
    return scans ? paper[person]?.joined(separator: " ").uppercased() ?? "" : word
  }

  /// The word of a person's paper that is asked for.
  private func word(_ prompt: String, of person: String) -> String? {
    guard let number = prompt.firstMatch(of: /word ([0-9]+) of 33/), let index = Int(number.1),
      let words = paper[person]
    else { return nil }
    return index <= words.count ? words[index - 1] : nil
  }

  /// Given as an answer, it is wrong even for the one paper in 1,024 that has this word there.
  private static let wrongWord = "academic"

  private func wrongWord(_ prompt: String) -> String {
    word(prompt, of: String(prompt.prefix { $0 != ":" })) == Self.wrongWord
      ? "zero" : Self.wrongWord
  }

  private func count(_ prompt: String) throws(DeskError) {
    asked.append(prompt)
    onPrompt?()
    guard prompts <= promptLimit else { throw .gone }
  }

  private func lastFact(_ subject: String) -> String {
    shown.split(separator: "\n").last { $0.hasPrefix("  \(subject): ") }.map {
      String($0.dropFirst(subject.count + 4))
    } ?? ""
  }

  /// Of the key whose check value was shown last.
  private var lastLabel: String {
    shown.matches(of: /\n  check value of ([^ :]+):/).last.map { String($0.1) } ?? ""
  }

  /// The words of a sheet, by their numbers.
  private static func words(_ page: String) -> [String] {
    page.matches(of: /([0-9]+)\. ([a-z]+)/).compactMap { match in
      Int(match.1).map { ($0, String(match.2)) }
    }.sorted { $0.0 < $1.0 }.map(\.1)
  }
}
