package weir.decode;

/** Plain texts as the only field of a key, by its type: {@code jobs/formats/record_key.py}. */
public final class TextKeyDecoder extends KeyDecoder {
  private transient PlainType type;

  public TextKeyDecoder(String text) {
    super(text);
  }

  @Override
  protected void openKey(Spec spec) {
    type = PlainType.of(spec.fields.apply(0).dataType());
  }

  @Override
  protected boolean readKey(byte[] key, DecodedRow row) {
    return Utf8.isValid(key, 0, key.length) && type.read(key, 0, key.length, row, 0);
  }
}
