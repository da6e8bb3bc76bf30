// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/** A message of the protocol: DescribeReply. */
public final class DescribeReply implements Message, Answered {
  private static final Field[] FIELDS = {
    new Field(1, "productVersion", "string", Field.Presence.ANY, 0, 64, 0),
    new Field(2, "wireVersion", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
    new Field(3, "operations", "message", Field.Presence.REPEATED, 0, 128, 256),
    new Field(4, "inFlight", "uint32", Field.Presence.ANY, 0, 0xFFFFFFFFL, 0),
    new Field(5, "rehearsal", "bool", Field.Presence.ANY, 0, 1, 0),
  };

  private String productVersion;
  private long wireVersion;
  private java.util.List<OperationDescription> operations = java.util.List.of();
  private long inFlight;
  private boolean rehearsal;
  private Long auditSequence;

  /** One without any field. */
  DescribeReply() {}

  /**
   * At most 64 bytes.
   *
   * @return null if it is missing
   */
  public String productVersion() {
    return productVersion;
  }

  /**
   * 1.
   *
   * @return what it is
   */
  public long wireVersion() {
    return wireVersion;
  }

  /**
   * All that the daemon knows.
   *
   * @return none of them if it is missing
   */
  public java.util.List<OperationDescription> operations() {
    return operations;
  }

  /**
   * The in flight.
   *
   * @return what it is
   */
  public long inFlight() {
    return inFlight;
  }

  /**
   * The rehearsal.
   *
   * @return what it is
   */
  public boolean rehearsal() {
    return rehearsal;
  }

  @Override
  public Long auditSequence() {
    return auditSequence;
  }

  @Override
  public void setAuditSequence(Long sequence) {
    auditSequence = sequence;
  }

  @Override
  public void visit(Visitor visitor) {
    productVersion = visitor.text(FIELDS[0], productVersion);
    wireVersion = visitor.number(FIELDS[1], wireVersion);
    operations = visitor.list(FIELDS[2], operations, OperationDescription::new);
    inFlight = visitor.number(FIELDS[3], inFlight);
    rehearsal = visitor.flag(FIELDS[4], rehearsal);
  }

  @Override
  public int atFault() {
    return 0;
  }
}
