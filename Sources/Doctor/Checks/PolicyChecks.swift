internal import Configuration
internal import Policy
internal import Review

/// Whether the policy can be taken, and lets people do what they will need.
let policyChecks: [CheckUp.Check] = [checkFiles, checkLockOuts]

@Sendable private func checkFiles(_ host: Host) -> [Finding] {
  guard case .failure(let errors) = host.policy else { return [] }
  return errors.all.map { error in
    let path = host.surroundings.shown(error.file)
    if error.isUnreadable {
      guard case .absent = host.surroundings.look(at: path) else { return .notReadable(path, error, host) }
      return Finding(
        .policyMissing, host.configuration?.policyDirectory ?? path, "There is no policy.",
        cure: "Copy the files of /usr/share/doc/kistd/examples/policy.d there and put in your people and services."
      )
    }
    guard error.position == nil else {
      return Finding(
        .policyInvalid, path, "\(host.surroundings.shown(error.description)).", cure: "Correct that line; kist policy check names every mistake.")
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
      return Finding(.policyEmpty, place, cause, cure: "Add grants for your people and services; 10-roles.toml of the examples has one for each role.")
    case .unlock:
      guard host.configuration?.unlock == nil else { return nil }
      return Finding(.policyNobodyUnlocks, place, cause, cure: "Grant unlock to operators, or submit-share to custodians.")
    case .approve:
      guard host.configuration?.operators.approval.isEmpty == false else { return nil }
      return Finding(.policyNobodyApproves, place, cause, cure: "Grant approve to people who are not operators.")
    }
  }
}
