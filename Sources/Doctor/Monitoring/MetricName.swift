internal import Format

/// How people and Prometheus call one of the daemon's numbers.
struct MetricName {
  let name, help: String
  let labels: [String]

  private init(_ name: String, _ help: String, _ labels: String...) { (self.name, self.help, self.labels) = (name, help, labels) }

  init(_ metric: Metric) {
    self =
      switch metric {
      case .requests: MetricName("kist_requests_total", "Requests answered.", "operation", "status")
      case .answerTimes: MetricName("kist_answer_seconds", "How long a request took, from its frame to its reply.", "operation")
      case .rejections: MetricName("kist_rejections_total", "Requests rejected, by the check that failed.", "operation", "stage")
      case .denials: MetricName("kist_denials_total", "Requests denied.", "grant", "reason")
      case .busy: MetricName("kist_busy_total", "Requests and connections answered busy, by what there was too little of.", "cause")
      case .queueTimes: MetricName("kist_queue_seconds", "How long a batch of requests waited for its turn.")
      case .computeTimes: MetricName("kist_compute_seconds", "How long the work on a request took.", "class")
      case .commitTimes: MetricName("kist_commit_seconds", "How long a batch waited until its audit records were durable.")
      case .batchRequests: MetricName("kist_batch_requests", "Requests in a batch: read from a connection at once.")
      case .commitRecords: MetricName("kist_commit_records", "Audit records made durable at once.")
      case .batchesInFlight: MetricName("kist_batches_in_flight", "Batches read and not answered yet.")
      case .userConnections: MetricName("kist_user_connections", "Open connections of a user.", "uid")
      case .socketConnections: MetricName("kist_socket_connections", "Open connections of a socket.", "socket")
      case .socketConnectionsLimit: MetricName("kist_socket_connections_limit", "How many connections a socket can have.", "socket")
      case .handles: MetricName("kist_handles", "Secrets that connections hold behind handles.")
      case .connectionHandlesMost: MetricName("kist_connection_handles_most", "The most handles that one connection holds.")
      case .connectionHandlesLimit: MetricName("kist_connection_handles_limit", "How many handles a connection can hold.")
      case .stacks: MetricName("kist_stacks", "Stacks in secret memory that are in use.", "pool")
      case .stacksLimit: MetricName("kist_stacks_limit", "Stacks in secret memory.", "pool")
      case .replayEntries: MetricName("kist_replay_entries", "What the guard against second uses remembers in its present generation.", "guard")
      case .replayEntriesLimit: MetricName("kist_replay_entries_limit", "How much it can remember in a generation.", "guard")
      case .processorTime: MetricName("kist_cpu_seconds_total", "Processor time that kistd has used.")
      case .fleetInfo: MetricName("kist_fleet_info", "This host's name in its fleet, and the label of the key of its claims.", "host", "key")
      case .claimsAway: MetricName("kist_claims_away", "1 while the fleet's store is away.")
      case .claimsUnanswered: MetricName("kist_claims_unanswered_total", "Batches whose claims the fleet's store did not answer in time.")
      case .claimsRefused:
        MetricName("kist_claims_refused_total", "Tokens refused because another host, or another request, has their claim.")
      case .localOpenings: MetricName("kist_local_openings", "Tokens opened while the fleet's store was away that are not claimed yet.")
      case .duplicateOpenings:
        MetricName("kist_duplicate_openings_total", "Tokens opened while the fleet's store was away that another host opened, too.")
      case .claimTimes: MetricName("kist_claim_seconds", "How long a batch waited for the fleet's store.")
      case .signingCertificateLastToken:
        MetricName(
          "kist_signing_certificate_last_token_timestamp_seconds",
          "When the last token under one of Apple's certificates was verified, in seconds since 1970.", "serial")
      case .signingCertificateEnd:
        MetricName(
          "kist_signing_certificate_end_timestamp_seconds", "When one of Apple's certificates, or the one above it, ends, in seconds since 1970.", "serial")
      }
  }
}
