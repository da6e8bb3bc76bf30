/// `metrics`: what the daemon has counted since its start, and what it uses of what it has.
package struct MetricsReply: Message, Hashable, Sendable {
  /// A number, or a part of a histogram.
  package struct Figure: Message, Hashable, Sendable {
    package var metric = Metric.requests
    /// The values of the metric's labels, in their order.
    package var labels: [String] = []
    /// Of a histogram: this many values were at most so large, but above the bound before, and
    /// `.max` stands for no bound; zero for their sum.
    package var bound: UInt64 = 0
    /// Times are in nanoseconds.
    package var value: UInt64 = 0

    package init() {}

    package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
      try visitor.enumeration(1, "metric", "Metric", &metric)
      try visitor.texts(2, "labels", &labels, atMost: 128, count: 2)
      try visitor.uint64(3, "bound", &bound)
      try visitor.uint64(4, "value", &value)
    }
  }

  package var figures: [Figure] = []

  package static let limit = 256 << 10

  package init() {}

  package mutating func visit(_ visitor: inout some Visitor) throws(WireError) {
    try visitor.messages(1, "figures", "Figure", &figures, atMost: 512, count: 4096)
  }

  package mutating func add(
    _ metric: Metric, _ value: some BinaryInteger, _ labels: [String] = [], bound: UInt64 = 0
  ) {
    var figure = Figure()
    figure.metric = metric
    figure.labels = labels
    figure.bound = bound
    figure.value = UInt64(clamping: value)
    figures.append(figure)
  }

  /// At least as many bytes as it takes.
  package var room: Int {
    figures.reduce(0) { $0 + 40 + $1.labels.reduce(0) { $0 + $1.utf8.count } }
  }
}

/// A number that `metrics` answers; docs/METRICS.md says what each means. Numbers are never reused.
package enum Metric: UInt8, CaseIterable, Sendable {
  case requests = 1
  case answerTimes = 2
  case rejections = 3
  case denials = 4
  case busy = 5
  case queueTimes = 6
  case computeTimes = 7
  case commitTimes = 8
  case batchRequests = 9
  case commitRecords = 10
  case batchesInFlight = 11
  case userConnections = 12
  case socketConnections = 13
  case socketConnectionsLimit = 14
  case handles = 15
  case connectionHandlesMost = 16
  case connectionHandlesLimit = 17
  case stacks = 18
  case stacksLimit = 19
  case replayEntries = 20
  case replayEntriesLimit = 21
  case processorTime = 22
  case fleetInfo = 23
  case claimsAway = 24
  case claimsUnanswered = 25
  case claimsRefused = 26
  case localOpenings = 27
  case duplicateOpenings = 28
  case claimTimes = 29
  case signingCertificateLastToken = 30
  case signingCertificateEnd = 31
}
