package weir.stages;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.CollectMetricsExec;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.v2.RealTimeStreamScanExec;
import org.apache.spark.sql.execution.streaming.operators.stateful.EventTimeWatermarkExec;
import scala.Function1;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * Lets observed metrics and watermarks be part of the code that Spark generates for a stage, in every session of an engine: what {@code
 * spark.sql.extensions} names.
 *
 * <p>Spark's own operators for both end a stage, so that each row is written before them and read behind them: two or three times between a
 * record and the first operator of a job. The plans of real-time mode stay as they are, because Spark allows no operators there whose names it
 * does not know.
 */
public final class StageRules implements Function1<SparkSessionExtensions, BoxedUnit> {
  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    extensions.injectColumnar(session -> new BeforeStages());
    return BoxedUnit.UNIT;
  }

  /** Has nothing to do with columns: these rules are the last ones before Spark decides what a stage is. */
  private static final class BeforeStages extends ColumnarRule {
    @Override
    public Rule<SparkPlan> preColumnarTransitions() {
      return new Replaced();
    }
  }

  private static final class Replaced extends Rule<SparkPlan> {
    @Override
    public SparkPlan apply(SparkPlan plan) {
      return plan.exists(RealTimeStreamScanExec.class::isInstance) ? plan : plan.transformUp(new Compiled());
    }
  }

  private static final class Compiled extends AbstractPartialFunction<SparkPlan, SparkPlan> {
    @Override
    public boolean isDefinedAt(SparkPlan plan) {
      return plan.getClass() == CollectMetricsExec.class
          || plan.getClass() == EventTimeWatermarkExec.class && CompiledWatermark.takes((EventTimeWatermarkExec) plan);
    }

    @Override
    public SparkPlan apply(SparkPlan plan) {
      return plan instanceof CollectMetricsExec metrics ? CompiledMetrics.of(metrics) : CompiledWatermark.of((EventTimeWatermarkExec) plan);
    }
  }
}
