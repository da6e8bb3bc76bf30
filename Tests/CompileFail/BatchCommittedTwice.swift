// expect: 'batch' consumed more than once
import Audit

func twice(_ batch: consuming Batch, to log: AuditLog) throws(AuditError) -> Receipt {
  _ = try log.commit(batch)
  return try log.commit(batch)
}
