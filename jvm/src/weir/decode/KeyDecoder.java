package weir.decode;

import org.apache.spark.unsafe.types.UTF8String;

/** The key fields of a record, out of its key's bytes: {@code jobs/formats/record_key.py}. What is no key is KEY_INVALID, whatever is wrong with it. */
public abstract class KeyDecoder extends Decoder {
  private transient UTF8String missing; // why a key without a part is none; null where parts may be missing

  /** By a specification's text ({@link Spec}). */
  protected KeyDecoder(String text) {
    super(text);
  }

  /** Before the first key. */
  protected abstract void openKey(Spec spec);

  /** Reads a key into a row whose fields are null; false where it is none. */
  protected abstract boolean readKey(byte[] key, DecodedRow row);

  @Override
  protected final void open(Spec spec) {
    missing = UTF8String.fromString(spec.text("nothing"));
    openKey(spec);
  }

  @Override
  protected final UTF8String read(byte[] key, DecodedRow row) {
    if (!readKey(key, row)) {
      return Reason.KEY_INVALID;
    }
    if (missing != null) {
      for (int slot = 0; slot < row.numFields() - STATUS_COLUMNS; slot++) {
        if (row.isNullAt(slot)) {
          return missing;
        }
      }
    }
    return null;
  }

  @Override
  protected final UTF8String tooLarge() {
    return Reason.KEY_INVALID;
  }
}
