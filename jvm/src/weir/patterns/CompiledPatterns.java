package weir.patterns;

import io.trino.re2j.Options;
import io.trino.re2j.Pattern;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Patterns that are in use, compiled once for all tasks of the process: each task of each micro-batch gets its plan anew, and the states
 * that a pattern's searches have made are worth more than the pattern. Patterns may be shared by threads.
 */
final class CompiledPatterns {
  private static final int KEPT = 200;
  /**
   * Of one pattern, some 1.2 KB each. {@code jobs.expressions.regex_states} counts 2,000 at most, by characters; re2j has some more, by bytes. Were
   * there more than these, the one search would go on without a DFA, and the next one begin with a new one.
   */
  private static final int STATES = 10_000;

  private static final Options OPTIONS =
      Options.builder()
          .setAlgorithm(Options.Algorithm.DFA_FALLBACK_TO_NFA)
          .setMaximumNumberOfDFAStates(STATES)
          .setNumberOfDFARetries(Integer.MAX_VALUE)
          .build();

  private static final Map<String, Pattern> USED =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Pattern> eldest) {
          return size() > KEPT;
        }
      };

  static {
    // Slice asks jol for the sizes of its classes; jol would start a second Java process to attach itself to this one.
    System.setProperty("jol.skipDynamicAttach", "true");
    System.setProperty("jol.skipHotspotSAAttach", "true");
  }

  private CompiledPatterns() {}

  static Pattern of(String written) {
    synchronized (USED) {
      return USED.computeIfAbsent(written, one -> Pattern.compile(one, OPTIONS));
    }
  }
}
