internal import CryptoBackend
internal import Encoding
internal import Policy
internal import Wire

/// A record's line, complete except for sequence, previous hash, time and boot.
///
/// The thread that makes it formats it outside any lock; the other four are filled in when it is appended.
struct Draft: Sendable {
  private let template: [UInt8]
  private let bootPlace, previousPlace, sequencePlace, timePlace: Int

  /// The longest record, in bytes without its newline: the most that the 16-bit length of C2SP tlog-tiles can express.
  static let byteLimit = 65_535

  init(_ fields: RecordFields) {
    var writer = CanonicalJSONWriter()
    var (boot, previous, sequence, time) = (0, 0, 0, 0)
    writer.object { writer in
      fields.writeActor(into: &writer)
      writer.name("boot")
      boot = writer.bytes.count + 1
      writer.string(Draft.blank32)
      fields.writeEventToPolicy(into: &writer)
      writer.name("prev")
      previous = writer.bytes.count + 1
      writer.string(Draft.blank64)
      fields.writeReleasedToResult(into: &writer)
      writer.name("seq")
      sequence = writer.bytes.count
      writer.integer(0)
      fields.writeStage(into: &writer)
      writer.name("ts")
      time = writer.bytes.count + 1
      writer.string(Draft.blankTime)
      writer.name("v")
      writer.integer(1)
    }
    template = writer.bytes
    (bootPlace, previousPlace, sequencePlace, timePlace) = (boot, previous, sequence, time)
    // Every string in it is bounded, so this can only fail by our own mistake.
    precondition(template.count + 20 <= Draft.byteLimit)
  }

  /// Appends the finished line without its newline.
  func append(to out: inout [UInt8], sequence: UInt64, previous: Digest256, stamp: Stamp) {
    let start = out.count
    out.append(contentsOf: template[..<sequencePlace])
    out.append(contentsOf: String(sequence).utf8)
    let shift = out.count - start - sequencePlace - 1
    out.append(contentsOf: template[(sequencePlace + 1)...])
    Draft.overwrite(&out, at: start + bootPlace, stamp.boot)
    for i in 0..<32 {
      out[start + previousPlace + 2 * i] = Hex.digit(previous.span[i] >> 4)
      out[start + previousPlace + 2 * i + 1] = Hex.digit(previous.span[i] & 15)
    }
    Draft.overwrite(&out, at: start + timePlace + shift, stamp.time)
  }

  /// What all records of one commit have in common.
  struct Stamp {
    /// 32 digits.
    let boot: [UInt8]
    /// RFC 3339 with microseconds, 27 characters.
    let time: [UInt8]

    /// Nil if the clock shows a year that the format cannot express.
    init?(boot: BootID, time: Timestamp) {
      (self.boot, self.time) = (Array(boot.text.utf8), Array(time.description.utf8))
      guard self.time.count == Draft.timeCount, time.microseconds >= 0 else { return nil }
    }
  }

  private static let timeCount = 27
  private static let blankTime = String(repeating: "0", count: timeCount)
  private static let blank32 = String(repeating: "0", count: 32)
  private static let blank64 = String(repeating: "0", count: 64)

  private static func overwrite(_ out: inout [UInt8], at place: Int, _ bytes: [UInt8]) {
    for i in bytes.indices { out[place + i] = bytes[i] }
  }
}

extension Draft {
  init(_ event: Event) {
    var fields = RecordFields(operation: event.name)
    fields.event = .daemon(event)
    (fields.key, fields.label) = (event.target?.id, event.target?.label)
    self.init(fields)
  }
}
