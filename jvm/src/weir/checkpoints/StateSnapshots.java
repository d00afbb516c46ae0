package weir.checkpoints;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.sql.execution.streaming.state.StateStore$;
import org.apache.spark.sql.execution.streaming.state.StateStoreProvider;
import org.apache.spark.sql.execution.streaming.state.StateStoreProviderId;
import scala.collection.mutable.HashMap;
import scala.jdk.javaapi.CollectionConverters;

/** Snapshots of the state of a query: who has none repeats every change since the one before when he loads it. */
public final class StateSnapshots {
  private StateSnapshots() {}

  /**
   * Uploads what the stores of a query in this JVM have taken with its last commits. Spark does that once a minute, and not for queries that
   * have ended.
   *
   * @param run of the query, its {@code runId}
   * @return the number of its stores
   */
  public static int upload(UUID run) throws ReflectiveOperationException {
    List<StateStoreProvider> stores = stores(run);
    stores.parallelStream().forEach(StateStoreProvider::doSnapshotMaintenance);
    return stores.size();
  }

  @SuppressWarnings("unchecked")
  private static List<StateStoreProvider> stores(UUID run) throws ReflectiveOperationException {
    Method loaded = StateStore$.class.getDeclaredMethod("loadedProviders"); // private in Scala
    loaded.setAccessible(true);
    HashMap<StateStoreProviderId, StateStoreProvider> all =
        (HashMap<StateStoreProviderId, StateStoreProvider>) loaded.invoke(StateStore$.MODULE$);
    List<StateStoreProvider> found = new ArrayList<>();
    synchronized (all) { // as Spark does
      for (Map.Entry<StateStoreProviderId, StateStoreProvider> each : CollectionConverters.asJava(all).entrySet()) {
        if (each.getKey().queryRunId().equals(run)) {
          found.add(each.getValue());
        }
      }
    }
    return found;
  }
}
