package weir.watermarks;

import java.io.IOException;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;
import weir.build.Rewriting;

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
    int[] found = {0};
    Rewriting.rewrite(name, folder, (method, descriptor, written) -> new Asking(written, found));
    if (found[0] == 0) {
      throw new IllegalStateException(name + " makes no predicates.");
    }
  }

  private static final class Asking extends MethodVisitor {
    private final int[] found;

    Asking(MethodVisitor written, int[] found) {
      super(Opcodes.ASM9, written);
      this.found = found;
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String method, String type, boolean isInterface) {
      if (owner.equals(PREDICATES) && method.equals("create") && type.equals(CREATE)) {
        found[0]++;
        String given = "(L" + PREDICATES + ";" + CREATE.substring(1);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, "weir/watermarks/WatermarkPredicates", "create", given, false);
      } else {
        super.visitMethodInsn(opcode, owner, method, type, isInterface);
      }
    }
  }
}
