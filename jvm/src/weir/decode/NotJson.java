package weir.decode;

/** Bytes that are no JSON, or too deep; which of both is seen afterwards. One for all, since it is thrown for every such record. */
final class NotJson extends RuntimeException {
  static final NotJson HERE = new NotJson();

  private NotJson() {
    super(null, null, false, false);
  }
}
