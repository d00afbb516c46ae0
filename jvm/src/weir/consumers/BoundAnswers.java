package weir.consumers;

import java.io.IOException;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;
import weir.build.Rewriting;

/**
 * Writes Kafka's {@code NetworkReceive} anew when the classes are built: where its maker sets no limit, as Kafka's clients do, {@link AnswerSize}
 * does. A longer answer closes the connection, as brokers do with a longer request.
 *
 * <p>Kafka has no setting for it (KAFKA-4090).
 */
public final class BoundAnswers {
  private static final String RECEIPT = "org/apache/kafka/common/network/NetworkReceive";

  private BoundAnswers() {}

  /** The folder of the classes is the only argument. */
  public static void main(String[] arguments) throws IOException {
    int[] found = {0};
    Rewriting.rewrite(RECEIPT, arguments[0], (name, descriptor, written) -> new Limited(written, found));
    if (found[0] != 1) {
      throw new IllegalStateException(RECEIPT + " sets maxSize " + found[0] + " times, not once.");
    }
  }

  private static final class Limited extends MethodVisitor {
    private final int[] found;

    Limited(MethodVisitor written, int[] found) {
      super(Opcodes.ASM9, written);
      this.found = found;
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String field, String type) {
      if (opcode == Opcodes.PUTFIELD && owner.equals(RECEIPT) && field.equals("maxSize")) {
        found[0]++;
        super.visitMethodInsn(Opcodes.INVOKESTATIC, "weir/consumers/AnswerSize", "limit", "(I)I", false);
      }
      super.visitFieldInsn(opcode, owner, field, type);
    }
  }
}
