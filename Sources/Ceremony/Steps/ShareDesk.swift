internal import Crypto
internal import Host
internal import KeyStore

/// Reads a share, typed word by word, or several words in a line as a hand scanner does.
enum ShareDesk {
  /// One share from one custodian; nil if its words are all in the list but are no valid share.
  static func ask(_ custodian: Person, _ room: CeremonyRoom) throws(CeremonyError) -> Share? {
    var entry: ShareEntry
    do throws(SharingError) { entry = try ShareEntry() } catch { throw .sharing(error) }
    let wordCount = Share.wordCount(size: KeyEncryptionKey.byteCount)
    while entry.count < wordCount {
      let word = try room.askSecret(custodian, "word \(entry.count + 1) of \(wordCount)")
      do throws(SharingError) {
        try entry.add(words: word.bytes)
      } catch {
        if case .wordCount = error {
          try room.tell("  those are more than \(wordCount) words; begin again")
          return nil
        }
        guard case .unknownWord(let number) = error else { throw .sharing(error) }
        try room.tell("  word \(number) is not in the list; type it again, four letters are enough")
      }
    }
    do throws(SharingError) {
      return try entry.finish()
    } catch {
      guard error == .checksum || error == .header else { throw .sharing(error) }
      try room.tell("  a word is wrong: the checksum does not hold; begin again")
      return nil
    }
  }
}
