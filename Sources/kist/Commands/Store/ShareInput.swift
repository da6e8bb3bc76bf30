import Ceremony
import Crypto
import Host
import KeyStore

/// A custodian's share of the KEK, typed word by word or from a descriptor; never from arguments or
/// the environment.
enum ShareInput {
  /// The most bytes of a share's words.
  static let limit = 512

  /// The share from the descriptor of `--share-fd`, or the one that the custodian types without
  /// echo.
  static func read(_ arguments: Arguments) throws(CommandFailure) -> Share {
    if let descriptor = try descriptors(arguments).first { return try read(descriptor) }
    let entry = try type("", at: SilentTerminal(instead: "--share-fd"))
    do throws(SharingError) { return try entry.finish() } catch { throw .failed(error.advice) }
  }

  /// Collects shares of one split until there are enough: from all descriptors, or typed by one
  /// custodian after another.
  ///
  /// A share of another split is named and left out, whether it came first or last.
  ///
  /// - Throws: before anybody types anything if the KEK of `copy`, which is at `path`, was never
  ///   split.
  static func gather(_ descriptors: [Int32], of copy: StoreCopy, _ path: String)
    throws(CommandFailure) -> ShareSet
  {
    guard copy.custodians != nil else {
      throw .failed("\(path): the key of this key store was never split into shares")
    }
    let sets =
      try descriptors.isEmpty ? typed(at: SilentTerminal(instead: "--share-fd")) : read(descriptors)
    let odd = sets.odd
    guard let whole = sets.complete else {
      throw .failed((odd.map(isOdd) + [SharingError.tooFew.advice]).joined(separator: "; "))
    }
    for holder in odd { Output.complain(isOdd(holder) + ", and was not used\n") }
    return whole
  }

  private static func isOdd(_ holder: String) -> String {
    "\(holder) is of another set than the others"
  }

  /// The result of the work with shares; errors become advice to the custodian.
  static func sharing<R: ~Copyable>(_ work: @autoclosure () throws(SharingError) -> R)
    throws(CommandFailure)
    -> R
  {
    do throws(SharingError) { return try work() } catch { throw .failed(error.advice) }
  }

  static func descriptors(_ arguments: Arguments) throws(CommandFailure) -> [Int32] {
    try arguments.numbers(Option.shareDescriptor.name, in: 0...Int32.max)
  }

  private static func read(_ descriptor: Int32) throws(CommandFailure) -> Share {
    let words = try Input(descriptor: descriptor, name: "--share-fd \(descriptor)").secretContents(
      limit: limit)
    return try sharing(Share(words: words.bytes))
  }

  private static func read(_ descriptors: [Int32]) throws(CommandFailure) -> ShareSets {
    var sets = ShareSets()
    for descriptor in descriptors {
      let share = try read(descriptor)
      try sharing(sets.add(share, of: "the share of --share-fd \(descriptor)"))
    }
    return sets
  }

  /// Asks again for a share that has a typing error or was typed before, so that the others need
  /// not be typed twice.
  private static func typed(at terminal: borrowing SilentTerminal) throws(CommandFailure)
    -> ShareSets
  {
    var problem = ""
    var number = 1
    var sets = ShareSets()
    while sets.complete == nil {
      let entry = try type("\(problem)Share \(number), ", at: terminal)
      do throws(SharingError) {
        let share = try entry.finish()
        try sets.add(share, of: "share \(number)")
        number += 1
        problem =
          sets.count > 1
          ? "The shares so far are of \(sets.count) sets; the first that is complete counts. " : ""
      } catch { problem = error.advice + ". " }
    }
    return sets
  }

  /// Asks for each word until it is valid; a line may have several words, or all of them as from a
  /// hand scanner.
  ///
  /// An empty line is a slip: to give up would lose everybody's words, and show the next ones at
  /// the shell's prompt.
  private static func type(_ prefix: String, at terminal: borrowing SilentTerminal)
    throws(CommandFailure) -> ShareEntry
  {
    let count = Share.wordCount(size: KeyEncryptionKey.byteCount)
    var entry = try sharing(ShareEntry())
    var problem = prefix
    var word = prefix.isEmpty ? "Word" : "word"
    while entry.count < count {
      let line = try terminal.ask(
        "\(problem)\(word) \(entry.count + 1) of \(count): ", limit: limit)
      problem = try take(line, into: &entry)
      word = "Word"
    }
    return entry
  }

  /// - Returns: the message to show before the next word is asked for.
  private static func take(_ line: borrowing SecretBuffer, into entry: inout ShareEntry)
    throws(CommandFailure) -> String
  {
    do throws(SharingError) {
      try entry.add(words: line.bytes)
      return ""
    } catch {
      if case .wordCount = error {
        entry = try sharing(ShareEntry())
        return "Those are more words than a share has: begin again. "
      }
      guard case .unknownWord(let number) = error else { throw .failed(error.advice) }
      return "Word \(number) is not in the list. "
    }
  }
}

extension Option {
  /// The descriptor from which a share's words are read, instead of the terminal.
  static let shareDescriptor: Option = "share-fd"
  /// The same, for every share.
  static let shareDescriptors = Option.values("share-fd")
}

extension SharingError {
  /// What is wrong with a share, and what to do; reveals nothing of its words.
  var advice: String {
    switch self {
    case .unknownWord(let number): "word \(number) is not in the list"
    case .wordCount(let count):
      "a share has \(Share.wordCount(size: KeyEncryptionKey.byteCount)) words, not \(count)"
    case .checksum: "at least one word is wrong: compare the sheet word by word"
    case .header, .exponent: "the words are a valid share, but not of a key store"
    case .otherSplit: "the share does not fit the others of its set"
    case .duplicate: "that share was entered already"
    case .tooFew: "more shares are needed"
    case .tooMany: "there are more shares than are needed"
    case .digest: "the shares do not give the key: one of them is not what it says"
    case .secretSize, .scheme: "such a split cannot be"
    case .crypto: "no memory for secrets is left"
    }
  }
}
