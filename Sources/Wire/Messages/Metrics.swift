/// `metrics`: what the daemon has counted since its start.
package struct MetricsReply: Message, Hashable, Sendable {
  /// In Prometheus' text format 0.0.4.
  package var text = ""

  package static let limit = 128 << 10

  package init() {}

  package init(text: String) { self.text = text }

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) { try visitor.text(1, "text", &text, .atMost(Self.limit)) }
}
