// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** What came of a request, as the reply's header says it. */
public enum Status implements Numbered {
  /** ok. */
  OK(0, "ok"),
  /** malformed. */
  MALFORMED(1, "malformed"),
  /** unsupported. */
  UNSUPPORTED(2, "unsupported"),
  /** denied. */
  DENIED(3, "denied"),
  /** rejected. */
  REJECTED(4, "rejected"),
  /** busy. */
  BUSY(5, "busy"),
  /** locked. */
  LOCKED(6, "locked"),
  /** audit-unavailable. */
  AUDIT_UNAVAILABLE(7, "audit-unavailable"),
  /** internal. */
  INTERNAL(8, "internal"),
  /** approval-needed. */
  APPROVAL_NEEDED(9, "approval-needed");

  private final int number;
  private final String text;

  Status(int number, String text) {
    this.number = number;
    this.text = text;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public String text() {
    return text;
  }
}
