package weir.build;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.xbean.asm9.ClassReader;
import org.apache.xbean.asm9.ClassVisitor;
import org.apache.xbean.asm9.ClassWriter;
import org.apache.xbean.asm9.MethodVisitor;
import org.apache.xbean.asm9.Opcodes;

/** Writes a class of a library anew when ours are built. The new one stands before the library's on the class path of an engine. */
public final class Rewriting {
  private Rewriting() {}

  /** Changes methods. */
  @FunctionalInterface
  public interface Change {
    /**
     * Returns what a method passes through on its way into the new class.
     *
     * @param name of the method.
     * @param descriptor of the method.
     * @param written writes it; the answer for a method that stays as it is.
     */
    MethodVisitor of(String name, String descriptor, MethodVisitor written);
  }

  /**
   * Writes one class. What is changed may not need other frames.
   *
   * @param name of the class, with slashes.
   * @param folder of the built classes.
   * @param change of its methods.
   */
  public static void rewrite(String name, String folder, Change change) throws IOException {
    ClassWriter written = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    try (InputStream given = Rewriting.class.getClassLoader().getResourceAsStream(name + ".class")) {
      new ClassReader(given).accept(new Changed(written, change), 0);
    }
    Path target = Path.of(folder, name + ".class");
    Files.createDirectories(target.getParent());
    Files.write(target, written.toByteArray());
  }

  /**
   * A method that is called, and the static one that is called instead: it gets the object as its first argument.
   *
   * @param owner its class, with slashes.
   * @param method its name.
   * @param type its descriptor.
   * @param by the class of the static method, which has the same name.
   */
  public record Call(String owner, String method, String type, String by) {}

  /**
   * Writes one class, which calls other methods.
   *
   * @param name of the class, with slashes.
   * @param folder of the built classes.
   * @param calls that are replaced wherever they stand.
   * @throws IllegalStateException if the class has none of one of them.
   */
  public static void replaceCalls(String name, String folder, List<Call> calls) throws IOException {
    Set<Call> missing = new HashSet<>(calls);
    rewrite(name, folder, (method, descriptor, written) -> new Calling(written, calls, missing));
    if (!missing.isEmpty()) {
      throw new IllegalStateException(name + " does not have " + missing);
    }
  }

  private static final class Calling extends MethodVisitor {
    private final List<Call> calls;
    private final Set<Call> missing;

    Calling(MethodVisitor written, List<Call> calls, Set<Call> missing) {
      super(Opcodes.ASM9, written);
      this.calls = calls;
      this.missing = missing;
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String method, String type, boolean isInterface) {
      for (Call call : calls) {
        if (owner.equals(call.owner) && method.equals(call.method) && type.equals(call.type)) {
          missing.remove(call);
          super.visitMethodInsn(Opcodes.INVOKESTATIC, call.by, method, "(L" + owner + ";" + type.substring(1), false);
          return;
        }
      }
      super.visitMethodInsn(opcode, owner, method, type, isInterface);
    }
  }

  private static final class Changed extends ClassVisitor {
    private final Change change;

    Changed(ClassVisitor written, Change change) {
      super(Opcodes.ASM9, written);
      this.change = change;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
      return change.of(name, descriptor, super.visitMethod(access, name, descriptor, signature, exceptions));
    }
  }
}
