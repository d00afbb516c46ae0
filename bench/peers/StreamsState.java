// One operator with Kafka Streams, tuned for throughput: streaming parser, each record parsed once, compact values, record cache,
// large batches. Arguments: bootstrap servers, topic of events, topic of the table or of the other stream, output topic, state
// folder, threads, application id, and what is done: current (KTable join), as_of (join with a versioned store), join (two streams
// within a second), sliding (sliding windows, when they close), filter, aggregate, latest (the newest of each key), deduplicate
// (ids within 10 s), tumbling and hopping (windows with a row for each change that leaves the record cache), session (when they close).

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
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.Joined;
import org.apache.kafka.streams.kstream.KGroupedStream;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.StreamJoined;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.VersionedBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.WindowStoreIterator;

public final class StreamsState {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Duration DELAY = Duration.ofSeconds(10);
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final Serde<byte[]> BYTES = Serdes.ByteArray();
    private static final Serde<Event> EVENTS_READ = Serdes.serdeFrom((topic, event) -> null, (topic, text) -> event(text));
    private static final Serde<Event> EVENTS = Serdes.serdeFrom((topic, event) -> compact(event), (topic, held) -> keptEvent(held));
    private static final Serde<Rate> RATES_READ = Serdes.serdeFrom((topic, rate) -> null, (topic, text) -> rate(text));
    private static final Serde<Rate> RATES = Serdes.serdeFrom((topic, rate) -> compact(rate), (topic, held) -> keptRate(held));

    private record Event(String k, long id, int x) {}

    private record Rate(double rate, String name) {}

    public static void main(String[] arguments) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, arguments[6]);
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, arguments[4]);
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, Integer.parseInt(arguments[5]));
        settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 128L << 20);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 1_000);
        settings.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 1);
        settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
        settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG), 5_000);
        settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG), 8 << 20);
        settings.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 50);
        settings.put(StreamsConfig.producerPrefix(ProducerConfig.BATCH_SIZE_CONFIG), 262_144);
        settings.put(StreamsConfig.producerPrefix(ProducerConfig.COMPRESSION_TYPE_CONFIG), "lz4");

        StreamsBuilder builder = new StreamsBuilder();
        KStream<byte[], Event> events = builder.stream(arguments[1], Consumed.with(BYTES, EVENTS_READ));
        KGroupedStream<byte[], Event> grouped = events.groupByKey(Grouped.with(BYTES, EVENTS));
        KStream<byte[], byte[]> made =
            switch (arguments[7]) {
                case "current" -> events.leftJoin(
                    current(builder, arguments[2]), StreamsState::joined, Joined.with(BYTES, EVENTS, RATES));
                case "as_of" -> events.leftJoin(
                    versioned(builder, arguments[2]), StreamsState::joined, Joined.with(BYTES, EVENTS, RATES).withGracePeriod(DELAY));
                case "join" -> events.join(
                    builder.stream(arguments[2], Consumed.with(BYTES, EVENTS_READ)),
                    StreamsState::pair,
                    JoinWindows.ofTimeDifferenceAndGrace(Duration.ofSeconds(1), DELAY).before(Duration.ZERO),
                    StreamJoined.with(BYTES, EVENTS, EVENTS));
                case "filter" -> events.filter((key, event) -> event.x() > 0).mapValues(StreamsState::written);
                case "aggregate" -> grouped
                    .aggregate(StreamsState::nothing, StreamsState::add, Materialized.with(BYTES, BYTES))
                    .toStream()
                    .mapValues(StreamsState::shown);
                case "latest" -> grouped
                    .reduce((one, other) -> other.id() >= one.id() ? other : one, Materialized.with(BYTES, EVENTS))
                    .toStream()
                    .mapValues(StreamsState::written);
                case "deduplicate" -> deduplicated(builder, events);
                case "tumbling" -> windows(grouped, TimeWindows.ofSizeAndGrace(DELAY, DELAY));
                case "hopping" -> windows(grouped, TimeWindows.ofSizeAndGrace(DELAY, DELAY).advanceBy(Duration.ofSeconds(5)));
                case "sliding" -> closed(grouped
                    .windowedBy(SlidingWindows.ofTimeDifferenceAndGrace(SHORT, DELAY))
                    .emitStrategy(EmitStrategy.onWindowClose())
                    .aggregate(StreamsState::nothing, StreamsState::add, untilEmitted()));
                case "session" -> closed(grouped
                    .windowedBy(SessionWindows.ofInactivityGapAndGrace(SHORT, DELAY))
                    .emitStrategy(EmitStrategy.onWindowClose())
                    .aggregate(StreamsState::nothing, StreamsState::add, StreamsState::merged, untilEmitted()));
                default -> throw new IllegalArgumentException(arguments[7]);
            };
        made.to(arguments[3], Produced.with(BYTES, BYTES));
        KafkaStreams streams = new KafkaStreams(builder.build(), settings);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(5))));
        streams.start();
    }

    private static KTable<byte[], Rate> current(StreamsBuilder builder, String topic) {
        KeyValueBytesStoreSupplier store = Stores.persistentKeyValueStore("t");
        return builder.table(
            topic, Consumed.with(BYTES, RATES_READ), Materialized.<byte[], Rate>as(store).withKeySerde(BYTES).withValueSerde(RATES));
    }

    private static KTable<byte[], Rate> versioned(StreamsBuilder builder, String topic) {
        VersionedBytesStoreSupplier store = Stores.persistentVersionedKeyValueStore("t", Duration.ofHours(1));
        return builder.table(
            topic, Consumed.with(BYTES, RATES_READ), Materialized.<byte[], Rate>as(store).withKeySerde(BYTES).withValueSerde(RATES));
    }

    private static KStream<byte[], byte[]> windows(KGroupedStream<byte[], Event> grouped, TimeWindows windows) {
        return closed(grouped
            .windowedBy(windows)
            .aggregate(StreamsState::nothing, StreamsState::add, Materialized.with(BYTES, BYTES)));
    }

    private static KStream<byte[], byte[]> closed(KTable<Windowed<byte[]>, byte[]> windows) {
        return windows.toStream((window, held) -> window.key()).mapValues(StreamsState::shown);
    }

    /**
     * Closed windows are emitted once a second, and are gone before that while a second reads more event time than the store
     * keeps: by default window and grace alone, of which such a drain emitted one window in thirty.
     */
    private static <S extends StateStore> Materialized<byte[], byte[], S> untilEmitted() {
        return Materialized.<byte[], byte[], S>with(BYTES, BYTES).withRetention(Duration.ofMinutes(10));
    }

    private static KStream<byte[], byte[]> deduplicated(StreamsBuilder builder, KStream<byte[], Event> events) {
        WindowBytesStoreSupplier store = Stores.persistentWindowStore("seen", DELAY.multipliedBy(2), DELAY, false);
        builder.addStateStore(Stores.windowStoreBuilder(store, Serdes.Long(), Serdes.ByteArray()).withCachingEnabled());
        return events.processValues(First::new, "seen").mapValues(StreamsState::written);
    }

    /** Passes the first event of an id, and drops its others for ten seconds of event time. */
    private static final class First extends ContextualFixedKeyProcessor<byte[], Event, Event> {
        private static final byte[] SEEN = {};
        private WindowStore<Long, byte[]> seen;

        @Override
        public void init(FixedKeyProcessorContext<byte[], Event> context) {
            super.init(context);
            seen = context.getStateStore("seen");
        }

        @Override
        public void process(FixedKeyRecord<byte[], Event> record) {
            long id = record.value().id();
            long time = record.timestamp();
            try (WindowStoreIterator<byte[]> before = seen.fetch(id, time - DELAY.toMillis(), time + DELAY.toMillis())) {
                if (before.hasNext()) {
                    return;
                }
            }
            seen.put(id, SEEN, time);
            context().forward(record);
        }
    }

    private static byte[] nothing() {
        return new byte[16];
    }

    private static byte[] add(byte[] key, Event event, byte[] held) {
        ByteBuffer from = ByteBuffer.wrap(held);
        return ByteBuffer.allocate(16).putLong(from.getLong() + 1).putLong(from.getLong() + event.x()).array();
    }

    private static byte[] merged(byte[] key, byte[] one, byte[] other) {
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

    private static byte[] shown(byte[] key, byte[] held) {
        ByteBuffer from = ByteBuffer.wrap(held);
        return written(json -> {
            json.writeStringField("k", new String(key, StandardCharsets.UTF_8));
            json.writeNumberField("n", from.getLong());
            json.writeNumberField("total", from.getLong());
        });
    }

    private static byte[] joined(Event event, Rate rate) {
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

    private static byte[] pair(Event event, Event other) {
        return written(json -> {
            json.writeStringField("k", event.k());
            json.writeNumberField("id", event.id());
            json.writeNumberField("x", event.x());
            json.writeNumberField("r_id", other.id());
            json.writeNumberField("r_x", other.x());
        });
    }

    /** A rate as it is kept: its number, then its name. */
    private static byte[] compact(Rate rate) {
        if (rate == null) {
            return null;
        }
        byte[] name = rate.name().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(8 + name.length).putDouble(rate.rate()).put(name).array();
    }

    private static Rate keptRate(byte[] held) {
        return held == null ? null : new Rate(ByteBuffer.wrap(held).getDouble(), new String(held, 8, held.length - 8, StandardCharsets.UTF_8));
    }

    /** An event as it is kept: its numbers, then its key. */
    private static byte[] compact(Event event) {
        if (event == null) {
            return null;
        }
        byte[] k = event.k().getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(12 + k.length).putLong(event.id()).putInt(event.x()).put(k).array();
    }

    private static Event keptEvent(byte[] held) {
        if (held == null) {
            return null;
        }
        ByteBuffer from = ByteBuffer.wrap(held);
        return new Event(new String(held, 12, held.length - 12, StandardCharsets.UTF_8), from.getLong(), from.getInt());
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
        if (text == null) {
            return null;
        }
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
