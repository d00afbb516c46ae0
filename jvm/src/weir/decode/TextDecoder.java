package weir.decode;

import org.apache.spark.unsafe.types.UTF8String;

/** Plain texts: {@code jobs/formats/text_records.py}. */
public final class TextDecoder extends Decoder {
  private transient boolean isRead;

  public TextDecoder(String text) {
    super(text);
  }

  @Override
  protected void open(Spec spec) {
    isRead = spec.fields.length() > 0;
  }

  @Override
  protected UTF8String read(byte[] value, DecodedRow row) {
    if (!Utf8.isValid(value, 0, value.length)) {
      return Reason.NOT_TEXT;
    }
    if (isRead) {
      row.setObject(0, UTF8String.fromBytes(value));
    }
    return null;
  }
}
