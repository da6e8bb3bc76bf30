internal import KeyStore
internal import SecretMemory
internal import SecretSharing

/// A custodian's share of the KEK, typed word by word or from a descriptor; never from arguments or the environment.
enum ShareInput {
  /// The most bytes of a share's words.
  static let limit = 512

  /// The share that the descriptor of `--share-fd` holds, or that the custodian types without echo.
  static func read(_ arguments: Arguments) throws(CommandFailure) -> Share {
    if let descriptor = try arguments.number(Option.shareDescriptor.name, in: 0...Int32.max) {
      let words = try Input(descriptor: descriptor, name: "--share-fd \(descriptor)").secretContents(limit: limit)
      return try sharing { () throws(SharingError) in try Share(words: words.bytes) }
    }
    return try ask(SilentTerminal(instead: "--share-fd"))
  }

  /// What the work with shares gives; what is wrong with them is told to the custodian.
  static func sharing<R: ~Copyable>(_ work: () throws(SharingError) -> R) throws(CommandFailure) -> R {
    do throws(SharingError) { return try work() } catch { throw .failed(error.advice) }
  }

  /// Asks for each word until it is one; several may be typed in a line, and an empty line gives up.
  private static func ask(_ terminal: borrowing SilentTerminal) throws(CommandFailure) -> Share {
    let count = Share.wordCount(size: KeyEncryptionKey.byteCount)
    var entry = try sharing { () throws(SharingError) in try ShareEntry() }
    var problem = ""
    while entry.count < count {
      let line = try terminal.ask("\(problem)Word \(entry.count + 1) of \(count): ", limit: limit)
      guard line.count > 0 else { throw .failed(SharingError.wordCount(entry.count).advice) }
      problem = try take(line, into: &entry)
    }
    do throws(SharingError) { return try entry.finish() } catch { throw .failed(error.advice) }
  }

  /// - Returns: what to tell before the next word is asked for.
  private static func take(_ line: borrowing SecretBuffer, into entry: inout ShareEntry) throws(CommandFailure) -> String {
    do throws(SharingError) {
      try entry.add(words: line.bytes)
      return ""
    } catch {
      guard case .unknownWord(let number) = error else { throw .failed(error.advice) }
      return "Word \(number) is not of the list. "
    }
  }
}

extension Option {
  /// Where a share's words are read from instead of the terminal.
  static let shareDescriptor = Option.value("share-fd")
}

extension SharingError {
  /// What is wrong with a share, and what to do; says nothing of its words.
  var advice: String {
    switch self {
    case .unknownWord(let number): "word \(number) is not of the list"
    case .wordCount(let count): "a share of this has \(Share.wordCount(size: KeyEncryptionKey.byteCount)) words, and here are \(count)"
    case .checksum: "at least one word is wrong: compare the sheet word by word"
    case .header, .exponent: "the words are in order, and are no share of a key store's"
    case .otherSplit: "the share belongs to another split than the ones before it"
    case .duplicate: "that share is there already"
    case .tooFew: "more shares are needed"
    case .tooMany: "there are more shares than are needed"
    case .digest: "the shares do not give the key: one of them is not what it says"
    case .secretSize, .scheme: "such a split cannot be"
    case .crypto: "no memory for secrets is left"
    }
  }
}
