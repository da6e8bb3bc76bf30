import Doctor
import Format
import TestSupport

extension Exposition {
  /// What the body of a reply to `metrics` says, as people read it.
  init(_ body: [UInt8]) throws {
    var metrics = Metrics()
    metrics.add(try MetricsReply(MessageReader(body.span)))
    try self.init(metrics.text)
  }
}
