internal import Configuration
internal import CryptoBackend
internal import Encoding
internal import KeyStore
internal import Operations
internal import Policy
internal import Service

/// A configuration file and the policy it names, read and checked together, so that a reload takes both or neither.
struct LoadedConfiguration: Sendable {
  let configuration: DaemonConfiguration
  let policy: Policy

  init(_ path: String) throws(StartFailure) {
    do throws(ConfigurationError) {
      configuration = try DaemonConfiguration.load(path)
      policy = try PolicyDirectory.load(configuration.policyDirectory)
    } catch { throw StartFailure(error) }
  }

  /// What of it can be changed while the daemon runs.
  var rules: Rules {
    Rules(policy, freshness: freshness, standInKeys: standInKeys, configurationHash: SHA256.hash(configuration.text))
  }

  private var standInKeys: StandInKeys {
    let all = configuration.merchants.map { merchant in
      let keys = StandInKeys.Merchant(
        surrogateKey: merchant.surrogateKey.flatMap { KeyLabel($0) }, envelopeKey: merchant.envelopeKey.flatMap { KeyLabel($0) },
        envelopeLifetime: merchant.envelopeLifetime.wholeSeconds)
      return (merchant.identifier, keys)
    }
    return StandInKeys(merchants: Dictionary(all) { first, _ in first })
  }

  private var freshness: FreshnessWindows {
    let own = configuration.merchants.compactMap { merchant in merchant.freshnessWindow.map { (merchant.identifier, $0.wholeSeconds) } }
    return FreshnessWindows(
      general: configuration.applePay.freshnessWindow.wholeSeconds, merchants: Dictionary(own) { first, _ in first })
  }
}

extension Duration {
  var wholeSeconds: UInt32 { UInt32(clamping: components.seconds) }
  var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
