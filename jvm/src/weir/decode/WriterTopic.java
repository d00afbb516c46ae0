package weir.decode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Schemas of writers that were unknown when a job started, read from Weir's topic of schemas by the process that decodes. A new version of a subject
 * so reaches a running job without a restart.
 *
 * <p>The first unknown id reads the topic on to its end. For a batch once is enough, however many ids are unknown: a schema is in the topic before
 * any record has its id. What was read is kept as long as the process lives.
 */
public final class WriterTopic implements Serializable {
  private static final Duration TIMEOUT = Duration.ofSeconds(15);
  private static final Duration POLL = Duration.ofMillis(200);
  private static final ObjectMapper READER = new ObjectMapper();
  private static final String WHOLE_KEY = "/whole"; // as jobs.kafka_messages.SCHEMAS_WHOLE_KEY
  private static final Map<String, Known> KNOWN = new ConcurrentHashMap<>();

  private static final long KEPT = 20_000_000; // characters of a workspace's schemas; what is let go is read again when it is asked for

  /**
   * What this process has read: at which offset the schema of each id stands, the texts used last, the next offset, of which topic (one of the same
   * name may take its place), and whether that has said that it has all.
   */
  private static final class Known {
    final Map<Long, Long> places = new HashMap<>();
    final SizedCache<Long, String> texts = new SizedCache<>(KEPT);
    Uuid topic;
    long following;
    boolean isWhole;

    void beginWith(Uuid other) {
      places.clear();
      texts.clear();
      topic = other;
      following = 0;
      isWhole = false;
    }
  }

  private final Map<String, Object> options; // of a consumer, secrets included: never shown
  private final String topic;
  private final String prefix; // of keys; an id follows
  private transient boolean isComplete;

  /**
   * A workspace's schemas.
   *
   * @param options of a consumer that reads the home cluster.
   * @param prefix of the keys of the workspace's schemas.
   */
  public WriterTopic(Map<String, String> options, String topic, String prefix) {
    this.options = new HashMap<>(options);
    this.topic = topic;
    this.prefix = prefix;
  }

  /** Before the records of another batch, all of which are there already. */
  void begin() {
    isComplete = false;
  }

  /** The text of a schema; null where there is none of this id. */
  String textOf(long id) {
    Known known = KNOWN.computeIfAbsent(options.get("bootstrap.servers") + " " + topic + " " + prefix, key -> new Known());
    synchronized (known) {
      if (!known.places.containsKey(id) && !isComplete) {
        read(known, null);
        isComplete = known.isWhole;
        if (!known.isWhole && !known.places.containsKey(id)) {
          throw new SchemasUnreachableError(topic + " is being written anew");
        }
      }
      Long place = known.places.get(id);
      if (place == null || known.texts.get(id) != null) {
        return known.texts.get(id);
      }
      read(known, place);
      String text = known.texts.get(id);
      if (text == null) { // it stands elsewhere by now
        known.places.remove(id);
        throw new SchemasUnreachableError(topic + " is being written anew");
      }
      return text;
    }
  }

  /** Reads what follows what was read, or, once more, what stands at a place. */
  private void read(Known known, Long place) {
    Map<String, Object> all = new HashMap<>(options);
    all.put("enable.auto.commit", "false");
    all.put("auto.offset.reset", "earliest"); // after the topic was recreated
    all.put("fetch.max.wait.ms", "20");
    all.put("default.api.timeout.ms", String.valueOf(TIMEOUT.toMillis()));
    all.put("request.timeout.ms", String.valueOf(TIMEOUT.toMillis())); // an admin client takes no longer one
    TopicPartition partition = new TopicPartition(topic, 0);
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(List.of(partition));
      Uuid id = idOf(all);
      long end = consumer.endOffsets(List.of(partition), TIMEOUT).get(partition);
      if (!id.equals(known.topic) || known.following > end) {
        known.beginWith(id);
      }
      if (place != null) {
        end = Math.min(end, place + 1);
      }
      consumer.seek(partition, place == null ? known.following : place);
      while (consumer.position(partition, TIMEOUT) < end) {
        if (System.nanoTime() > deadline) {
          throw new KafkaException("it wasn't read completely in " + TIMEOUT.toSeconds() + " s");
        }
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          if (place == null || record.offset() == place) {
            take(record, known);
          }
        }
        if (place == null) { // noted as it goes: one that takes longer than it may goes on here
          known.following = consumer.position(partition, TIMEOUT);
        }
      }
    } catch (KafkaException | ExecutionException | TimeoutException error) {
      throw new SchemasUnreachableError(topic + " on " + options.get("bootstrap.servers") + " couldn't be read: " + error.getMessage());
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new SchemasUnreachableError(topic + " wasn't read: the task was stopped");
    }
  }

  private Uuid idOf(Map<String, Object> all) throws ExecutionException, InterruptedException, TimeoutException {
    try (Admin admin = Admin.create(all)) {
      return admin.describeTopics(List.of(topic)).allTopicNames().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS).get(topic).topicId();
    }
  }

  private void take(ConsumerRecord<byte[], byte[]> record, Known known) {
    String key = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
    if (key.equals(WHOLE_KEY)) {
      known.isWhole = record.value() != null;
    }
    String number = key.startsWith(prefix) ? key.substring(prefix.length()) : "";
    if (number.isEmpty() || number.length() > 10 || !number.chars().allMatch(sign -> sign >= '0' && sign <= '9')) {
      return;
    }
    if (record.value() == null) {
      known.places.remove(Long.parseLong(number));
      known.texts.remove(Long.parseLong(number));
      return;
    }
    try {
      JsonNode text = READER.readTree(record.value()).get("text");
      if (text != null && text.isTextual()) {
        known.places.put(Long.parseLong(number), record.offset());
        known.texts.put(Long.parseLong(number), text.textValue(), text.textValue().length());
      }
    } catch (IOException error) {
      return; // no schema: whoever wrote it says so
    }
  }

  @Override
  public String toString() {
    return topic;
  }

  /** The topic of schemas cannot be read, or was made anew and lacks some: nobody knows what the record is, so its batch is tried again, and nothing is skipped. */
  static final class SchemasUnreachableError extends RuntimeException {
    SchemasUnreachableError(String message) {
      super(message);
    }
  }
}
