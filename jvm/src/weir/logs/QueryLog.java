package weir.logs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.config.Property;

/**
 * Keeps what is logged, of level WARN and above, by threads that surely work for one streaming query, until the engine takes it.
 *
 * <p>A thread surely does when it is the query's own, which Spark names after it, or while it runs a task of the query: tasks bring
 * the local property {@link #PROPERTY} of the thread that started the query, and Spark puts that into the logging context of their
 * thread as long as they run. The local properties of a thread itself prove nothing: threads of pools inherit those of whoever
 * happened to make them. What other threads log is kept for no query.
 */
public final class QueryLog extends AbstractAppender {
  /** Local property and key of the logging context: the query's name. */
  public static final String PROPERTY = "mdc.weir.query";

  private static final Pattern OWN_THREAD = Pattern.compile("stream execution thread for (\\S+) \\[id = .*");
  private static final int MAX_EVENTS = 2_000;
  private static final int MAX_EVENTS_OF_QUERY = 300;
  private static final int MAX_MESSAGE = 8_000; // characters
  private static final int MAX_TRACE = 16_000;
  private static final QueryLog SHARED = new QueryLog();

  private record Kept(String query, long at, String level, String logger, String message, String trace) {}

  private final ArrayDeque<Kept> events = new ArrayDeque<>();
  private final Map<String, Integer> waiting = new HashMap<>();
  private final Map<String, Integer> dropped = new HashMap<>();

  private QueryLog() {
    super("weir-query-log", null, null, true, Property.EMPTY_ARRAY);
  }

  /**
   * Begins to keep what is logged.
   *
   * @param quiet names of loggers that write nothing to the engine's own log; of these, errors are kept
   */
  public static void install(List<String> quiet) {
    LoggerContext context = (LoggerContext) LogManager.getContext(QueryLog.class.getClassLoader(), false);
    Configuration configuration = context.getConfiguration();
    SHARED.start();
    configuration.addAppender(SHARED);
    configuration.getRootLogger().addAppender(SHARED, Level.WARN, null);
    for (String name : quiet) {
      LoggerConfig logger = new LoggerConfig(name, Level.ERROR, false);
      logger.addAppender(SHARED, Level.ERROR, null);
      configuration.removeLogger(name);
      configuration.addLogger(name, logger);
    }
    context.updateLoggers();
  }

  /**
   * Waits for events and takes them.
   *
   * @param waitMs how long to wait for the first
   * @return a JSON array of {query, at (ms), level, logger, message, trace} and of {query, dropped}; may be empty
   */
  public static String take(long waitMs) throws InterruptedException {
    return SHARED.drain(waitMs);
  }

  @Override
  public void append(LogEvent event) {
    String query = queryOf(event);
    if (query == null || !admit(query)) {
      return;
    }
    Kept kept =
        new Kept(
            query,
            event.getTimeMillis(),
            event.getLevel().name(),
            event.getLoggerName(),
            cut(event.getMessage().getFormattedMessage(), MAX_MESSAGE),
            event.getThrown() == null ? "" : trace(event.getThrown()));
    synchronized (events) {
      events.add(kept);
      events.notifyAll();
    }
  }

  private static String queryOf(LogEvent event) {
    String query = event.getContextData().getValue(PROPERTY);
    if (query != null) {
      return query;
    }
    Matcher found = OWN_THREAD.matcher(event.getThreadName());
    return found.matches() ? found.group(1) : null;
  }

  /** Counts the event, before it is made a text: a query that logs without end must not cost more than a few. */
  private boolean admit(String query) {
    synchronized (events) {
      int mine = waiting.getOrDefault(query, 0);
      if (mine >= MAX_EVENTS_OF_QUERY || events.size() >= MAX_EVENTS) {
        dropped.merge(query, 1, Integer::sum);
        return false;
      }
      waiting.put(query, mine + 1);
      return true;
    }
  }

  private String drain(long waitMs) throws InterruptedException {
    List<Kept> taken;
    Map<String, Integer> lost;
    synchronized (events) {
      if (events.isEmpty()) {
        events.wait(waitMs);
      }
      taken = List.copyOf(events);
      lost = Map.copyOf(dropped);
      events.clear();
      waiting.clear();
      dropped.clear();
    }
    return json(taken, lost);
  }

  private static String json(List<Kept> taken, Map<String, Integer> lost) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.writeStartArray();
      for (Kept each : taken) {
        json.writeStartObject();
        json.writeStringField("query", each.query());
        json.writeNumberField("at", each.at());
        json.writeStringField("level", each.level());
        json.writeStringField("logger", each.logger());
        json.writeStringField("message", each.message());
        json.writeStringField("trace", each.trace());
        json.writeEndObject();
      }
      for (Map.Entry<String, Integer> each : lost.entrySet()) {
        json.writeStartObject();
        json.writeStringField("query", each.getKey());
        json.writeNumberField("dropped", each.getValue());
        json.writeEndObject();
      }
      json.writeEndArray();
    } catch (IOException error) {
      throw new UncheckedIOException(error); // a StringWriter has none
    }
    return text.toString();
  }

  private static String trace(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text, true));
    return cut(text.toString(), MAX_TRACE);
  }

  private static String cut(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most);
  }
}
