package org.apache.spark.sql.execution.streaming.operators.stateful;

import java.util.UUID;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.unsafe.types.CalendarInterval;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** What {@code weir.stages.CompiledWatermark} extends and calls of Spark's class. */
public class EventTimeWatermarkExec extends SparkPlan {
  public EventTimeWatermarkExec(UUID nodeId, Attribute eventTime, CalendarInterval delay, SparkPlan child) {}

  public native UUID nodeId();

  public native Attribute eventTime();

  public native CalendarInterval delay();

  public native SparkPlan child();

  public native EventTimeStatsAccum eventTimeStats();

  public native EventTimeWatermarkExec withNewChildInternal(SparkPlan child);

  @Override
  public native Object productElement(int at);

  @Override
  public native int productArity();

  @Override
  public native boolean canEqual(Object other);

  @Override
  public native RDD<InternalRow> doExecute();

  @Override
  public native Seq<Attribute> output();

  @Override
  public native Seq<SparkPlan> children();

  @Override
  public native SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> children);
}
