package weir.patterns;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A pattern of LIKE as a chain of searches: what stands between two percent signs is looked for where the one before it ended. The first place
 * is the right one, since any later one leaves less of the text for the rest; so nothing is ever gone back to.
 */
public final class LikePattern implements Serializable {
  private final String pattern;
  private final List<LikePiece> pieces = new ArrayList<>();

  /** Of a pattern in which a backslash stands only before %, _ and itself. */
  public LikePattern(String pattern) {
    this.pattern = pattern;
    List<Integer> signs = new ArrayList<>();
    for (int at = 0; at < pattern.length(); ) {
      int sign = pattern.codePointAt(at);
      at += Character.charCount(sign);
      if (sign == '%') {
        pieces.add(new LikePiece(signs));
        signs.clear();
      } else if (sign == '\\') {
        signs.add(pattern.codePointAt(at));
        at += 1;
      } else {
        signs.add(sign == '_' ? LikePiece.ANY : sign);
      }
    }
    pieces.add(new LikePiece(signs));
  }

  /** Whether the whole text matches. */
  public boolean matches(UTF8String given) {
    byte[] text = given.getBytes();
    int at = pieces.get(0).endAt(text, 0);
    int last = pieces.size() - 1;
    if (last == 0 || at < 0) {
      return at == text.length;
    }
    for (int place = 1; place < last; place++) {
      at = pieces.get(place).endAfter(text, at);
      if (at < 0) {
        return false;
      }
    }
    int start = pieces.get(last).startBefore(text);
    return start >= at;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LikePattern && pattern.equals(((LikePattern) other).pattern);
  }

  @Override
  public int hashCode() {
    return pattern.hashCode();
  }

  @Override
  public String toString() {
    return pattern;
  }
}
