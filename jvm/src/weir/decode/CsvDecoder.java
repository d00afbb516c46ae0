package weir.decode;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.unsafe.types.UTF8String;

/** Lines of separated values: {@code jobs/formats/csv_line.py} and {@code csv_records.py}. A field's path is the index of its column. */
public final class CsvDecoder extends Decoder {
  private transient byte[] delimiter;
  private transient byte[] quote;
  private transient byte[] nullText;
  private transient boolean trims;
  private transient int columns;
  private transient int[] places; // the column of each field
  private transient PlainType[] types;

  // Of the line at hand: cells, trimmed and without the quotes around them; of those there may be more than columns.
  private transient int[] from;
  private transient int[] to;
  private transient boolean[] quoted;
  private transient int cells;

  public CsvDecoder(String text) {
    super(text);
  }

  @Override
  protected void open(Spec spec) {
    delimiter = spec.text("delimiter").getBytes(StandardCharsets.UTF_8);
    quote = spec.text("quote").getBytes(StandardCharsets.UTF_8);
    nullText = spec.text("null").getBytes(StandardCharsets.UTF_8);
    trims = spec.is("trim");
    columns = spec.options.get("columns").intValue();
    from = new int[columns];
    to = new int[columns];
    quoted = new boolean[columns];
    types = new PlainType[spec.fields.length()];
    for (int slot = 0; slot < types.length; slot++) {
      types[slot] = PlainType.of(spec.fields.apply(slot).dataType());
    }
    places = spec.paths.stream().mapToInt(path -> (Integer) path.get(0)).toArray();
  }

  @Override
  protected UTF8String read(byte[] value, DecodedRow row) {
    if (!Utf8.isValid(value, 0, value.length)) {
      return Reason.NOT_TEXT;
    }
    int end = value.length;
    end -= end > 0 && value[end - 1] == '\n' ? 1 : 0;
    end -= end > 0 && value[end - 1] == '\r' ? 1 : 0;
    if (!split(value, end)) {
      return Reason.NOT_CSV;
    }
    if (cells != columns) {
      return Reason.COLUMN_COUNT;
    }
    for (int slot = 0; slot < types.length; slot++) {
      if (!typed(value, places[slot], row, slot)) {
        return Reason.FIELD_TYPE;
      }
    }
    return null;
  }

  /** What stands between quotes alternates with what stands outside, whatever it means; false for a line that is none. */
  private boolean split(byte[] line, int end) {
    cells = 0;
    boolean inside = false;
    boolean hasQuote = false;
    int begin = 0;
    int at = 0;
    while (at < end) {
      byte sign = line[at];
      if (sign == quote[0] && isAt(line, at, end, quote)) {
        inside = !inside;
        hasQuote = true;
        at += quote.length;
      } else if (!inside && sign == delimiter[0] && isAt(line, at, end, delimiter)) {
        if (!cell(line, begin, at, hasQuote)) {
          return false;
        }
        at += delimiter.length;
        begin = at;
        hasQuote = false;
      } else if (sign == 0 || (!inside && (sign == '\n' || sign == '\r'))) {
        return false;
      } else {
        at++;
      }
    }
    return !inside && cell(line, begin, end, hasQuote);
  }

  private static boolean isAt(byte[] line, int at, int end, byte[] sign) {
    return sign.length == 1 || (end - at >= sign.length && Arrays.equals(line, at, at + sign.length, sign, 0, sign.length));
  }

  /** Notes a cell; false where its quotes are in the wrong place. */
  private boolean cell(byte[] line, int begin, int stop, boolean hasQuote) {
    int first = begin;
    int last = stop;
    if (trims) {
      while (first < last && (line[first] == ' ' || line[first] == '\t')) {
        first++;
      }
      while (first < last && (line[last - 1] == ' ' || line[last - 1] == '\t')) {
        last--;
      }
    }
    if (hasQuote) {
      int size = quote.length;
      boolean closed = last - first >= 2 * size && isQuote(line, first) && isQuote(line, last - size);
      first += size;
      last -= size;
      if (!closed || !isPaired(line, first, last)) {
        return false;
      }
    }
    if (cells < columns) {
      from[cells] = first;
      to[cells] = last;
      quoted[cells] = hasQuote;
    }
    cells++;
    return true;
  }

  private boolean isQuote(byte[] line, int at) {
    return Arrays.equals(line, at, at + quote.length, quote, 0, quote.length);
  }

  private boolean isPaired(byte[] line, int begin, int stop) {
    int at = begin;
    while (at < stop) {
      if (line[at] != quote[0] || !isAt(line, at, stop, quote)) {
        at++;
      } else if (isQuoteBefore(line, at + quote.length, stop)) {
        at += 2 * quote.length;
      } else {
        return false;
      }
    }
    return true;
  }

  private boolean isQuoteBefore(byte[] line, int at, int stop) {
    return stop - at >= quote.length && isQuote(line, at);
  }

  private boolean typed(byte[] line, int column, DecodedRow row, int slot) {
    int begin = from[column];
    int stop = to[column];
    if (!quoted[column]) {
      return Arrays.equals(line, begin, stop, nullText, 0, nullText.length) || types[slot].read(line, begin, stop, row, slot);
    }
    byte[] text = new byte[stop - begin];
    int size = 0;
    for (int at = begin; at < stop; at++) {
      text[size++] = line[at];
      if (line[at] == quote[0] && isAt(line, at, stop, quote)) {
        for (int rest = 1; rest < quote.length; rest++) {
          text[size++] = line[++at];
        }
        at += quote.length; // the second of two
      }
    }
    return types[slot].read(text, 0, size, row, slot);
  }
}
