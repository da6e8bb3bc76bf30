package kist;

/** What every answer has. */
public interface Answered {
  /** {@return the record of the request in the audit log, an unsigned number; null if there is none} */
  Long auditSequence();

  /**
   * For the client.
   *
   * @param sequence the record
   */
  void setAuditSequence(Long sequence);
}
