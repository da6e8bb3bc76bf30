import Ceremony
import Configuration
import Crypto
import Format
import Host
import KeyStore

extension CeremonyError {
  /// Why a ceremony stopped, and what to do about it.
  var text: String {
    switch self {
    case .desk(.gone): "the terminal is gone"
    case .desk(.interrupted):
      "stopped; kist ceremony resume DIR goes on from the newest checkpoint on paper"
    case .desk(.tooLong): "a line was too long"
    case .desk(.exhausted): CryptoError.exhausted.text
    case .refused(let refusal): refusal.text
    case .transcript(let fault): fault.text
    case .storage(let error): error.text
    case .keyStore(let error): "the key store: " + error.text(whereInUse: "stop kistd first")
    case .audit: "the transcript cannot be written"
    case .note: "the transcript cannot be signed"
    case .crypto(let error): error.text
    case .component(let error): error.text
    case .keyFile(let error): "the key file: \(error.text)"
    case .sharing(let error): error.advice
    case .configuration(let error): error.description
    }
  }
}

extension CeremonyError.Refusal {
  fileprivate var text: String {
    switch self {
    case .directoryPresent:
      "the ceremony's directory is not empty; give a new one, or use kist ceremony resume"
    case .storePresent:
      "there is a key store where the ceremony would make one; it is left as it is"
    case .storeAbsent: "there is no key store where the ceremony needs one"
    case .otherOwner(let path):
      "\(path) belongs to another user: run this as that user, or kistd could not read what is written there"
    case .exposed(let path):
      "\(path) is not yours alone: others could put another transcript there. Keep it in a directory that is yours and that nobody else can write to"
    case .conditions:
      "the machine is not as it should be, and that was not accepted; nothing was changed"
    case .notConfirmed: "it was not confirmed; kist ceremony resume goes on with this step"
    case .attempts: "it was wrong three times; kist ceremony resume begins the step again"
    case .labelTaken: "a key has or had this label; no other key can have it"
    case .keyAbsent: "no key has this label, or it is destroyed already"
    case .otherFile: "the file that was brought has another SHA-256 than the ceremony's file says"
    case .notOneCertificate:
      "there is no certificate in the file that was brought, or more than one"
    case .otherStore(nil):
      "the key store is NOT what this ceremony left there; nothing was changed. Find out who changed it, and hold another ceremony"
    case .otherStore(.some(let subject)):
      "the \(subject.text) in the key store is NOT the one that this ceremony recorded; nothing was changed. Find out who put it there"
    case .otherExchangeKey:
      "the exchange key in the store has another check value than the file says; the key would be exported or imported under somebody else's key"
    case .needed(let name):
      "\(name) is absent and a step needs \(name); nothing was changed. kist ceremony resume goes on when \(name) is there"
    case .otherTranscript:
      "this transcript is NOT the one of the checkpoint on paper; nothing was changed. Do not go on: find out who changed the directory"
    case .keyTest: "the new key failed its test and was dropped"
    }
  }
}

extension ComponentError {
  fileprivate var text: String {
    switch self {
    case .combinedCheckValue:
      "the components give a key of another check value: one belongs to another key, or one is missing"
    case .zeroKey: "the components cancel each other"
    case .equalParts: "the components give a Triple DES key that is no more than DES"
    case .count, .surplus, .missing, .length, .parity, .checkValue, .zeroComponent, .equal:
      "a component does not fit"
    case .crypto(let error): error.text
    }
  }
}

extension TranscriptFault {
  var text: String {
    switch self {
    case .unreadable(let error): "a file is missing or cannot be read: \(error.text)"
    case .plan: "ceremony.toml is not a ceremony's file any more"
    case .log(let sitting):
      "the transcript of sitting \(sitting) is NOT WHOLE; see kist audit verify"
    case .sitting(let number): "sitting \(number) does not follow from what is before it"
    case .entry: "a record does not belong in a transcript"
    case .order(let step): "step \(step) is out of order"
    case .note: "transcript.note is not of this transcript"
    case .signature: "a SIGNATURE IS NOT TRUE"
    case .output(let name):
      "the output \(Printable.line(name)) is missing, or is NOT WHAT WAS WRITTEN"
    case .stranger(let name): "no step wrote the output \(Printable.line(name))"
    case .store: "a key store was not what the record before says it would be"
    case .record(let mismatch): mismatch.text
    }
  }
}

extension TranscriptFault.Mismatch {
  fileprivate var text: String {
    let place = step == 0 ? "before step 1" : "step \(step)"
    return "\(place): MISSING: \(Printable.line(expected)); "
      + (found.map { "in its place: \(Printable.line($0))" } ?? "nothing is there")
  }
}
