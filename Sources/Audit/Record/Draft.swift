internal import Crypto
internal import Format
internal import Host
internal import Policy

/// A record's line, complete except for the request's number, sequence, previous hash, time and boot.
///
/// The thread that makes it formats it outside any lock; the other five are filled in when it is appended.
struct Draft: Sendable {
  private let template: [UInt8]
  private let bootPlace, previousPlace, sequencePlace, timePlace: Int
  /// Nil where the record is not about a request.
  private let requestPlace: Int?
  private var request: UInt64

  /// The longest record, in bytes without its newline: the most that the 16-bit length of C2SP tlog-tiles can express.
  static let byteLimit = 65_535

  init(_ fields: RecordFields) {
    var writer = CanonicalJSONWriter()
    var (boot, previous, sequence, time) = (0, 0, 0, 0)
    var number: Int?
    writer.object { writer in
      fields.writeActor(into: &writer)
      writer.name("boot")
      boot = writer.bytes.count + 1
      writer.string(Draft.blank32)
      fields.writeEventToPolicy(into: &writer)
      writer.name("prev")
      previous = writer.bytes.count + 1
      writer.string(Draft.blank64)
      fields.writeReleased(into: &writer)
      if fields.request != nil {
        writer.name("req")
        number = writer.bytes.count + 1
        writer.hex(0)
      }
      fields.writeResult(into: &writer)
      writer.name("seq")
      sequence = writer.bytes.count
      writer.integer(0)
      fields.writeStage(into: &writer)
      writer.name("ts")
      time = writer.bytes.count + 1
      writer.string(Draft.blankTime)
      writer.member("v", 1)
    }
    template = writer.bytes
    (bootPlace, previousPlace, sequencePlace, timePlace) = (boot, previous, sequence, time)
    (requestPlace, request) = (number, fields.request ?? 0)
    // Every string in it is bounded, so this can only fail by our own mistake.
    precondition(byteCount <= Draft.byteLimit)
  }

  /// The most bytes of the finished line.
  var byteCount: Int { template.count + 20 }

  /// The record of another request about which there is nothing else to say.
  func numbered(_ id: UInt64) -> Draft {
    var other = self
    other.request = id
    return other
  }

  /// Appends the finished line without its newline.
  func append(to out: inout [UInt8], sequence: UInt64, previous: Digest256, stamp: Stamp) {
    let start = out.count
    out.append(contentsOf: template[..<sequencePlace])
    out.append(contentsOf: String(sequence).utf8)
    let shift = out.count - start - sequencePlace - 1
    out.append(contentsOf: template[(sequencePlace + 1)...])
    var line = out.mutableSpan
    line.copy(stamp.boot.span, at: start + bootPlace)
    Hex.write(previous.span, into: &line, at: start + previousPlace)
    if let requestPlace { Hex.write(request, into: &line, at: start + requestPlace) }
    line.copy(stamp.time.span, at: start + timePlace + shift)
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

  static let timeCount = 27
  private static let blankTime = String(repeating: "0", count: timeCount)
  private static let blank32 = String(repeating: "0", count: 32)
  private static let blank64 = String(repeating: "0", count: 64)
}

extension Draft {
  init(_ event: Event) {
    var fields = RecordFields(operation: event.name)
    fields.event = .daemon(event)
    (fields.key, fields.label) = (event.target?.id, event.target?.label)
    self.init(fields)
  }
}
