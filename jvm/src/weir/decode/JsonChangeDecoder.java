package weir.decode;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Change events of Debezium in JSON: {@code jobs/formats/debezium_records.py}.
 *
 * <p>Which of two events an object is, itself or its {@code payload}, may be known only at its end. The row is read where it is met first, and again where
 * that was the wrong one.
 */
public final class JsonChangeDecoder extends Decoder {
  private static final int OP = 0;
  private static final int AFTER = 1;
  private static final int SOURCE = 2;
  private static final int TS_MS = 3;
  private static final int PAYLOAD = 4;
  private static final Names MEMBERS = Names.of(List.of("op", "after", "source", "ts_ms", "payload"));
  private static final Names OF_SOURCE = Names.of(List.of("ts_ms"));
  private static final int NOWHERE = -1;

  /** What stands in an event; of a member that is there twice, in the last one. */
  private static final class Event {
    boolean hasOp;
    String op; // null where it is no text
    int after; // where the row begins; NOWHERE where there is no object
    long sourceMs;
    long ms;

    void clear() {
      hasOp = false;
      op = null;
      after = NOWHERE;
      sourceMs = Times.NONE;
      ms = Times.NONE;
    }
  }

  private transient boolean isFramed;
  private transient UTF8String deletion;
  private transient FieldTree tree;
  private transient JsonReader in;
  private transient DecodedRow row;
  private transient Event whole;
  private transient Event inner;
  private transient int rowAt;

  public JsonChangeDecoder(String text) {
    super(text);
  }

  @Override
  protected void open(Spec spec) {
    isFramed = spec.is("framed");
    deletion = UTF8String.fromString(spec.text("deletion"));
    tree = new FieldTree(spec.fields, spec.paths, TimeUnit.valueOf(spec.text("unit").toUpperCase(java.util.Locale.ROOT)));
    in = new JsonReader();
    whole = new Event();
    inner = new Event();
  }

  @Override
  protected UTF8String read(byte[] value, DecodedRow into) {
    int from = isFramed ? behindFrame(value) : 0;
    if (from < 0) {
      return Reason.NOT_FRAMED;
    }
    row = into;
    whole.clear();
    inner.clear();
    rowAt = NOWHERE;
    try {
      in.reset(value, from);
      boolean isObject = in.next() == '{';
      if (isObject) {
        members(whole, true);
      } else {
        in.skip();
      }
      in.finish();
      return isObject ? verdict(whole.hasOp ? whole : inner) : Reason.NOT_OBJECT;
    } catch (NotJson error) {
      return JsonVerdict.of(value, from);
    }
  }

  private UTF8String verdict(Event event) {
    if (event.op == null) {
      return Reason.NOT_CHANGE;
    }
    switch (event.op) {
      case "m", "t":
        return Reason.SKIPPED;
      case "d":
        changed(event);
        return deletion;
      case "c", "u", "r":
        break;
      default:
        return Reason.NOT_CHANGE;
    }
    if (event.after == NOWHERE) {
      return Reason.NOT_CHANGE;
    }
    if (event.after != rowAt) {
      in.again(event.after);
      rowOf();
    }
    if (in.holdsTooMany()) {
      return Reason.TOO_LARGE;
    }
    if (!tree.fits()) {
      return Reason.FIELD_TYPE;
    }
    changed(event);
    return null;
  }

  private void changed(Event event) {
    long millis = event.sourceMs == Times.NONE ? event.ms : event.sourceMs;
    if (millis != Times.NONE) {
      setChanged(row, millis);
    }
  }

  private void members(Event event, boolean isWhole) {
    if (!in.open('}')) {
      return;
    }
    int expected = 0;
    do {
      in.name();
      int member = MEMBERS.find(in.text, in.textFrom, in.textTo, expected);
      expected = member < 0 ? expected : member + 1;
      switch (member) {
        case OP -> op(event);
        case AFTER -> after(event);
        case SOURCE -> source(event);
        case TS_MS -> event.ms = millis();
        case PAYLOAD -> payload(isWhole);
        default -> in.skip();
      }
    } while (in.more('}'));
  }

  private void op(Event event) {
    event.op = null;
    event.hasOp = !in.isNull();
    if (!event.hasOp) {
      return;
    }
    if (in.bytes[in.at] != '"') {
      in.skip();
      return;
    }
    in.string();
    // Longer ones are none of them.
    event.op = in.textTo - in.textFrom == 1 ? new String(in.text, in.textFrom, 1, StandardCharsets.ISO_8859_1) : null;
  }

  private void after(Event event) {
    if (in.bytes[in.at] != '{') {
      event.after = NOWHERE;
      in.skip();
      return;
    }
    event.after = in.at;
    rowOf();
  }

  private void rowOf() {
    row.clear(0, row.numFields());
    tree.begin(row);
    in.beginRow();
    rowAt = in.at;
    tree.object(in);
  }

  private void source(Event event) {
    event.sourceMs = Times.NONE;
    if (in.bytes[in.at] != '{') {
      in.skip();
      return;
    }
    if (in.open('}')) {
      do {
        in.name();
        if (OF_SOURCE.find(in.text, in.textFrom, in.textTo, 0) == 0) {
          event.sourceMs = millis();
        } else {
          in.skip();
        }
      } while (in.more('}'));
    }
  }

  private void payload(boolean isWhole) {
    if (!isWhole) {
      in.skip();
      return;
    }
    inner.clear();
    if (in.bytes[in.at] == '{') {
      members(inner, false);
    } else {
      in.skip();
    }
  }

  /** A whole number of 64 bits, or {@link Times#NONE}. */
  private long millis() {
    if (!in.isNumber()) {
      in.skip();
      return Times.NONE;
    }
    in.number();
    long value = in.isWhole ? Numbers.ofLong(in.bytes, in.numberFrom, in.at) : Times.NONE;
    // No instant, as is the number after it.
    return value == Times.NONE && Numbers.isLeast(in.bytes, in.numberFrom, in.at) ? value + 1 : value;
  }
}
