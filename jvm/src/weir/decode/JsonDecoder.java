package weir.decode;

import org.apache.spark.unsafe.types.UTF8String;

/** JSON objects: {@code jobs/formats/json_records.py}. */
public final class JsonDecoder extends Decoder {
  private transient boolean isFramed;
  private transient FieldTree tree;
  private transient JsonReader in;

  public JsonDecoder(String text) {
    super(text);
  }

  @Override
  protected void open(Spec spec) {
    isFramed = spec.is("framed");
    tree = new FieldTree(spec.fields, spec.paths, null);
    in = new JsonReader();
  }

  @Override
  protected UTF8String read(byte[] value, DecodedRow row) {
    int from = isFramed ? behindFrame(value) : 0;
    if (from < 0) {
      return Reason.NOT_FRAMED;
    }
    tree.begin(row);
    try {
      in.reset(value, from);
      in.beginRow();
      boolean isObject = in.next() == '{';
      if (isObject) {
        tree.object(in);
      } else {
        in.skip();
      }
      in.finish();
      return !isObject ? Reason.NOT_OBJECT : in.holdsTooMany() ? Reason.TOO_LARGE : tree.fits() ? null : Reason.FIELD_TYPE;
    } catch (NotJson error) {
      return JsonVerdict.of(value, from);
    }
  }
}
