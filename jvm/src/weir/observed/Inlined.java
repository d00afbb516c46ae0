package weir.observed;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;

/** An aggregate that a stage can count by a call of its own code, without a row in which it would look for its parts. */
public interface Inlined {
  /** The class of what is kept, public. */
  Class<?> kept();

  /**
   * A Java statement that takes one more row into what is kept.
   *
   * @param kept the name of the variable that holds it.
   * @param parts the values that the aggregate is over, computed.
   */
  String taking(String kept, List<ExprCode> parts);
}
