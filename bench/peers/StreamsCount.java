// A windowed count with Kafka Streams, tuned for latency: no record cache, no linger, state in memory.
// Arguments: bootstrap servers, input topic, output topic, state folder, threads.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.processor.TimestampExtractor;
import org.apache.kafka.streams.state.Stores;

public final class StreamsCount {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Event time is the field `sent`, in microseconds. */
    public static final class Sent implements TimestampExtractor {
        @Override
        public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
            return read((byte[]) record.value()).get("sent").asLong() / 1000;
        }
    }

    public static void main(String[] arguments) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "bench-streams-" + System.currentTimeMillis());
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, arguments[3]);
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, Integer.parseInt(arguments[4]));
        settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 30_000);
        settings.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 1);
        settings.put(StreamsConfig.POLL_MS_CONFIG, 5);
        settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "latest");
        settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.FETCH_MIN_BYTES_CONFIG), 1);
        settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG), 20);
        settings.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 0);
        settings.put(StreamsConfig.producerPrefix(ProducerConfig.ACKS_CONFIG), "all");

        StreamsBuilder builder = new StreamsBuilder();
        TimeWindows windows = TimeWindows.ofSizeAndGrace(Duration.ofSeconds(10), Duration.ofSeconds(10));
        builder.stream(arguments[1], Consumed.with(Serdes.String(), Serdes.ByteArray()).withTimestampExtractor(new Sent()))
            .groupByKey(Grouped.with(Serdes.String(), Serdes.ByteArray()))
            .windowedBy(windows)
            .aggregate(
                () -> new byte[0],
                (key, event, count) -> add(event, count),
                Materialized.<String, byte[]>as(
                        Stores.inMemoryWindowStore("counts", Duration.ofSeconds(60), Duration.ofSeconds(10), false))
                    .withKeySerde(Serdes.String())
                    .withValueSerde(Serdes.ByteArray())
                    .withCachingDisabled())
            .toStream()
            .map((window, count) -> KeyValue.pair(window.key(), result(window.key(), window.window().startTime(), count)))
            .to(arguments[2], Produced.with(Serdes.String(), Serdes.ByteArray()));

        KafkaStreams streams = new KafkaStreams(builder.build(), settings);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(5))));
        streams.start();
    }

    private static byte[] add(byte[] event, byte[] count) {
        long number = read(event).get("g").asLong();
        ObjectNode held = count.length == 0 ? JSON.createObjectNode() : (ObjectNode) read(count);
        held.put("n", held.path("n").asLong(0) + 1);
        held.put("lo", Math.min(held.path("lo").asLong(number), number));
        held.put("hi", Math.max(held.path("hi").asLong(number), number));
        return bytes(held);
    }

    private static byte[] result(String key, Instant start, byte[] count) {
        ObjectNode row = (ObjectNode) read(count);
        row.put("window_start", start.toString());
        row.put("k", key);
        return bytes(row);
    }

    private static JsonNode read(byte[] text) {
        try {
            return JSON.readTree(text);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private static byte[] bytes(JsonNode node) {
        try {
            return JSON.writeValueAsBytes(node);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private StreamsCount() {}
}
