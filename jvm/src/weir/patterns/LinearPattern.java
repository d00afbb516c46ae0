package weir.patterns;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.trino.re2j.MatchGroups;
import io.trino.re2j.Matcher;
import io.trino.re2j.Pattern;
import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A regular expression that is searched by RE2: one search takes time in the order of the text's length.
 *
 * <p>Matches are those of Java's {@code Matcher.find()}, but by characters: after an empty match the next search begins one character
 * on. Whoever looks for every match knows that the pattern does not read ahead in vain ({@code jobs.expressions.regex_safety.walks_back}).
 * Texts are searched as the UTF-8 that they are; what is none is replaced first, since re2j takes a byte 255 for the text's end.
 */
public final class LinearPattern implements Serializable {
  private final String written;
  private final transient Pattern pattern;

  /** Of a pattern that jobs.expressions wrote. */
  public LinearPattern(String written) {
    this.written = written;
    this.pattern = CompiledPatterns.of(written);
  }

  private Object readResolve() {
    return new LinearPattern(written);
  }

  /** Whether some part of the text matches. */
  public boolean matches(UTF8String text) {
    // Not Pattern.find: it keeps the places of all beginnings apart, which are more states than are counted for a pattern.
    return pattern.matcher(Slices.wrappedBuffer(bytes(text))).find();
  }

  /** The first match; null without one, or when it is empty. */
  public UTF8String first(UTF8String given) {
    byte[] text = bytes(given);
    Matcher found = pattern.matcher(Slices.wrappedBuffer(text));
    return found.find() && found.end() > found.start() ? part(text, found.start(), found.end()) : null;
  }

  /** Place of the first match in characters, from 1; 0 without one. */
  public int place(UTF8String given) {
    byte[] text = bytes(given);
    Matcher found = pattern.matcher(Slices.wrappedBuffer(text));
    return found.find() ? part(text, 0, found.start()).numChars() + 1 : 0;
  }

  /** What a group of the first match holds; empty without one. */
  public UTF8String group(UTF8String given, int group) {
    byte[] text = bytes(given);
    Slice slice = Slices.wrappedBuffer(text);
    Matcher found = pattern.matcher(slice);
    if (!found.find()) {
      return UTF8String.EMPTY_UTF8;
    }
    return group == 0 ? part(text, found.start(), found.end()) : part(text, new MatchGroups(pattern).of(slice, found.start()), group);
  }

  /** Number of matches. */
  public int count(UTF8String given) {
    byte[] text = bytes(given);
    Matcher found = pattern.matcher(Slices.wrappedBuffer(text));
    int count = 0;
    for (int at = 0; at >= 0 && found.find(at); at = next(text, found)) {
      count++;
    }
    return count;
  }

  /** What a group holds in every match. */
  public ArrayData groups(UTF8String given, int group) {
    byte[] text = bytes(given);
    Slice slice = Slices.wrappedBuffer(text);
    Matcher found = pattern.matcher(slice);
    MatchGroups held = group == 0 ? null : new MatchGroups(pattern);
    List<Object> groups = new ArrayList<>();
    for (int at = 0; at >= 0 && found.find(at); at = next(text, found)) {
      groups.add(group == 0 ? part(text, found.start(), found.end()) : part(text, held.of(slice, found.start()), group));
    }
    return new GenericArrayData(groups.toArray());
  }

  /** Every match replaced; a dollar and a digit stand for what that group holds. */
  public UTF8String replaced(UTF8String given, UTF8String into) {
    byte[] text = bytes(given);
    byte[] template = into.getBytes();
    Slice slice = Slices.wrappedBuffer(text);
    Matcher found = pattern.matcher(slice);
    MatchGroups held = asksForGroups(template) ? new MatchGroups(pattern) : null;
    ByteArrayOutputStream written = new ByteArrayOutputStream(text.length + 16);
    int copied = 0;
    for (int at = 0; at >= 0 && found.find(at); at = next(text, found)) {
      written.write(text, copied, found.start() - copied);
      int[] places = held == null ? new int[] {found.start(), found.end()} : held.of(slice, found.start());
      for (int place = 0; place < template.length; place++) {
        if (template[place] != '$') {
          written.write(template[place]);
        } else {
          int group = template[++place] - '0';
          if (places[2 * group] >= 0) {
            written.write(text, places[2 * group], places[2 * group + 1] - places[2 * group]);
          }
        }
      }
      copied = found.end();
    }
    written.write(text, copied, text.length - copied);
    return UTF8String.fromBytes(written.toByteArray());
  }

  /** Whether a replacement names a group other than the whole match. */
  private static boolean asksForGroups(byte[] template) {
    for (int place = 0; place + 1 < template.length; place++) {
      if (template[place] == '$' && template[place + 1] != '0') {
        return true;
      }
    }
    return false;
  }

  private static byte[] bytes(UTF8String text) {
    return text.makeValid().getBytes();
  }

  /** Where the next search begins; -1 at the end. */
  private static int next(byte[] text, Matcher found) {
    if (found.end() > found.start()) {
      return found.end();
    }
    return found.end() < text.length ? found.end() + Utf8.size(text, found.end()) : -1;
  }

  private static UTF8String part(byte[] text, int[] places, int group) {
    return places[2 * group] < 0 ? UTF8String.EMPTY_UTF8 : part(text, places[2 * group], places[2 * group + 1]);
  }

  private static UTF8String part(byte[] text, int start, int end) {
    return UTF8String.fromBytes(text, start, end - start);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LinearPattern && written.equals(((LinearPattern) other).written);
  }

  @Override
  public int hashCode() {
    return written.hashCode();
  }

  @Override
  public String toString() {
    return written;
  }
}
