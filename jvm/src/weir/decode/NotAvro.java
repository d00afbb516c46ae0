package weir.decode;

/** Bytes that are no record of their schema. One for all, since it is thrown for every such record. */
final class NotAvro extends RuntimeException {
  static final NotAvro HERE = new NotAvro();

  private NotAvro() {
    super(null, null, false, false);
  }
}
