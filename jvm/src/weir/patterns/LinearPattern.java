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
 * A regular expression that is searched by RE2: one search takes time in the order of the text's length.
 *
 * <p>Matches are those of Java's {@code Matcher.find()}, but by characters: after an empty match the next search begins one character
 * on. Whoever looks for every match knows that the pattern does not read ahead in vain ({@code jobs.expressions.patterns.walks_back}).
 * Texts are searched as Java's: over UTF-8 re2j 1.8 takes the place behind a character of several bytes for the text's beginning.
 */
public final class LinearPattern implements Serializable {
  private final Pattern pattern;

  /** Of a pattern that jobs.expressions wrote. */
  public LinearPattern(String pattern) {
    this.pattern = Pattern.compile(pattern);
  }

  /** Whether some part of the text matches. */
  public boolean matches(UTF8String text) {
    return pattern.matcher(text.toString()).find();
  }

  /** The first match; null without one, or when it is empty. */
  public UTF8String first(UTF8String text) {
    Matcher found = pattern.matcher(text.toString());
    return found.find() && found.end() > found.start() ? UTF8String.fromString(found.group()) : null;
  }

  /** Place of the first match in characters, from 1; 0 without one. */
  public int place(UTF8String given) {
    String text = given.toString();
    Matcher found = pattern.matcher(text);
    return found.find() ? text.codePointCount(0, found.start()) + 1 : 0;
  }

  /** What a group of the first match holds; empty without one. */
  public UTF8String group(UTF8String text, int group) {
    Matcher found = pattern.matcher(text.toString());
    return found.find() ? part(found, group) : UTF8String.EMPTY_UTF8;
  }

  /** Number of matches. */
  public int count(UTF8String given) {
    String text = given.toString();
    Matcher found = pattern.matcher(text);
    int count = 0;
    for (int at = 0; at >= 0 && found.find(at); at = next(text, found)) {
      count++;
    }
    return count;
  }

  /** What a group holds in every match. */
  public ArrayData groups(UTF8String given, int group) {
    String text = given.toString();
    Matcher found = pattern.matcher(text);
    List<Object> groups = new ArrayList<>();
    for (int at = 0; at >= 0 && found.find(at); at = next(text, found)) {
      groups.add(part(found, group));
    }
    return new GenericArrayData(groups.toArray());
  }

  /** Every match replaced; a dollar and a digit stand for what that group holds. */
  public UTF8String replaced(UTF8String given, UTF8String into) {
    String text = given.toString();
    String template = into.toString();
    Matcher found = pattern.matcher(text);
    StringBuilder written = new StringBuilder(text.length() + 16);
    int copied = 0;
    for (int at = 0; at >= 0 && found.find(at); at = next(text, found)) {
      written.append(text, copied, found.start());
      for (int place = 0; place < template.length(); place++) {
        if (template.charAt(place) != '$') {
          written.append(template.charAt(place));
        } else {
          int group = template.charAt(++place) - '0';
          if (found.start(group) >= 0) {
            written.append(text, found.start(group), found.end(group));
          }
        }
      }
      copied = found.end();
    }
    return UTF8String.fromString(written.append(text, copied, text.length()).toString());
  }

  /** Where the next search begins; -1 at the end. */
  private static int next(String text, Matcher found) {
    if (found.end() > found.start()) {
      return found.end();
    }
    return found.end() < text.length() ? found.end() + Character.charCount(text.codePointAt(found.end())) : -1;
  }

  private static UTF8String part(Matcher found, int group) {
    return found.start(group) < 0 ? UTF8String.EMPTY_UTF8 : UTF8String.fromString(found.group(group));
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
