package weir.watermarks;

import java.io.IOException;
import java.util.List;
import weir.build.Rewriting;
import weir.build.Rewriting.Call;

/**
 * Writes two classes of Spark anew when the classes are built: its operators with state, and the two sides of its join, ask {@link
 * WatermarkPredicates} for their predicates.
 */
public final class UncompiledPredicates {
  private static final String OPERATORS = "org/apache/spark/sql/execution/streaming/operators/stateful/";
  private static final String PREDICATES = "org/apache/spark/sql/catalyst/expressions/Predicate$";
  private static final String CREATE =
      "(Lorg/apache/spark/sql/catalyst/expressions/Expression;Lscala/collection/immutable/Seq;)"
          + "Lorg/apache/spark/sql/catalyst/expressions/BasePredicate;";

  private UncompiledPredicates() {}

  /** The folder of the classes is the only argument. */
  public static void main(String[] arguments) throws IOException {
    rewrite(OPERATORS + "WatermarkSupport", arguments[0]);
    rewrite(OPERATORS + "join/StreamingSymmetricHashJoinExec$OneSideHashJoiner", arguments[0]);
  }

  private static void rewrite(String name, String folder) throws IOException {
    Rewriting.replaceCalls(name, folder, List.of(new Call(PREDICATES, "create", CREATE, "weir/watermarks/WatermarkPredicates")));
  }
}
