package weir.checkpoints;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec;
import org.apache.spark.sql.execution.streaming.checkpointing.OffsetSeqMetadata;
import org.apache.spark.sql.execution.streaming.operators.stateful.SessionWindowStateStoreSaveExec;
import org.apache.spark.sql.execution.streaming.operators.stateful.StateStoreSaveExec;
import org.apache.spark.sql.execution.streaming.operators.stateful.StateStoreWriter;
import org.apache.spark.sql.execution.streaming.runtime.IncrementalExecution;
import org.apache.spark.sql.execution.streaming.runtime.WatermarkPropagator;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Where the state of a query's aggregations keeps each of their columns.
 *
 * <p>Spark decides it when it plans the query: it leaves out what nothing reads, computes equal functions once, and orders them by the
 * expressions that are left. So the query is planned as Spark does at its start, and each column of an aggregation is followed to the
 * functions that are left of it by their ids, which no rule of the optimizer changes.
 */
public final class AggregateLayouts {
  private static final ObjectMapper JSON = new ObjectMapper();

  private AggregateLayouts() {}

  /**
   * The stateful operators of a streaming query.
   *
   * @param frame its rows, before they are written
   * @param mode "append" or "update"
   * @return a JSON array in the order of Spark's progress: of each operator its name and id; of an aggregation also {@code types} of the
   *     values in a row of its state, {@code fixed} how many of them come before those of functions, {@code initial} the values of
   *     functions without input (base64), {@code keys} the number of values in its key, {@code window} which value of the key, or of the
   *     fixed ones where there are any, is the window (-1: none), and {@code columns} by name of a column the places of its functions'
   *     values
   */
  public static String describe(Dataset<Row> frame, String mode) {
    org.apache.spark.sql.classic.Dataset<Row> rows = (org.apache.spark.sql.classic.Dataset<Row>) frame;
    IncrementalExecution planned = planned(rows, "append".equals(mode) ? OutputMode.Append() : OutputMode.Update());
    ArrayNode found = JSON.createArrayNode();
    for (StateStoreWriter operator : operators(planned.executedPlan())) {
      ObjectNode node = found.addObject();
      node.put("operator", operator.shortName());
      node.put("id", operator.getStateInfo().operatorId());
      if (operator instanceof StateStoreSaveExec save) {
        describe(node, planned, save.child(), names(save.keyExpressions()), 0);
      } else if (operator instanceof SessionWindowStateStoreSaveExec save) {
        List<String> keys = names(save.keyWithoutSessionExpressions());
        describe(node, planned, save.child(), keys, keys.size() + 1);
      }
    }
    return found.toString();
  }

  private static IncrementalExecution planned(org.apache.spark.sql.classic.Dataset<Row> rows, OutputMode mode) {
    SparkSession session = rows.sparkSession();
    return new IncrementalExecution(
        session,
        rows.queryExecution().analyzed(),
        mode,
        "<unknown>",
        UUID.randomUUID(),
        UUID.randomUUID(),
        0,
        Option.empty(),
        new OffsetSeqMetadata(0, 0, OffsetSeqMetadata.apply$default$3()),
        WatermarkPropagator.noop(),
        false,
        IncrementalExecution.$lessinit$greater$default$12(),
        IncrementalExecution.$lessinit$greater$default$13(),
        IncrementalExecution.$lessinit$greater$default$14(),
        IncrementalExecution.$lessinit$greater$default$15(),
        IncrementalExecution.$lessinit$greater$default$16());
  }

  private static void describe(
      ObjectNode node, IncrementalExecution planned, SparkPlan child, List<String> keys, int fixed) {
    BaseAggregateExec aggregation = aggregation(child);
    List<AggregateExpression> functions = list(aggregation.aggregateExpressions());
    List<Integer> first = new ArrayList<>();
    List<DataType> types = new ArrayList<>();
    for (AggregateExpression function : functions) {
      first.add(fixed + types.size());
      for (Attribute buffer : list(function.aggregateFunction().aggBufferAttributes())) {
        types.add(buffer.dataType());
      }
    }
    List<Attribute> output = list(child.output());
    List<DataType> stored = new ArrayList<>();
    int skipped = output.size() - types.size();
    for (Attribute value : output.subList(skipped - fixed, output.size())) {
      stored.add(value.dataType());
    }
    if (!stored.subList(fixed, stored.size()).equals(types)) {
      throw new IllegalStateException("The state of an aggregation has other values than its functions.");
    }
    ArrayNode written = node.putArray("types");
    stored.forEach(type -> written.add(type.json()));
    node.put("fixed", fixed);
    node.put("initial", Base64.getEncoder().encodeToString(initial(functions, types)));
    node.put("keys", keys.size() + (fixed > 0 ? 1 : 0));
    List<String> before = fixed > 0 ? output.subList(skipped - fixed, skipped).stream().map(Attribute::name).toList() : keys;
    node.put("window", before.indexOf("_window"));
    ObjectNode columns = node.putObject("columns");
    columns(planned, functions).forEach((name, indexes) -> {
      ArrayNode places = columns.putArray(name);
      for (int index : indexes) {
        int width = list(functions.get(index).aggregateFunction().aggBufferAttributes()).size();
        for (int at = 0; at < width; at++) {
          places.add(first.get(index) + at);
        }
      }
    });
  }

  /** By column of the aggregation as it was written, the indexes of the functions that are left of it. */
  private static Map<String, List<Integer>> columns(IncrementalExecution planned, List<AggregateExpression> functions) {
    Map<ExprId, Integer> byId = new HashMap<>();
    for (int at = 0; at < functions.size(); at++) {
      byId.put(functions.get(at).resultId(), at);
    }
    // Of equal functions Spark computes one, and forgets the others sooner or later: they are found by what they compute.
    Map<ExprId, Integer> computed = new HashMap<>(byId);
    List<List<AggregateExpression>> plans = aggregates(planned.optimizedPlan());
    plans.addAll(aggregates(planned.analyzed()));
    for (List<AggregateExpression> together : plans) {
      Map<Expression, Integer> equal = new HashMap<>();
      for (AggregateExpression one : together) {
        if (computed.containsKey(one.resultId())) {
          equal.putIfAbsent(one.canonicalized(), computed.get(one.resultId()));
        }
      }
      for (AggregateExpression one : together) {
        Integer index = equal.get(one.canonicalized());
        if (index != null) {
          computed.putIfAbsent(one.resultId(), index);
        }
      }
    }
    Map<String, List<Integer>> found = new LinkedHashMap<>();
    for (LogicalPlan plan : nodes(planned.analyzed())) {
      if (plan instanceof Aggregate aggregate) {
        for (Expression column : expressions(aggregate)) {
          List<Integer> indexes = new ArrayList<>();
          boolean known = true;
          for (AggregateExpression one : within(column)) {
            Integer index = computed.get(one.resultId());
            known &= index != null;
            indexes.add(index);
          }
          if (known && !indexes.isEmpty() && column instanceof Alias alias) {
            found.put(alias.name(), indexes);
          }
        }
      }
    }
    return found;
  }

  /** The functions of each aggregation of a plan. */
  private static List<List<AggregateExpression>> aggregates(LogicalPlan plan) {
    List<List<AggregateExpression>> found = new ArrayList<>();
    for (LogicalPlan node : nodes(plan)) {
      if (node instanceof Aggregate aggregate) {
        List<AggregateExpression> together = new ArrayList<>();
        expressions(aggregate).forEach(column -> together.addAll(within(column)));
        found.add(together);
      }
    }
    return found;
  }

  private static List<Expression> expressions(Aggregate aggregate) {
    return new ArrayList<>(list(aggregate.aggregateExpressions()).stream().map(one -> (Expression) one).toList());
  }

  private static List<AggregateExpression> within(Expression expression) {
    List<AggregateExpression> found = new ArrayList<>();
    if (expression instanceof AggregateExpression one) {
      found.add(one);
      return found;
    }
    for (Expression child : list(expression.children())) {
      found.addAll(within(child));
    }
    return found;
  }

  /** The values of functions that have seen no row, as a row of the state without its fixed values. */
  private static byte[] initial(List<AggregateExpression> functions, List<DataType> types) {
    GenericInternalRow values = new GenericInternalRow(types.size());
    int at = 0;
    for (AggregateExpression one : functions) {
      AggregateFunction function = one.aggregateFunction();
      int width = list(function.aggBufferAttributes()).size();
      GenericInternalRow own = new GenericInternalRow(width);
      if (function instanceof DeclarativeAggregate declarative) {
        List<Expression> expressions = list(declarative.initialValues());
        for (int i = 0; i < width; i++) {
          own.update(i, expressions.get(i).eval(InternalRow.empty()));
        }
      } else {
        ImperativeAggregate imperative = ((ImperativeAggregate) function).withNewMutableAggBufferOffset(0);
        imperative.initialize(own);
        if (imperative instanceof TypedImperativeAggregate<?> typed) {
          typed.serializeAggregateBufferInPlace(own);
        }
      }
      for (int i = 0; i < width; i++) {
        values.update(at++, own.genericGet(i));
      }
    }
    StructType schema = new StructType();
    for (int i = 0; i < types.size(); i++) {
      schema = schema.add("_" + i, types.get(i));
    }
    return UnsafeProjection.create(schema).apply(values).getBytes();
  }

  private static List<StateStoreWriter> operators(SparkPlan plan) {
    List<StateStoreWriter> found = new ArrayList<>();
    if (plan instanceof StateStoreWriter operator) {
      found.add(operator);
    }
    list(plan.children()).forEach(child -> found.addAll(operators(child)));
    return found;
  }

  private static BaseAggregateExec aggregation(SparkPlan plan) {
    if (plan instanceof BaseAggregateExec found) {
      return found;
    }
    return aggregation(plan.children().head());
  }

  private static List<LogicalPlan> nodes(LogicalPlan plan) {
    List<LogicalPlan> found = new ArrayList<>(List.of(plan));
    list(plan.children()).forEach(child -> found.addAll(nodes(child)));
    return found;
  }

  private static List<String> names(scala.collection.immutable.Seq<Attribute> attributes) {
    return list(attributes).stream().map(Attribute::name).toList();
  }

  private static <T> List<T> list(scala.collection.immutable.Seq<T> values) {
    return CollectionConverters.asJava(values);
  }
}
