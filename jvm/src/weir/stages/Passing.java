package weir.stages;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.execution.CodegenSupport;
import org.apache.spark.sql.execution.SparkPlan;
import scala.collection.immutable.Seq;

/** An operator of one child whose rows are those of its child, in the code of a stage: it looks at each and passes it on. */
interface Passing extends CodegenSupport {
  /** Of {@link SparkPlan}. */
  SparkPlan child();

  /** Java statements that look at a row. */
  String look(CodegenContext context, Seq<ExprCode> row);

  @Override
  default Seq<RDD<InternalRow>> inputRDDs() {
    return ((CodegenSupport) child()).inputRDDs();
  }

  @Override
  default String doProduce(CodegenContext context) {
    return ((CodegenSupport) child()).produce(context, this);
  }

  @Override
  default String doConsume(CodegenContext context, Seq<ExprCode> columns, ExprCode row) {
    // A row that is written already is not written once more.
    String written = row.code().isEmpty() ? row.value().toString() : null;
    return look(context, columns) + "\n" + consume(context, columns, written);
  }
}
