package weir.stages;

import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.execution.CodegenSupport;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.streaming.operators.stateful.EventTimeStatsAccum;
import org.apache.spark.sql.execution.streaming.operators.stateful.EventTimeWatermarkExec;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.CalendarInterval;
import scala.collection.immutable.Seq;

/** Spark's operator that sees the event times of rows, for their watermark, in the code of a stage. */
public final class CompiledWatermark extends EventTimeWatermarkExec implements Passing {
  private CodegenSupport parent;

  /** Public because Spark copies operators by their constructor. */
  public CompiledWatermark(java.util.UUID nodeId, Attribute eventTime, CalendarInterval delay, SparkPlan child) {
    super(nodeId, eventTime, delay, child);
  }

  static boolean takes(EventTimeWatermarkExec spark) {
    DataType type = spark.eventTime().dataType();
    return type.equals(DataTypes.TimestampType) || type.equals(DataTypes.TimestampNTZType);
  }

  static CompiledWatermark of(EventTimeWatermarkExec spark) {
    return new CompiledWatermark(spark.nodeId(), spark.eventTime(), spark.delay(), spark.child());
  }

  @Override
  public String look(CodegenContext context, Seq<ExprCode> row) {
    String seen = context.addReferenceObj("eventTimes", eventTimeStats(), EventTimeStatsAccum.class.getName());
    ExprCode time = row.apply(child().output().indexWhere(attribute -> ((Attribute) attribute).exprId().equals(eventTime().exprId()), 0));
    // Null counts as 1970, as in Spark's own operator.
    return "%s.add(%s ? 0L : Math.floorDiv(%s, 1000L));".formatted(seen, time.isNull(), time.value());
  }

  /** Not equal to Spark's: a plan in which one was replaced by the other would count as the same, and be given up. */
  @Override
  public boolean equals(Object other) {
    return other instanceof CompiledWatermark && super.equals(other);
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof CompiledWatermark;
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
  public CompiledWatermark withNewChildInternal(SparkPlan other) {
    return new CompiledWatermark(nodeId(), eventTime(), delay(), other);
  }
}
