import Configuration
import KeyStore
import Policy
import Review

/// Whether the policy can be taken, and lets people do what they will need.
let policyChecks: [CheckUp.Check] = [checkFiles, checkLockOuts]

@Sendable private func checkFiles(_ host: Host) -> [Finding] {
  guard case .failure(let errors) = host.policy else { return [] }
  return errors.all.map { error in
    let path = host.surroundings.shown(error.file)
    if error.isUnreadable {
      guard case .absent = host.surroundings.look(at: path) else {
        return .notReadable(path, error, host)
      }
      return Finding(
        .policyMissing, host.configuration?.policyDirectory ?? path, "There is no policy.",
        cure:
          "Copy the files of /usr/share/doc/kistd/examples/policy.d there and put in your people and services."
      )
    }
    guard error.position == nil else {
      return Finding(
        .policyInvalid, path, "\(host.surroundings.shown(error.description)).",
        cure: "Correct that line; kist policy check names every mistake.")
    }
    return .untrusted(.policyUntrusted, error, host)
  }
}

@Sendable private func checkLockOuts(_ host: Host) -> [Finding] {
  guard let policy = host.grants?.policy else { return [] }
  let place = host.configuration?.policyDirectory ?? ""
  return LockOut.all(in: policy).compactMap { lockOut in
    let cause = "In the policy \(lockOut.sentence)."
    switch lockOut {
    case .everybody:
      return Finding(
        .policyEmpty, place, cause,
        cure:
          "Add grants for your people and services; 10-roles.toml of the examples has one for each role."
      )
    case .unlock:
      guard host.configuration?.unlock == nil else { return nil }
      return Finding(
        .policyNobodyUnlocks, place, cause,
        cure: "Grant unlock to operators, or submit-share to custodians.")
    case .approve:
      guard host.configuration?.operators.approval.isEmpty == false else { return nil }
      return Finding(
        .policyNobodyApproves, place, cause, cure: "Grant approve to people who are not operators.")
    }
  }
}

/// What `kist policy check --strict` says of single grants, and whether the partners that they name
/// have keys.
let grantChecks: [CheckUp.Check] = [checkReach, checkDoubts, checkPartners]

@Sendable private func checkReach(_ host: Host) -> [Finding] {
  guard let located = host.grants else { return [] }
  return GrantFinding.all(
    in: located.policy, around: host.surroundings.now,
    tellsProcesses: host.surroundings.kernel.tellsProcesses
  ).map { found in
    let remark = located.remark(found)
    return Finding(
      found.kind.trouble, host.place(remark), "\(remark.message.capitalised).",
      cure: found.kind.cure)
  }
}

@Sendable private func checkDoubts(_ host: Host) -> [Finding] {
  guard let located = host.grants else { return [] }
  return zip(located.policy.rules, located.places).flatMap { rule, place in
    GrantDoubt.all(in: rule, at: host.surroundings.now).compactMap { doubt in
      // Without landlock the daemon sees executables.
      if doubt == .namesExecutables, host.configuration?.process.landlock == false { return nil }
      return Finding(
        doubt.trouble, host.surroundings.shown(place.description),
        "Grant \(rule.id) \(doubt.sentence).", cure: doubt.cure)
    }
  }
}

@Sendable private func checkPartners(_ host: Host) -> [Finding] {
  guard let located = host.grants, (try? host.store.get()) != nil else { return [] }
  let partners = Set(
    host.keys.filter { $0.role.isPartners && ![.retired, .compromised].contains($0.state) }.map(
      \.label.text))
  return zip(located.policy.rules, located.places).compactMap { rule, place in
    guard let partner = rule.partner, !partners.contains(partner) else { return nil }
    return Finding(
      .grantPartnerMissing, host.surroundings.shown(place.description),
      "Grant \(rule.id) releases to \(partner), and the key store has no partner's key of that name in use.",
      cure:
        "Import the partner's key with kist key import, or correct 'release_to'; until then requests under the grant are refused."
    )
  }
}

extension Host {
  fileprivate func place(_ remark: ConfigurationError) -> String {
    surroundings.shown(remark.file) + (remark.position.map { ":\($0.line)" } ?? "")
  }
}

extension String {
  /// With a capital letter in front.
  var capitalised: String { prefix(1).uppercased() + dropFirst() }
}

extension GrantFinding.Kind {
  fileprivate var trouble: Trouble {
    switch self {
    case .neverInForce: .grantNeverInForce
    case .unreachable: .grantUnreachable
    case .overruled: .grantOverruled
    case .operatorsByGroup: .grantToGroup
    case .needsProcess: .grantNeedsKernel
    }
  }

  fileprivate var cure: String {
    switch self {
    case .neverInForce: "Correct its dates or hours, or remove it."
    case .unreachable: "Remove it, or put it in front of the grants that decide."
    case .overruled: "Put the narrower of the two grants first."
    case .operatorsByGroup: "Name the people in 'users', beside the group."
    case .needsProcess: "Name users or groups alone, or run a kernel from 6.5 on."
    }
  }
}

extension GrantDoubt {
  fileprivate var trouble: Trouble {
    switch self {
    case .ended: .grantEnded
    case .unitWithoutSuffix: .grantUnitName
    case .namesExecutables: .grantExecutables
    case .opensForNothing: .grantReleasesNothing
    case .panWithoutCryptogram: .grantPANWithoutCryptogram
    case .sharedByContainers: .grantSharedByContainers
    case .unlimited: .grantUnlimited
    }
  }

  fileprivate var cure: String {
    switch self {
    case .ended: "Remove it, or give it a later end."
    case .unitWithoutSuffix: "Write the unit's whole name."
    case .namesExecutables:
      "Name 'units' in place of 'executables'; until then kistd does not start."
    case .opensForNothing:
      "Add 'release' with the fields that the service needs, or take open-payment-token out."
    case .panWithoutCryptogram: "Release cryptogram and eci, too, or take dpan out."
    case .sharedByContainers:
      "Name the container's unit, or make an account of that number and name it."
    case .unlimited: "Give it a rate that its users need, such as 100/s."
    }
  }
}
