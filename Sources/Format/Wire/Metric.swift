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
