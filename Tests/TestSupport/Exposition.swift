/// Metrics in the text format 0.0.4 of Prometheus; refuses all that its specification does not
/// allow, and names that break Prometheus' conventions.
package struct Exposition {
  package struct Flaw: Error {
    let line: String
  }

  /// The values by name and labels, such as `kist_state{state=locked}`.
  package private(set) var samples: [String: String] = [:]
  package private(set) var types: [String: String] = [:]
  /// The names, as they come.
  package private(set) var order: [String] = []

  package subscript(_ sample: String) -> String? { samples[sample] }

  /// A value that must be a whole number.
  package func count(_ sample: String) throws -> UInt64 {
    guard let value = samples[sample].flatMap({ UInt64($0) }) else {
      throw Flaw(line: "no number: \(sample)")
    }
    return value
  }

  /// The samples of one metric.
  package func values(of name: String) -> [String: UInt64] {
    samples.filter { $0.key.hasPrefix(name + "{") }.compactMapValues { UInt64($0) }
  }

  package init(_ text: String) throws {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
      String(String.UnicodeScalarView($0))
    }
    guard lines.popLast() == "" else { throw Flaw(line: "no line feed at the end") }
    var helped: String?
    for line in lines {
      if let help = line.wholeMatch(of: /# HELP (kist_[a-z_]+) [^\\]+/) {
        helped = String(help.output.1)
      } else if let type = line.wholeMatch(of: /# TYPE (kist_[a-z_]+) (gauge|counter|histogram)/) {
        let name = String(type.output.1)
        guard name == helped, types[name] == nil,
          (type.output.2 == "counter") == name.hasSuffix("_total"), Self.isConventional(name)
        else {
          throw Flaw(line: line)
        }
        types[name] = String(type.output.2)
        order = order + [name]
      } else {
        try addSample(line)
      }
    }
    guard order.allSatisfy(hasSamples) else { throw Flaw(line: "a metric without a sample") }
    try checkHistograms()
  }

  private func hasSamples(_ family: String) -> Bool {
    let name = types[family] == "histogram" ? family + "_count" : family
    return samples.keys.contains { $0 == name || $0.hasPrefix(name + "{") }
  }

  private mutating func addSample(_ line: String) throws {
    guard
      let sample = line.wholeMatch(
        of: /(kist_[a-z_]+)(?:\{(.*)\})? ([0-9]+(?:\.[0-9]+)?)/.dotMatchesNewlines()),
      let family = order.last
    else {
      throw Flaw(line: line)
    }
    let suffixes = types[family] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
    guard suffixes.contains(where: { family + $0 == sample.output.1 }) else {
      throw Flaw(line: line)
    }
    var labels: [String] = []
    var rest = sample.output.2 ?? ""
    while let label = rest.prefixMatch(of: /([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/) {
      let value = label.output.2.replacing(/\\(.)/) {
        $0.output.1 == "n" ? "\n" : String($0.output.1)
      }
      labels.append("\(label.output.1)=\(value)")
      rest = rest[label.range.upperBound...]
    }
    guard rest.isEmpty, Set(labels.map { $0.prefix { $0 != "=" } }).count == labels.count else {
      throw Flaw(line: line)
    }
    let name = sample.output.1 + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}")
    guard samples.updateValue(String(sample.output.3), forKey: String(name)) == nil else {
      throw Flaw(line: "twice: \(line)")
    }
  }

  /// The buckets of each series ascend to the one without a bound, which is its count.
  private func checkHistograms() throws {
    for family in order where types[family] == "histogram" {
      for (count, total) in samples
      where count == family + "_count" || count.hasPrefix(family + "_count{") {
        let labels = count.dropFirst((family + "_count").count).dropFirst().dropLast()
        let prefix = family + "_bucket{" + (labels.isEmpty ? "" : labels + ",") + "le="
        let buckets = samples.filter { $0.key.hasPrefix(prefix) }.map {
          (bound: Double($0.key.dropFirst(prefix.count).dropLast()), count: UInt64($0.value))
        }
        let sorted = buckets.compactMap { bucket in
          bucket.bound.flatMap { bound in bucket.count.map { (bound, $0) } }
        }.sorted { $0.0 < $1.0 }
        guard sorted.count == buckets.count, sorted.count > 1, sorted.last?.0 == .infinity,
          sorted.last?.1 == UInt64(total),
          zip(sorted, sorted.dropFirst()).allSatisfy({ $0.1 <= $1.1 }),
          samples[family + "_sum" + (labels.isEmpty ? "" : "{\(labels)}")] != nil
        else { throw Flaw(line: count) }
      }
    }
  }

  /// Base units only, and no suffix that belongs to a histogram or a summary.
  private static func isConventional(_ name: String) -> Bool {
    ![
      "_count", "_sum", "_bucket", "_kilobytes", "_milliseconds", "_minutes", "_hours", "_days",
      "_ms", "_kb",
    ].contains { name.hasSuffix($0) }
      && !name.contains("__") && !name.hasSuffix("_")
  }
}
