package kist;

import java.util.StringJoiner;

/** The daemon refused: {@link #status} says why, and {@link #auditSequence} is the record to quote to the operator. */
public final class RefusedException extends KistException {
  private static final long serialVersionUID = 1;
  private final transient Status status;
  private final transient Long auditSequence;
  private final transient Stage stage;
  private final transient PassField field;
  private final transient ReleasedField releasedField;
  private final transient String why;
  private final transient Long retryAfter;
  private final transient String request;
  private final transient Long until;
  private final transient boolean endsConnection;

  RefusedException(Status status, Long auditSequence, boolean endsConnection) {
    this(status, auditSequence, null, null, null, null, endsConnection);
  }

  RefusedException(
      Status status, Long auditSequence, RejectionBody rejection, MalformationBody malformation, BusyBody busy, ApprovalNeededBody needed, boolean endsConnection) {
    super(text(status, auditSequence, rejection, malformation, busy, needed), null);
    this.status = status;
    this.auditSequence = auditSequence;
    this.stage = rejection == null ? null : rejection.stage();
    this.field = rejection == null ? null : rejection.field();
    this.releasedField = rejection == null ? null : rejection.releasedField();
    this.why = malformation == null ? null : malformation.why();
    this.retryAfter = busy == null ? null : busy.retryAfter();
    this.request = needed == null ? null : needed.request();
    this.until = needed == null ? null : needed.until();
    this.endsConnection = endsConnection;
  }

  private static String text(
      Status status, Long auditSequence, RejectionBody rejection, MalformationBody malformation, BusyBody busy, ApprovalNeededBody needed) {
    StringJoiner text = new StringJoiner(", ").add(status.text());
    if (rejection != null && rejection.stage() != null) text.add("at stage " + rejection.stage().text());
    if (rejection != null && rejection.releasedField() != null) text.add(rejection.releasedField().text());
    else if (rejection != null && rejection.field() != null) text.add(rejection.field().text());
    if (malformation != null) text.add(malformation.why());
    if (busy != null) text.add("for " + busy.retryAfter() + " ms");
    if (needed != null) text.add("kist approve " + needed.request());
    if (auditSequence != null) text.add("audit record " + Long.toUnsignedString(auditSequence));
    return text.toString();
  }

  /** {@return why} */
  public Status status() {
    return status;
  }

  /** {@return the record of the request in the audit log, an unsigned number; null if there is none} */
  public Long auditSequence() {
    return auditSequence;
  }

  /** {@return of a rejection, the check that failed, if policy shows it and this package knows it, else null} */
  public Stage stage() {
    return stage;
  }

  /** {@return the pass's field that the stage is about, or null} */
  public PassField field() {
    return field;
  }

  /** {@return the required field that is not released, at stage {@code not-released}; the token can still be opened; or null} */
  public ReleasedField releasedField() {
    return releasedField;
  }

  /** {@return of {@code malformed}, the field that broke a bound, or null} */
  public String why() {
    return why;
  }

  /** {@return of {@code busy}, the milliseconds until the same call can succeed; null if not told} */
  public Long retryAfter() {
    return retryAfter;
  }

  /** {@return of {@code approval-needed}, what an operator approves by: {@code kist approve REQUEST}; or null} */
  public String request() {
    return request;
  }

  /** {@return the second since 1970 from which that request is forgotten, or null} */
  public Long until() {
    return until;
  }

  /** {@return whether the daemon closes the connection after it} */
  public boolean endsConnection() {
    return endsConnection;
  }
}
