package weir.consumers;

/**
 * How long an answer to a Kafka client of this JVM may be. A client takes the memory as soon as it has read the length, which is whatever the
 * peer says, and a JVM that is out of memory ends ({@link BoundAnswers} has each receipt ask here).
 */
public final class AnswerSize {
  /** As librdkafka's {@code receive.message.max.bytes}: twice what a fetch asks for at most ({@code fetch.max.bytes}). */
  public static final int MAX_BYTES = 100_000_000;

  private static final int UNLIMITED = -1;

  private AnswerSize() {}

  /** The {@code maxSize} of a receipt that was made with this one. */
  public static int limit(int maxSize) {
    return maxSize == UNLIMITED ? MAX_BYTES : maxSize;
  }
}
