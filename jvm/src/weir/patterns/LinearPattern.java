package weir.patterns;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A regular expression over UTF-8, searched by RE2: one search takes time in the order of the text's length.
 *
 * <p>Matches are those of Java's {@code Matcher.find()}: after an empty match the next search begins one character on. Whoever
 * looks for every match knows that the pattern does not read ahead in vain ({@code jobs.expressions.patterns.walks_back}).
 */
public final class LinearPattern implements Serializable {
  private final Pattern pattern;

  /** Of a pattern that jobs.expressions wrote. */
  public LinearPattern(String pattern) {
    this.pattern = Pattern.compile(pattern);
  }

  /** Whether some part of the text matches. */
  public boolean matches(UTF8String text) {
    return pattern.matcher(text.getBytes()).find();
  }

  /** The first match; null without one, or when it is empty. */
  public UTF8String first(UTF8String text) {
    byte[] bytes = text.getBytes();
    Matcher found = pattern.matcher(bytes);
    return found.find() && found.end() > found.start() ? part(bytes, found, 0) : null;
  }

  /** Place of the first match in characters, from 1; 0 without one. */
  public int place(UTF8String text) {
    byte[] bytes = text.getBytes();
    Matcher found = pattern.matcher(bytes);
    return found.find() ? UTF8String.fromBytes(bytes, 0, found.start()).numChars() + 1 : 0;
  }

  /** What a group of the first match holds; empty without one. */
  public UTF8String group(UTF8String text, int group) {
    byte[] bytes = text.getBytes();
    Matcher found = pattern.matcher(bytes);
    return found.find() ? part(bytes, found, group) : UTF8String.EMPTY_UTF8;
  }

  /** Number of matches. */
  public int count(UTF8String text) {
    byte[] bytes = text.getBytes();
    Matcher found = pattern.matcher(bytes);
    int count = 0;
    for (int at = 0; at >= 0 && found.find(at); at = next(bytes, found)) {
      count++;
    }
    return count;
  }

  /** What a group holds in every match. */
  public ArrayData groups(UTF8String text, int group) {
    byte[] bytes = text.getBytes();
    Matcher found = pattern.matcher(bytes);
    List<Object> groups = new ArrayList<>();
    for (int at = 0; at >= 0 && found.find(at); at = next(bytes, found)) {
      groups.add(part(bytes, found, group));
    }
    return new GenericArrayData(groups.toArray());
  }

  /** Every match replaced; a dollar and a digit stand for what that group holds. */
  public UTF8String replaced(UTF8String text, UTF8String into) {
    byte[] bytes = text.getBytes();
    byte[] template = into.getBytes();
    Matcher found = pattern.matcher(bytes);
    Bytes written = new Bytes(bytes.length + 16);
    int copied = 0;
    for (int at = 0; at >= 0 && found.find(at); at = next(bytes, found)) {
      written.add(bytes, copied, found.start());
      for (int place = 0; place < template.length; place++) {
        if (template[place] != '$') {
          written.add(template, place, place + 1);
        } else {
          int group = template[++place] - '0';
          if (found.start(group) >= 0) {
            written.add(bytes, found.start(group), found.end(group));
          }
        }
      }
      copied = found.end();
    }
    written.add(bytes, copied, bytes.length);
    return written.text();
  }

  /** Where the next search begins; -1 at the end. */
  private static int next(byte[] bytes, Matcher found) {
    if (found.end() > found.start()) {
      return found.end();
    }
    return found.end() < bytes.length ? found.end() + UTF8String.numBytesForFirstByte(bytes[found.end()]) : -1;
  }

  private static UTF8String part(byte[] bytes, Matcher found, int group) {
    int start = found.start(group);
    return start < 0 ? UTF8String.EMPTY_UTF8 : UTF8String.fromBytes(bytes, start, found.end(group) - start);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LinearPattern && pattern.equals(((LinearPattern) other).pattern);
  }

  @Override
  public int hashCode() {
    return pattern.hashCode();
  }

  @Override
  public String toString() {
    return pattern.toString();
  }
}
