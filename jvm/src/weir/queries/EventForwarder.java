package weir.queries;

import org.apache.spark.sql.streaming.StreamingQueryListener;

/**
 * Forwards the events of a session's query to Python.
 *
 * <p>All of them come from one thread of Spark's, the dispatcher of such events. The start of a query does not, and is not forwarded:
 * Spark reports it in the query's own thread, and Py4J would keep a connection, and a thread in Python, for each such thread that ever
 * called, until the process ends.
 */
public final class EventForwarder extends StreamingQueryListener {
  private final QueryEvents events;

  public EventForwarder(QueryEvents events) {
    this.events = events;
  }

  @Override
  public void onQueryStarted(QueryStartedEvent event) {}

  @Override
  public void onQueryProgress(QueryProgressEvent event) {
    events.batchEnded(event.progress().json());
  }

  @Override
  public void onQueryIdle(QueryIdleEvent event) {
    events.idle();
  }

  @Override
  public void onQueryTerminated(QueryTerminatedEvent event) {
    events.ended();
  }
}
