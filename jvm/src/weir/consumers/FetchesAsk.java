package weir.consumers;

import java.io.IOException;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;
import weir.build.Rewriting;

/**
 * Writes Kafka's {@code AbstractFetch} anew when the classes are built: each fetch asks {@link FetchWait} how long to wait for records, where
 * Kafka's own takes what the consumer was made with.
 */
public final class FetchesAsk {
  private static final String FETCH = "org/apache/kafka/clients/consumer/internals/AbstractFetch";
  private static final String CONFIG = "org/apache/kafka/clients/consumer/internals/FetchConfig";

  private FetchesAsk() {}

  /** The folder of the classes is the only argument. */
  public static void main(String[] arguments) throws IOException {
    int[] found = {0};
    Rewriting.rewrite(FETCH, arguments[0], (name, descriptor, written) -> new Fetch(written, found));
    if (found[0] != 2) {
      throw new IllegalStateException(FETCH + " reads minBytes and maxWaitMs " + found[0] + " times, not twice.");
    }
  }

  private static final class Fetch extends MethodVisitor {
    private final int[] found;

    Fetch(MethodVisitor written, int[] found) {
      super(Opcodes.ASM9, written);
      this.found = found;
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String field, String type) {
      if (opcode == Opcodes.GETFIELD && owner.equals(CONFIG) && (field.equals("minBytes") || field.equals("maxWaitMs"))) {
        found[0]++;
        super.visitMethodInsn(Opcodes.INVOKESTATIC, "weir/consumers/FetchWait", field, "(L" + CONFIG + ";)I", false);
      } else {
        super.visitFieldInsn(opcode, owner, field, type);
      }
    }
  }
}
