// Kafka Streams tuned for latency: no record cache, no linger, state in memory, streaming parser, each record parsed once, numbers
// as state. Arguments: bootstrap servers, topic of events, topic of the table, output topic, state folder, threads, and what is
// done: count (per key in windows of 10 s, a row for each event) or join (each event with the entry of its key in the table).

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.processor.TimestampExtractor;
import org.apache.kafka.streams.state.Stores;

public final class StreamsLatency {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Serde<String> TEXTS = Serdes.String();
    private static final Serde<byte[]> BYTES = Serdes.ByteArray();
    private static final Serde<Event> EVENTS = Serdes.serdeFrom((topic, event) -> null, (topic, text) -> event(text));
    private static final Serde<Entry> ENTRIES =
        Serdes.serdeFrom((topic, entry) -> written(entry), (topic, bytes) -> bytes == null ? null : entry(bytes));

    private record Event(long g, long sent) {}

    private record Entry(double rate, String name) {}

    /** Event time is the field `sent`, in microseconds; the record was parsed by its deserializer. */
    public static final class Sent implements TimestampExtractor {
        @Override
        public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
            return ((Event) record.value()).sent() / 1000;
        }
    }

    public static void main(String[] arguments) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "bench-streams-" + System.currentTimeMillis());
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, arguments[4]);
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, Integer.parseInt(arguments[5]));
        settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 30_000);
        settings.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 1);
        settings.put(StreamsConfig.POLL_MS_CONFIG, 5);
        settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.FETCH_MIN_BYTES_CONFIG), 1);
        settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG), 20);
        settings.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 0);
        settings.put(StreamsConfig.producerPrefix(ProducerConfig.ACKS_CONFIG), "all");

        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, Event> events = builder.stream(
            arguments[1],
            Consumed.with(TEXTS, EVENTS).withTimestampExtractor(new Sent()).withOffsetResetPolicy(AutoOffsetReset.latest()));
        KStream<String, byte[]> made = "join".equals(arguments[6]) ? joined(events, table(builder, arguments[2])) : counted(events);
        made.to(arguments[3], Produced.with(TEXTS, BYTES));

        KafkaStreams streams = new KafkaStreams(builder.build(), settings);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(5))));
        streams.start();
    }

    private static KStream<String, byte[]> counted(KStream<String, Event> events) {
        return events
            .groupByKey(Grouped.with(TEXTS, EVENTS))
            .windowedBy(TimeWindows.ofSizeAndGrace(Duration.ofSeconds(10), Duration.ofSeconds(10)))
            .aggregate(
                () -> new byte[0],
                (key, event, held) -> add(event.g(), held),
                Materialized.<String, byte[]>as(
                        Stores.inMemoryWindowStore("counts", Duration.ofSeconds(60), Duration.ofSeconds(10), false))
                    .withKeySerde(TEXTS)
                    .withValueSerde(BYTES)
                    .withCachingDisabled())
            .toStream()
            .map((window, held) -> KeyValue.pair(window.key(), count(window.key(), window.window().startTime(), held)));
    }

    private static KTable<String, Entry> table(StreamsBuilder builder, String topic) {
        return builder.table(
            topic,
            Consumed.with(TEXTS, ENTRIES).withOffsetResetPolicy(AutoOffsetReset.earliest()),
            Materialized.<String, Entry>as(Stores.inMemoryKeyValueStore("entries")).withCachingDisabled());
    }

    private static KStream<String, byte[]> joined(KStream<String, Event> events, KTable<String, Entry> table) {
        return events.leftJoin(table, StreamsLatency::row, Joined.with(TEXTS, EVENTS, ENTRIES));
    }

    /** Number, least and greatest of the events of a window: three numbers. */
    private static byte[] add(long number, byte[] held) {
        ByteBuffer made = ByteBuffer.allocate(24);
        if (held.length == 0) {
            return made.putLong(1).putLong(number).putLong(number).array();
        }
        ByteBuffer before = ByteBuffer.wrap(held);
        return made.putLong(before.getLong() + 1)
            .putLong(Math.min(before.getLong(), number))
            .putLong(Math.max(before.getLong(), number))
            .array();
    }

    private static byte[] count(String key, Instant start, byte[] held) {
        ByteBuffer from = ByteBuffer.wrap(held);
        return bytes("{\"n\":" + from.getLong() + ",\"lo\":" + from.getLong() + ",\"hi\":" + from.getLong()
            + ",\"window_start\":\"" + start + "\",\"k\":\"" + key + "\"}");
    }

    private static byte[] row(String key, Event event, Entry entry) {
        String found = entry == null ? "" : ",\"rate\":" + entry.rate() + ",\"name\":\"" + entry.name() + "\"";
        return bytes("{\"k\":\"" + key + "\",\"g\":" + event.g() + ",\"sent\":" + event.sent() + found + "}");
    }

    private static Event event(byte[] text) {
        long[] found = new long[2];
        parse(text, (name, json) -> {
            switch (name) {
                case "g" -> found[0] = json.getLongValue();
                case "sent" -> found[1] = json.getLongValue();
                default -> json.skipChildren();
            }
        });
        return new Event(found[0], found[1]);
    }

    private static Entry entry(byte[] text) {
        double[] rate = new double[1];
        String[] named = new String[1];
        parse(text, (name, json) -> {
            switch (name) {
                case "rate" -> rate[0] = json.getDoubleValue();
                case "name" -> named[0] = json.getText();
                default -> json.skipChildren();
            }
        });
        return new Entry(rate[0], named[0]);
    }

    private static byte[] written(Entry entry) {
        return entry == null ? null : bytes("{\"rate\":" + entry.rate() + ",\"name\":\"" + entry.name() + "\"}");
    }

    private interface Field {
        void read(String name, JsonParser json) throws IOException;
    }

    private static void parse(byte[] text, Field field) {
        try (JsonParser json = JSON.createParser(text)) {
            json.nextToken();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                field.read(name, json);
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private StreamsLatency() {}
}
