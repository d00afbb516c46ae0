package weir.patterns;

import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Characters that follow each other, some of which may be any. Searched with one bit for each of them (the shift-and search), so that each
 * character of the text costs the same, whatever the text.
 */
final class LikePiece implements Serializable {
  static final int ANY = -1;

  private final int[] signs;
  private final int words;
  private final long[] anywhere;
  private final long[][] ascii = new long[128][];
  private final Map<Integer, long[]> others = new HashMap<>();

  LikePiece(List<Integer> given) {
    signs = given.stream().mapToInt(Integer::intValue).toArray();
    words = (signs.length + 63) / 64;
    anywhere = new long[words];
    for (int place = 0; place < signs.length; place++) {
      if (signs[place] == ANY) {
        anywhere[place >> 6] |= 1L << (place & 63);
      }
    }
    for (int place = 0; place < signs.length; place++) {
      if (signs[place] != ANY) {
        placesOf(signs[place])[place >> 6] |= 1L << (place & 63);
      }
    }
  }

  private long[] placesOf(int sign) {
    if (sign < 128) {
      if (ascii[sign] == null) {
        ascii[sign] = anywhere.clone();
      }
      return ascii[sign];
    }
    return others.computeIfAbsent(sign, one -> anywhere.clone());
  }

  /** One past the piece when it stands at a place; else -1. */
  int endAt(byte[] text, int at) {
    for (int sign : signs) {
      if (at >= text.length || (sign != ANY && sign != Utf8.sign(text, at))) {
        return -1;
      }
      at += Utf8.size(text, at);
    }
    return at;
  }

  /** Where the piece begins when the text ends with it; else -1. */
  int startBefore(byte[] text) {
    int at = text.length;
    for (int place = signs.length - 1; place >= 0; place--) {
      do {
        at--;
      } while (at >= 0 && Utf8.continues(text[at]));
      if (at < 0 || (signs[place] != ANY && signs[place] != Utf8.sign(text, at))) {
        return -1;
      }
    }
    return at;
  }

  /** One past the first place of the piece from a place on; else -1. */
  int endAfter(byte[] text, int at) {
    if (signs.length == 0) {
      return at;
    }
    long[] open = new long[words];
    long done = 1L << ((signs.length - 1) & 63);
    while (at < text.length) {
      int sign = Utf8.sign(text, at);
      at += Utf8.size(text, at);
      long[] places = sign < 128 ? ascii[sign] : others.get(sign);
      long carried = 1;
      for (int word = 0; word < words; word++) {
        long next = open[word] >>> 63;
        open[word] = ((open[word] << 1) | carried) & (places == null ? anywhere[word] : places[word]);
        carried = next;
      }
      if ((open[words - 1] & done) != 0) {
        return at;
      }
    }
    return -1;
  }
}
