// Written by proto/generate.py from kist.proto: do not edit.
package kist;

/**
 * Body of a `rejected` reply where the caller's grant shows stages, and where a required field is
 * not released.
 */
final class RejectionBody implements Message {
  private static final Field[] FIELDS = {
    new Field(1, "stage", "enum", Field.Presence.REQUIRED, 1, 255, 0),
    new Field(2, "field", "enum", Field.Presence.ANY, 1, 13, 0),
    new Field(3, "releasedField", "enum", Field.Presence.ANY, 1, 22, 0),
  };

  private Stage stage;
  private PassField field;
  private ReleasedField releasedField;

  /** One without any field. */
  RejectionBody() {}

  /**
   * At which check.
   *
   * @return null if it is missing
   */
  Stage stage() {
    return stage;
  }

  /**
   * Where the stage is about one.
   *
   * @return null if it is missing
   */
  PassField field() {
    return field;
  }

  /**
   * The required field that is not released.
   *
   * @return null if it is missing
   */
  ReleasedField releasedField() {
    return releasedField;
  }

  @Override
  public void visit(Visitor visitor) {
    stage = visitor.enumeration(FIELDS[0], stage, Stage.values());
    field = visitor.enumeration(FIELDS[1], field, PassField.values());
    releasedField = visitor.enumeration(FIELDS[2], releasedField, ReleasedField.values());
  }

  @Override
  public int atFault() {
    return 0;
  }
}
