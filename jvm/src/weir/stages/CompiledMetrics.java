package weir.stages;

import java.io.Serializable;
import java.util.StringJoiner;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.AttributeSet$;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.execution.AggregatingAccumulator;
import org.apache.spark.sql.execution.CodegenSupport;
import org.apache.spark.sql.execution.CollectMetricsExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.util.AccumulatorContext$;
import org.apache.spark.util.TaskCompletionListener;
import scala.collection.immutable.Seq;

/** Spark's operator for observed metrics, in the code of a stage: its aggregates get the columns that they are over, and no row is written for them. */
public final class CompiledMetrics extends CollectMetricsExec implements Passing {
  private final Metrics metrics;
  private CodegenSupport parent;

  /**
   * The aggregates, where Spark does not find them: it compiles no operator that has an aggregate of this kind among its expressions, because
   * they make no code of their own. Here they are called.
   */
  public record Metrics(Seq<NamedExpression> expressions) implements Serializable {}

  /** Public because Spark copies operators by their constructor. */
  public CompiledMetrics(String name, Metrics metrics, SparkPlan child) {
    super(name, metrics.expressions(), child);
    this.metrics = metrics;
  }

  static CompiledMetrics of(CollectMetricsExec spark) {
    return new CompiledMetrics(spark.name(), new Metrics(spark.metricExpressions()), spark.child());
  }

  @Override
  public String look(CodegenContext context, Seq<ExprCode> row) {
    // The first row of a task has Spark make the buffer of the aggregates, and the next ones need no more than that.
    String counted = counted(context);
    String add = add(context, counted, row);
    return MetricsBuffer.fits(metrics.expressions())
        ? MetricsBuffer.code(context, counted, add, metrics.expressions(), child().output())
        : add;
  }

  private String counted(CodegenContext context) {
    String total = context.addReferenceObj("total", accumulator(), AggregatingAccumulator.class.getName());
    return context.addMutableState(
        AggregatingAccumulator.class.getName(),
        "counted",
        name -> "%s = %s.ofTask(%s);".formatted(name, CompiledMetrics.class.getName(), total),
        true,
        true);
  }

  /** Statements that hand a row over as Spark's operator does: slow, because Spark's code for it is called once per row and aggregate. */
  private String add(CodegenContext context, String counted, Seq<ExprCode> row) {
    String columns =
        context.addMutableState(
            GenericInternalRow.class.getName(),
            "columns",
            name -> "%s = new %s(%d);".formatted(name, GenericInternalRow.class.getName(), row.size()),
            true,
            true);
    StringJoiner code = new StringJoiner("\n");
    AttributeSet used = usedInputs();
    for (int at = 0; at < row.size(); at++) {
      Attribute attribute = child().output().apply(at);
      if (used.contains(attribute)) {
        code.add(set(columns, at, attribute, row.apply(at)));
      }
    }
    return code.add("%s.add(%s);".formatted(counted, columns)).toString();
  }

  private static String set(String columns, int at, Attribute attribute, ExprCode column) {
    // What an aggregate keeps of a text it copies, as it must of a row of Spark's.
    String set =
        CodeGenerator.isPrimitiveType(attribute.dataType())
            ? CodeGenerator.setColumn(columns, attribute.dataType(), at, column.value().toString())
            : "%s.update(%d, %s)".formatted(columns, at, column.value());
    return "if (%s) { %s.setNullAt(%d); } else { %s; }".formatted(column.isNull(), columns, at, set);
  }

  private AggregatingAccumulator accumulator() {
    // Spark's is private, but has a number.
    return (AggregatingAccumulator) (Object) AccumulatorContext$.MODULE$.get(accumulatorId()).get();
  }

  /** What a task counts: it is in the total when the task is done. For generated code. */
  public static AggregatingAccumulator ofTask(AggregatingAccumulator total) {
    AggregatingAccumulator counted = total.copyAndReset();
    TaskCompletionListener listener =
        task -> {
          if (total.isZero()) {
            total.setState(counted);
          } else {
            total.merge(counted);
          }
        };
    TaskContext.get().addTaskCompletionListener(listener);
    return counted;
  }

  @Override
  public AttributeSet usedInputs() {
    return AttributeSet$.MODULE$.apply((Seq) metrics.expressions());
  }

  @Override
  public Object productElement(int at) {
    return at == 1 ? metrics : super.productElement(at);
  }

  /** Not equal to Spark's: a plan in which one was replaced by the other would count as the same, and be given up. */
  @Override
  public boolean equals(Object other) {
    return other instanceof CompiledMetrics && super.equals(other);
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof CompiledMetrics;
  }

  @Override
  public CodegenSupport parent() {
    return parent;
  }

  @Override
  public void parent_$eq(CodegenSupport other) {
    parent = other;
  }

  @Override
  public CompiledMetrics withNewChildInternal(SparkPlan other) {
    return new CompiledMetrics(name(), metrics, other);
  }
}
