package weir.batches;

import java.io.IOException;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;
import weir.build.Rewriting;

/**
 * Writes Spark's {@code LowLatencyReaderWrap}, which reads a batch in real-time mode, anew when the classes are built: it asks {@link BatchEnds}
 * what time it is, and waits for records there.
 */
public final class EndedBatches {
  private static final String READER = "org/apache/spark/sql/execution/datasources/v2/LowLatencyReaderWrap";
  private static final String CLOCK = "org/apache/spark/sql/execution/datasources/v2/LowLatencyClock$";
  private static final String READ = "org/apache/spark/sql/connector/read/streaming/SupportsRealTimeRead";
  private static final String ENDS = "weir/batches/BatchEnds";

  private EndedBatches() {}

  /** The folder of the classes is the only argument. */
  public static void main(String[] arguments) throws IOException {
    int[] found = {0};
    Rewriting.rewrite(READER, arguments[0], (name, descriptor, written) -> new Asking(written, found));
    if (found[0] != 2) {
      throw new IllegalStateException(READER + " reads the clock and waits " + found[0] + " times, not twice.");
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
      if (owner.equals(CLOCK) && method.equals("getTimeMillis")) {
        found[0]++;
        super.visitMethodInsn(Opcodes.INVOKESTATIC, ENDS, "now", "(L" + CLOCK + ";)J", false);
      } else if (owner.equals(READ) && method.equals("nextWithTimeout")) {
        found[0]++;
        super.visitMethodInsn(Opcodes.INVOKESTATIC, ENDS, "next", "(L" + READ + ";" + type.substring(1), false);
      } else {
        super.visitMethodInsn(opcode, owner, method, type, isInterface);
      }
    }
  }
}
