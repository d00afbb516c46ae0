// State beside streams with Kafka Streams, tuned for throughput: streaming parser, compact values, record cache, large batches.
// Arguments: bootstrap servers, topic of events, topic of the table, output topic, state folder, threads, application id, and
// what is done: current (KTable join), as_of (join with a versioned store), sliding (sliding windows, when they close), filter,
// tumbling and hopping (windows with a row for each change that leaves the record cache), session (when they close).

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.state.Stores;

public final class StreamsState {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Duration DELAY = Duration.ofSeconds(10);

    private record Event(String k, long id, int x) {}

    private record Rate(double rate, String name) {}

    public static void main(String[] arguments) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, arguments[6]);
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, arguments[4]);
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, Integer.parseInt(arguments[5]));
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 1_000);
        settings.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 1);
        settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
        settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG), 5_000);
        settings.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 20);
        settings.put(StreamsConfig.producerPrefix(ProducerConfig.BATCH_SIZE_CONFIG), 262_144);

        StreamsBuilder builder = new StreamsBuilder();
        Serde<byte[]> bytes = Serdes.ByteArray();
        KStream<byte[], byte[]> events = builder.stream(arguments[1], Consumed.with(bytes, bytes));
        KStream<byte[], byte[]> made =
            switch (arguments[7]) {
                case "current" -> events.leftJoin(
                    builder.table(arguments[2], Consumed.with(bytes, bytes)).mapValues(
                        StreamsState::compact, Materialized.<byte[], byte[]>as(Stores.persistentKeyValueStore("t")).withKeySerde(bytes).withValueSerde(bytes)),
                    StreamsState::joined,
                    Joined.with(bytes, bytes, bytes));
                case "as_of" -> events.leftJoin(versioned(builder, arguments[2], bytes), StreamsState::joined,
                    Joined.with(bytes, bytes, bytes).withGracePeriod(DELAY));
                case "sliding" -> sliding(events, bytes);
                case "filter" -> events.mapValues(StreamsState::event).filter((key, event) -> event.x() > 0).mapValues(StreamsState::written);
                case "tumbling" -> windows(events, bytes, TimeWindows.ofSizeAndGrace(Duration.ofSeconds(10), DELAY));
                case "hopping" -> windows(events, bytes, TimeWindows.ofSizeAndGrace(Duration.ofSeconds(10), DELAY).advanceBy(Duration.ofSeconds(5)));
                case "session" -> sessions(events, bytes);
                default -> throw new IllegalArgumentException(arguments[7]);
            };
        made.to(arguments[3], Produced.with(bytes, bytes));
        KafkaStreams streams = new KafkaStreams(builder.build(), settings);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(5))));
        streams.start();
    }

    private static KTable<byte[], byte[]> versioned(StreamsBuilder builder, String topic, Serde<byte[]> bytes) {
        return builder.table(topic, Consumed.with(bytes, bytes), Materialized.<byte[], byte[]>as(
            Stores.persistentVersionedKeyValueStore("t", Duration.ofHours(1))).withKeySerde(bytes).withValueSerde(bytes));
    }

    private static KStream<byte[], byte[]> sliding(KStream<byte[], byte[]> events, Serde<byte[]> bytes) {
        return events
            .groupByKey(Grouped.with(bytes, bytes))
            .windowedBy(SlidingWindows.ofTimeDifferenceAndGrace(Duration.ofSeconds(2), DELAY))
            .emitStrategy(EmitStrategy.onWindowClose())
            .aggregate(() -> new byte[16], (key, event, held) -> add(event, held), Materialized.with(bytes, bytes))
            .toStream((window, held) -> window.key())
            .mapValues(StreamsState::shown);
    }

    private static KStream<byte[], byte[]> windows(KStream<byte[], byte[]> events, Serde<byte[]> bytes, TimeWindows windows) {
        return events
            .groupByKey(Grouped.with(bytes, bytes))
            .windowedBy(windows)
            .aggregate(() -> new byte[16], (key, event, held) -> add(event, held), Materialized.with(bytes, bytes))
            .toStream((window, held) -> window.key())
            .mapValues(StreamsState::shown);
    }

    private static KStream<byte[], byte[]> sessions(KStream<byte[], byte[]> events, Serde<byte[]> bytes) {
        return events
            .groupByKey(Grouped.with(bytes, bytes))
            .windowedBy(SessionWindows.ofInactivityGapAndGrace(Duration.ofSeconds(2), DELAY))
            .emitStrategy(EmitStrategy.onWindowClose())
            .aggregate(() -> new byte[16], (key, event, held) -> add(event, held), (key, one, other) -> merged(one, other),
                Materialized.with(bytes, bytes))
            .toStream((window, held) -> window.key())
            .mapValues(StreamsState::shown);
    }

    private static byte[] merged(byte[] one, byte[] other) {
        ByteBuffer left = ByteBuffer.wrap(one);
        ByteBuffer right = ByteBuffer.wrap(other);
        return ByteBuffer.allocate(16).putLong(left.getLong() + right.getLong()).putLong(left.getLong() + right.getLong()).array();
    }

    private static byte[] written(Event event) {
        return written(json -> {
            json.writeStringField("k", event.k());
            json.writeNumberField("id", event.id());
            json.writeNumberField("x", event.x());
        });
    }

    private static byte[] add(byte[] event, byte[] held) {
        ByteBuffer from = ByteBuffer.wrap(held);
        return ByteBuffer.allocate(16).putLong(from.getLong() + 1).putLong(from.getLong() + event(event).x()).array();
    }

    private static byte[] shown(byte[] key, byte[] held) {
        ByteBuffer from = ByteBuffer.wrap(held);
        return written(json -> {
            json.writeStringField("k", new String(key, StandardCharsets.UTF_8));
            json.writeNumberField("n", from.getLong());
            json.writeNumberField("total", from.getLong());
        });
    }

    /** A rate as it is kept: its number, then its name. */
    private static byte[] compact(byte[] text) {
        Rate rate = rate(text);
        byte[] name = rate.name().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(8 + name.length).putDouble(rate.rate()).put(name).array();
    }

    private static byte[] joined(byte[] text, byte[] entry) {
        Event event = event(text);
        Rate rate = entry == null ? null : entry.length > 0 && entry[0] == '{' ? rate(entry) : kept(entry);
        return written(json -> {
            json.writeStringField("k", event.k());
            json.writeNumberField("id", event.id());
            json.writeNumberField("x", event.x());
            if (rate != null) {
                json.writeNumberField("rate", rate.rate());
                json.writeStringField("name", rate.name());
            }
        });
    }

    private static Rate kept(byte[] entry) {
        return new Rate(ByteBuffer.wrap(entry).getDouble(), new String(entry, 8, entry.length - 8, StandardCharsets.UTF_8));
    }

    private static Event event(byte[] text) {
        try (JsonParser json = JSON.createParser(text)) {
            String k = null;
            long id = 0;
            int x = 0;
            json.nextToken();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "k" -> k = json.getText();
                    case "id" -> id = json.getLongValue();
                    case "x" -> x = json.getIntValue();
                    default -> json.skipChildren();
                }
            }
            return new Event(k, id, x);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private static Rate rate(byte[] text) {
        try (JsonParser json = JSON.createParser(text)) {
            double rate = 0;
            String held = "";
            json.nextToken();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "rate" -> rate = json.getDoubleValue();
                    case "name" -> held = json.getText();
                    default -> json.skipChildren();
                }
            }
            return new Rate(rate, held);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private interface Fields {
        void write(JsonGenerator json) throws IOException;
    }

    private static byte[] written(Fields fields) {
        ByteArrayOutputStream text = new ByteArrayOutputStream(96);
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            fields.write(json);
            json.writeEndObject();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return text.toByteArray();
    }

    private StreamsState() {}
}
