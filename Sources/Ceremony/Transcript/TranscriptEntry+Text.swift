internal import Crypto
internal import KeyStore

extension TranscriptEntry {
  /// A line for people, who compare it with what they saw before they sign the transcript.
  package var text: String {
    switch self {
    case .began(let beginning):
      "sitting \(beginning.sitting) of a \(beginning.kind.rawValue) ceremony begins, on the store \(beginning.store), by the file \(beginning.plan.hex)"
    case .present(let person): "\(person) is there"
    case .absent(let person): "\(person) is absent"
    case .step(let number, let kind): "step \(number) begins: \(kind)"
    case .stepDone(let number): "step \(number) is done"
    case .answer(let person, let prompt, let text): "\(person) is asked '\(prompt)' and answers '\(text)'"
    case .fact(let subject, let value): "\(subject): \(value)"
    case .readBack(let person, let subject, let value): "\(person) reads back \(subject): \(value)"
    case .sheet(let person, let subject, let value): "\(person) is shown \(subject) alone, fingerprint \(value)"
    case .entry(let person, let subject, let value): "\(person) enters \(subject): \(value)"
    case .output(let name, let digest): "the output \(name) is written, SHA-256 \(digest.hex)"
    case .exception(let person, let text): "EXCEPTION, \(person): \(text)"
    case .change(let change): "the store's \(change.subject.text) is to become: \(change.value)"
    case .inventory(let digest): "every key of the store is unwrapped and checked; what it holds has the SHA-256 \(digest.hex)"
    case .shown(let after): "a checkpoint is shown after \(after.text)"
    case .complete: "all steps are done"
    }
  }
}
