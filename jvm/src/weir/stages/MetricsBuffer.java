package weir.stages;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BindReferences;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.expressions.package$;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import weir.observed.Inlined;

/**
 * Writes code that counts rows in the buffer of Spark's accumulator itself: numbers of rows, and aggregates of ours that say how. Handed over
 * as rows, they cost as much as all decoding of a text.
 */
final class MetricsBuffer {
  private static final String BUFFER = SpecificInternalRow.class.getName();

  private MetricsBuffer() {}

  /** Whether each of these is an aggregate of which is known what a row changes. Each then has one place in the buffer, in their order. */
  static boolean fits(Seq<NamedExpression> metrics) {
    return metrics.forall(
        metric ->
            metric instanceof Alias alias
                && alias.child() instanceof AggregateExpression aggregate
                && !aggregate.isDistinct()
                && aggregate.filter().isEmpty()
                && fits(aggregate.aggregateFunction()));
  }

  /** An expression that makes no code, as those with lambdas, would look for its columns in a row that is not there. */
  private static boolean fits(AggregateFunction function) {
    return (function instanceof Count || function instanceof Inlined)
        && function.children().forall(part -> !((Expression) part).exists(CodegenFallback.class::isInstance));
  }

  /**
   * Statements for one row.
   *
   * @param counted the name of the accumulator of this task.
   * @param add statements that hand the row to it.
   * @param metrics that fit.
   * @param columns of the row.
   */
  static String code(CodegenContext context, String counted, String add, Seq<NamedExpression> metrics, Seq<Attribute> columns) {
    String buffer = state(context, BUFFER, "buffer");
    StringJoiner first = new StringJoiner("\n").add(add).add("%s = %s.buffer();".formatted(buffer, counted));
    StringJoiner next = new StringJoiner("\n");
    for (int at = 0; at < metrics.size(); at++) {
      AggregateFunction function = ((AggregateExpression) ((Alias) metrics.apply(at)).child()).aggregateFunction();
      List<ExprCode> parts = new ArrayList<>();
      for (Expression part : CollectionConverters.asJava(function.children())) {
        ExprCode value = BindReferences.bindReference(part, package$.MODULE$.AttributeSeq(columns), false).genCode(context);
        next.add(value.code().toString());
        parts.add(value);
      }
      if (function instanceof Inlined inlined) {
        String kept = state(context, inlined.kept().getCanonicalName(), "kept");
        first.add("%s = (%s) %s.get(%d, null);".formatted(kept, inlined.kept().getCanonicalName(), buffer, at));
        next.add(inlined.taking(kept, parts));
      } else {
        next.add("if (!(%s)) { %s.setLong(%d, %s.getLong(%d) + 1L); }".formatted(anyNull(parts), buffer, at, buffer, at));
      }
    }
    return "if (%s == null) {\n%s\n} else {\n%s\n}".formatted(buffer, first, next);
  }

  private static String state(CodegenContext context, String type, String name) {
    return context.addMutableState(type, name, variable -> "", true, true);
  }

  private static String anyNull(List<ExprCode> values) {
    StringJoiner any = new StringJoiner(" || ");
    values.forEach(value -> any.add(value.isNull().toString()));
    return any.toString();
  }
}
