package io.trino.re2j;

import io.airlift.slice.Slice;
import java.util.Arrays;

/**
 * Groups of a match whose place is known. {@link Matcher#start(int)} looks for them in a text that is cut off one byte behind the match, where
 * an end of the text or of a word may then be found that is none: of {@code (a)(b$)?} in "abc" it says that the second group holds "b". This
 * class lies in re2j's package because what takes a whole text is open to that package alone.
 *
 * <p>For one thread. The machine is the object's own: the one that a pattern keeps for a thread never goes away while the thread lives.
 */
public final class MatchGroups {
  private final NFAMachine machine;
  private final int[] places;

  public MatchGroups(Pattern pattern) {
    machine = new NFAMachine(pattern.re2());
    places = new int[2 * (pattern.groupCount() + 1)];
  }

  /**
   * Looks again at a match.
   *
   * @param text all of it.
   * @param start where the match begins, in bytes.
   * @return first byte and the byte behind the last of each group, the whole match before them; -1 for a group that holds nothing.
   */
  public int[] of(Slice text, int start) {
    Arrays.fill(places, -1);
    if (!machine.match(MachineInput.fromUTF8(text), start, RE2.Anchor.UNANCHORED, places)) {
      throw new IllegalStateException("No match begins at byte " + start + ".");
    }
    return places;
  }
}
