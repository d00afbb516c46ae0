package weir.decode;

import java.util.List;

/** JSON keys: an object, with or without its schema beside it, a list of the key's fields, or the bare value of the only one: {@code jobs/formats/record_key.py}. */
public final class JsonKeyDecoder extends KeyDecoder {
  private static final int SCHEMA = 0;
  private static final int PAYLOAD = 1;
  private static final Names AROUND = Names.of(List.of("schema", "payload"));
  private static final int NOWHERE = -1;

  private transient boolean isFramed;
  private transient boolean isPlain; // a field is read from what could be around a key
  private transient FieldTree tree;
  private transient JsonType[] types;
  private transient JsonReader in;

  public JsonKeyDecoder(String text) {
    super(text);
  }

  @Override
  protected void openKey(Spec spec) {
    isFramed = spec.is("framed");
    isPlain = spec.paths.stream().anyMatch(path -> path.get(0).equals("schema") || path.get(0).equals("payload"));
    tree = new FieldTree(spec.fields, spec.paths, null);
    types = new JsonType[spec.paths.size()];
    for (int slot = 0; slot < types.length; slot++) {
      types[slot] = JsonType.of(spec.fields.apply(slot).dataType(), null);
    }
    in = new JsonReader();
  }

  @Override
  protected boolean readKey(byte[] key, DecodedRow row) {
    int from = isFramed ? behindFrame(key) : 0;
    if (from < 0) {
      return false;
    }
    in.reset(key, from);
    in.beginRow();
    try {
      int begin = keyAt();
      if (begin == NOWHERE) {
        return false;
      }
      in.again(begin);
      return switch (key[begin]) {
        case '{' -> object(row);
        case '[' -> list(row);
        default -> types.length == 1 && types[0].read(in, row, 0);
      };
    } catch (NotJson error) {
      return false;
    }
  }

  /** Reads all of the text, and gives where the key begins in it; {@link #NOWHERE} where what stands beside a schema is no object. */
  private int keyAt() {
    boolean isObject = in.next() == '{';
    int begin = in.at;
    if (isPlain || !isObject) {
      in.skip();
      in.finish();
      return begin;
    }
    boolean hasSchema = false;
    boolean hasPayload = false;
    int payload = NOWHERE;
    if (in.open('}')) {
      do {
        in.name();
        int member = AROUND.find(in.text, in.textFrom, in.textTo, 0);
        if (member == SCHEMA) {
          hasSchema = in.bytes[in.at] != 'n';
        } else if (member == PAYLOAD) {
          hasPayload = in.bytes[in.at] != 'n';
          payload = in.bytes[in.at] == '{' ? in.at : NOWHERE;
        }
        in.skip();
      } while (in.more('}'));
    }
    in.finish();
    return hasPayload && (hasSchema || payload == NOWHERE) ? payload : begin;
  }

  private boolean object(DecodedRow row) {
    tree.begin(row);
    tree.object(in);
    return tree.fits();
  }

  private boolean list(DecodedRow row) {
    int count = 0;
    boolean fits = true;
    if (in.open(']')) {
      do {
        if (count < types.length) {
          fits &= types[count].read(in, row, count);
        } else {
          in.skip();
        }
        count++;
      } while (in.more(']'));
    }
    return fits && count == types.length;
  }
}
