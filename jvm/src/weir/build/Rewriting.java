package weir.build;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.apache.xbean.asm9.ClassReader;
import org.apache.xbean.asm9.ClassVisitor;
import org.apache.xbean.asm9.ClassWriter;

/** Writes a class of a library anew when ours are built. The new one stands before the library's on the class path of an engine. */
public final class Rewriting {
  private Rewriting() {}

  /**
   * Writes one class. What is changed may not need other frames.
   *
   * @param name of the class, with slashes.
   * @param folder of the built classes.
   * @param change what passes the class on to the visitor that writes it.
   */
  public static void rewrite(String name, String folder, UnaryOperator<ClassVisitor> change) throws IOException {
    ClassWriter written = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    try (InputStream given = Rewriting.class.getClassLoader().getResourceAsStream(name + ".class")) {
      new ClassReader(given).accept(change.apply(written), 0);
    }
    Path target = Path.of(folder, name + ".class");
    Files.createDirectories(target.getParent());
    Files.write(target, written.toByteArray());
  }
}
