package import Host
import KeyStore

/// Whether the records of a ceremony are those that its plan requires: who, what, which value, in
/// which order, separately for each step.
struct TranscriptCheck {
  private let reading: TranscriptReading

  init(_ reading: TranscriptReading) { self.reading = reading }

  /// - Throws: `TranscriptFault.record` for the first record that is missing or wrong; `.store`.
  func run() throws(TranscriptFault) {
    var earlier: RecordCursor?
    var stepsDone = 0
    for sitting in reading.begun {
      var records = RecordCursor(sitting.entries, of: reading.plan, reading.kind, after: earlier)
      do throws(RecordCursor.End) {
        try Opening.check(&records, sitting.number, stepsDone: stepsDone, sitting.paper)
        if sitting.number > 1 { try checkReopening(&records, stepsDone) }
        while stepsDone < reading.plan.steps.count {
          try check(reading.plan.steps[stepsDone], stepsDone + 1, &records, &stepsDone)
        }
        try records.take("all steps are done") { $0 == .complete ? () : nil }
      } catch {
        if case .fault(let fault) = error { throw fault }
      }
      guard records.isAtEnd else { throw TranscriptFault(records.fault("nothing more")) }
      earlier = records
    }
  }

  private func check(
    _ step: any CeremonyStep, _ number: Int, _ records: inout RecordCursor, _ stepsDone: inout Int
  ) throws(RecordCursor.End) {
    try records.take("step \(number) begins") {
      $0 == .step(number: number, kind: type(of: step).kind) ? () : nil
    }
    records.step = number
    if records.expectation.isChangeMade {
      for check in step.readBacks { try records.readBack(check) }
    } else {
      try step.check(&records)
    }
    try step.checkFinish(&records)
    try records.stepIsDone()
    stepsDone = number
    try records.shown(.step(number))
  }

  /// If there is a store, it is opened again.
  private func checkReopening(_ records: inout RecordCursor, _ stepsDone: Int) throws(RecordCursor
    .End)
  {
    guard reading.plan.beginsWithoutStore || stepsDone > 0 else { return }
    if stepsDone == 0, try records.isNext({ if case .step = $0 { true } else { false } }) { return }
    let asksForPassphrase = try records.isNext { if case .entry = $0 { true } else { false } }
    try UnlockStep(with: asksForPassphrase ? .passphrase : .shares).check(&records)
  }
}

extension TranscriptFault {
  fileprivate init(_ end: RecordCursor.End) {
    switch end {
    case .cut: self = .entry
    case .fault(let fault): self = fault
    }
  }
}

/// Why a ceremony's directory does not hold a valid transcript.
package enum TranscriptFault: Error, Hashable {
  /// A file is missing or cannot be read.
  case unreadable(StorageError)
  /// This version does not accept the ceremony's file.
  case plan
  /// A sitting's log is not whole: `kist audit verify` says where.
  case log(sitting: Int)
  /// A sitting does not begin where the one before it ended, or its file, kind or key is not the
  /// one that it states.
  case sitting(Int)
  /// A record that is not part of any transcript.
  case entry
  /// A step is out of order.
  case order(step: Int)
  /// The final note is not of this transcript, or the program did not sign it.
  case note
  /// A witness's signature is not valid.
  case signature
  /// An output is missing, or is not what was written.
  case output(String)
  /// The store was not what the records before announced.
  case store
  /// A record that the plan requires is missing, or another one is in its place.
  case record(Mismatch)
  /// The outputs have a file that no step wrote.
  case stranger(String)

  package struct Mismatch: Hashable, Sendable {
    /// 0 before the first.
    package let step: Int
    package let expected: String
    /// Nil if nothing came.
    package let found: String?
  }
}
