package weir.checkpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.streaming.checkpointing.CommitLog;
import org.apache.spark.sql.execution.streaming.checkpointing.CommitMetadataBase;
import org.apache.spark.sql.execution.streaming.state.StateRewriter;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import scala.Function1;
import scala.Option;
import scala.Some;
import scala.runtime.AbstractFunction1;

/**
 * Writes the last committed batch of a checkpoint into another folder, with the rows of some aggregations laid out anew. A query that is
 * started there goes on where the old one stopped, and repeats the batch that was not committed.
 *
 * <p>Spark's {@link StateRewriter} writes the state of all operators that it finds in the new folder, and would write that of joins in a form
 * that they do not read. So it finds the aggregations alone; the state of other operators is copied as it is.
 */
public final class StateAdapter {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String VALUE = "value_bytes";

  private final SparkSession session;
  private final CheckpointFiles files;
  private final Path from;
  private final Path to;

  private StateAdapter(SparkSession session, String from, String to) {
    this.session = session;
    this.files = new CheckpointFiles(session);
    this.from = new Path(from);
    this.to = new Path(to);
  }

  /**
   * Write the new checkpoint.
   *
   * @param from a checkpoint on which no query runs
   * @param to a folder that is not there yet
   * @param operators JSON: by id of each aggregation that is laid out anew {@code types} of its values before, {@code sources} of each
   *     new value the place of the old one or, from -1 downwards, that of an initial one, {@code newTypes} and {@code initial} of the
   *     values of functions, {@code keys}, {@code fixed} and {@code window} as in {@link AggregateLayouts}
   * @return JSON: by id the latest {@code start} and {@code end} of a window that has state, in µs
   */
  public static String adapt(SparkSession session, String from, String to, String operators) throws IOException {
    return new StateAdapter(session, from, to).adapted(JSON.readTree(operators));
  }

  private String adapted(JsonNode operators) throws IOException {
    for (String name : new String[] {"metadata", "sources", "offsets"}) {
      files.copy(new Path(from, name), new Path(to, name));
    }
    CommitLog commits = new CommitLog(session, new Path(from, "commits").toString(), false);
    Option<Object> last = commits.getLatestBatchId();
    if (last.isEmpty()) {
      return "{}";
    }
    long batch = (Long) last.get();
    for (String id : ids(operators)) {
      copySchemas(id);
    }
    Map<String, LatestWindow> latest = new HashMap<>();
    Function1<Dataset<Row>, Dataset<Row>> layOut = new LayOut(operators, latest);
    StateRewriter rewriter =
        new StateRewriter(
            session,
            batch,
            batch,
            to.toString(),
            files.configuration(),
            new Some<>(from.toString()),
            new Some<>(layOut),
            Option.empty());
    CommitMetadataBase committed = (CommitMetadataBase) commits.get(batch).get();
    scala.collection.immutable.Map<Object, String[][]> versions = committed.stateUniqueIds().get();
    scala.collection.immutable.Map<Object, String[][]> written = rewriter.run().get();
    for (String id : ids(operators)) {
      versions = versions.updated((Object) Long.valueOf(id), written.apply(Long.valueOf(id)));
      // Spark compares it with the new query's, and writes it anew where it is missing.
      files.delete(new Path(to, "state/" + id + "/0/_metadata").toString());
    }
    for (FileStatus operator : files.list(new Path(from, "state"))) {
      String id = operator.getPath().getName();
      if (!operators.has(id)) {
        files.copy(operator.getPath(), new Path(to, "state/" + id));
        moveSchemaPaths(id);
      }
    }
    CommitMetadataBase rewritten = committed.withStateUniqueIds(new Some<>(versions));
    new CommitLog(session, new Path(to, "commits").toString(), false).add(batch, rewritten);
    Map<String, Map<String, Long>> found = new HashMap<>();
    latest.forEach((id, window) -> found.put(id, window.asMap()));
    return JSON.writeValueAsString(found);
  }

  /** What Spark knows of an aggregation's state. */
  private void copySchemas(String id) throws IOException {
    for (String name : new String[] {"_metadata", "0/_metadata"}) {
      files.copy(new Path(from, "state/" + id + "/" + name), new Path(to, "state/" + id + "/" + name));
    }
  }

  /** Spark names the schema files of operators of its newer kind by their whole paths. */
  private void moveSchemaPaths(String id) throws IOException {
    Path folder = new Path(to, "state/" + id + "/_metadata/v2");
    String before = from.toUri().getPath() + "/state/";
    String after = to.toUri().getPath() + "/state/";
    for (FileStatus file : files.list(folder)) {
      if (!file.getPath().getName().startsWith(".")) {
        String path = file.getPath().toString();
        files.write(path, files.read(path).replace(before, after));
      }
    }
  }

  private static List<String> ids(JsonNode operators) {
    return operators.propertyStream().map(Map.Entry::getKey).toList();
  }

  /** Spark calls it with the state of each operator. */
  private final class LayOut extends AbstractFunction1<Dataset<Row>, Dataset<Row>> {
    private final JsonNode operators;
    private final Map<String, LatestWindow> latest;

    LayOut(JsonNode operators, Map<String, LatestWindow> latest) {
      this.operators = operators;
      this.latest = latest;
    }

    @Override
    public Dataset<Row> apply(Dataset<Row> state) {
      String id = operator(state);
      JsonNode plan = operators.get(id);
      if (plan == null) {
        return state;
      }
      LatestWindow window = new LatestWindow();
      session.sparkContext().register(window, "latest window of operator " + id);
      latest.put(id, window);
      StructField value = state.schema().apply(VALUE);
      UserDefinedFunction laidOut = functions.udf(new RowAdapter(plan.toString(), window), DataTypes.BinaryType);
      return state.withColumn(
          VALUE,
          (value.nullable() ? laidOut : laidOut.asNonNullable()).apply(functions.col("key_bytes"), functions.col(VALUE)));
    }

    private String operator(Dataset<Row> state) {
      LogicalPlan plan = ((org.apache.spark.sql.classic.Dataset<Row>) state).queryExecution().analyzed();
      while (!(plan instanceof DataSourceV2Relation)) {
        plan = plan.children().head();
      }
      return ((DataSourceV2Relation) plan).options().get("operatorId");
    }
  }
}
