package weir.consumers;

import org.apache.kafka.clients.consumer.internals.FetchConfig;

/**
 * How long Kafka gathers records for the consumers of this JVM that may be gathered for: those that ask for {@link #GATHERED_BYTES} at once.
 * It changes while they read ({@link FetchesAsk} has each fetch ask here): how many runs share a host does, too.
 */
public final class FetchWait {
  /** The {@code fetch.min.bytes} by which such a consumer is known. */
  public static final int GATHERED_BYTES = 65_536;

  private static final int IDLE_MS = 20;
  private static volatile int gatherMs = 0;

  private FetchWait() {}

  /** From now on records are gathered for so many ms; 0: each comes at once, and an answer without any after {@value #IDLE_MS} ms. */
  public static void gather(int ms) {
    gatherMs = ms;
  }

  /** The {@code fetch.max.wait.ms} of the next fetch. */
  public static int maxWaitMs(FetchConfig config) {
    return config.minBytes == GATHERED_BYTES ? Math.max(gatherMs, IDLE_MS) : config.maxWaitMs;
  }

  /** The {@code fetch.min.bytes} of the next fetch. */
  public static int minBytes(FetchConfig config) {
    return config.minBytes == GATHERED_BYTES && gatherMs == 0 ? 1 : config.minBytes;
  }
}
