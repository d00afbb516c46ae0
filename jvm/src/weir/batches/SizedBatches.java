package weir.batches;

import java.io.IOException;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;
import weir.build.Rewriting;

/**
 * Writes Spark's {@code KafkaMicroBatchStream} anew when the classes are built: it asks {@link BatchSizes} how many records a batch may take,
 * where Spark's own takes one number for the whole query.
 */
public final class SizedBatches {
  private static final String STREAM = "org/apache/spark/sql/kafka010/KafkaMicroBatchStream";
  private static final String LIMIT = "org/apache/spark/sql/connector/read/streaming/ReadMaxRows";

  private SizedBatches() {}

  /** The folder of the classes is the only argument. */
  public static void main(String[] arguments) throws IOException {
    int[] found = {0};
    Rewriting.rewrite(STREAM, arguments[0], (name, descriptor, written) -> new Asking(written, found));
    if (found[0] != 1) {
      throw new IllegalStateException(STREAM + " reads its limit " + found[0] + " times, not once.");
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
      if (owner.equals(LIMIT) && method.equals("maxRows")) {
        found[0]++;
        super.visitMethodInsn(Opcodes.INVOKESTATIC, "weir/batches/BatchSizes", "maxRows", "(L" + LIMIT + ";)J", false);
      } else {
        super.visitMethodInsn(opcode, owner, method, type, isInterface);
      }
    }
  }
}
