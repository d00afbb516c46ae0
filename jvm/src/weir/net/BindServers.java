package weir.net;

import java.io.IOException;
import org.apache.xbean.asm9.Label;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;
import weir.build.Rewriting;

/**
 * Writes Spark's {@code TransportServer} anew when the classes are built: a server that is told no address takes that of this machine by which
 * Spark's processes know each other, on an engine loopback, instead of all of them.
 *
 * <p>Spark 4.3 starts the servers of its streaming shuffle (real-time mode) without an address, and has no setting for it. The new class stands
 * before Spark's on the class path of an engine.
 */
public final class BindServers {
  private static final String SERVER = "org/apache/spark/network/server/TransportServer";

  private BindServers() {}

  /** The folder of the classes is the only argument. */
  public static void main(String[] arguments) throws IOException {
    boolean[] found = {false};
    Rewriting.rewrite(
        SERVER,
        arguments[0],
        (name, descriptor, written) -> {
          if (!name.equals("init") || !descriptor.equals("(Ljava/lang/String;I)V")) {
            return written;
          }
          found[0] = true;
          return new Bound(written);
        });
    if (!found[0]) {
      throw new IllegalStateException(SERVER + " has no method init(String, int): its servers would listen on all addresses.");
    }
  }

  /** In front of the method: {@code if (host == null) host = Utils.localCanonicalHostName();} */
  private static final class Bound extends MethodVisitor {
    Bound(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visitCode() {
      super.visitCode();
      Label given = new Label();
      super.visitVarInsn(Opcodes.ALOAD, 1);
      super.visitJumpInsn(Opcodes.IFNONNULL, given);
      super.visitMethodInsn(Opcodes.INVOKESTATIC, "org/apache/spark/util/Utils", "localCanonicalHostName", "()Ljava/lang/String;", false);
      super.visitVarInsn(Opcodes.ASTORE, 1);
      super.visitLabel(given);
      super.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
    }
  }
}
