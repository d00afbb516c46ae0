package org.apache.spark.sql.execution;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** What {@code weir.stages.CompiledMetrics} extends and calls of Spark's class. */
public class CollectMetricsExec extends SparkPlan {
  public CollectMetricsExec(String name, Seq<NamedExpression> metricExpressions, SparkPlan child) {}

  public native String name();

  public native Seq<NamedExpression> metricExpressions();

  public native SparkPlan child();

  public native long accumulatorId();

  public native CollectMetricsExec withNewChildInternal(SparkPlan child);

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
