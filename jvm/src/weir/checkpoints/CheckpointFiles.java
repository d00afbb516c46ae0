package weir.checkpoints;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager;
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager.CancellableFSDataOutputStream;

/** Files of a checkpoint, wherever it is. */
public final class CheckpointFiles {
  private final Configuration configuration;

  public CheckpointFiles(SparkSession session) {
    configuration = session.sessionState().newHadoopConf();
  }

  /** The text of a file; null where there is none. */
  public String read(String path) throws IOException {
    Path file = new Path(path);
    try (FSDataInputStream input = of(file).open(file)) {
      return new String(input.readAllBytes(), StandardCharsets.UTF_8);
    } catch (FileNotFoundException none) {
      return null;
    }
  }

  /** Write a file that is there in full or not at all, in the place of one of that name. */
  public void write(String path, String text) throws IOException {
    write(path, text, true);
  }

  /** Write a file as {@link #write} does; false where another of that name is there, which stays. */
  public boolean create(String path, String text) throws IOException {
    try {
      write(path, text, false);
      return true;
    } catch (FileAlreadyExistsException exists) {
      return false;
    }
  }

  private void write(String path, String text, boolean overwrites) throws IOException {
    Path file = new Path(path);
    CheckpointFileManager files = CheckpointFileManager.create(file.getParent(), configuration);
    files.mkdirs(file.getParent());
    CancellableFSDataOutputStream output = files.createAtomic(file, overwrites);
    try {
      output.write(text.getBytes(StandardCharsets.UTF_8));
      output.close();
    } catch (IOException | RuntimeException error) {
      output.cancel();
      throw error;
    }
  }

  /**
   * The names of what is in a folder, with slashes between them; empty where there is no such folder. One text, because Py4J asks for
   * each element of a list, and learns of its end by an exception.
   */
  public String names(String path) throws IOException {
    List<String> found = new ArrayList<>();
    for (FileStatus status : list(new Path(path))) {
      found.add(status.getPath().getName());
    }
    return String.join("/", found);
  }

  /** Delete a file or a folder with all that is in it; nothing where there is none. */
  public void delete(String path) throws IOException {
    Path gone = new Path(path);
    of(gone).delete(gone, true);
  }

  /** Copy a file or a folder with all that is in it; nothing where there is none. */
  void copy(Path from, Path to) throws IOException {
    FileSystem files = of(from);
    if (files.exists(from)) {
      files.mkdirs(to.getParent());
      FileUtil.copy(files, from, files, to, false, configuration);
    }
  }

  /** What is in a folder; nothing where there is no such folder. */
  FileStatus[] list(Path folder) throws IOException {
    try {
      return of(folder).listStatus(folder);
    } catch (FileNotFoundException none) {
      return new FileStatus[0];
    }
  }

  Configuration configuration() {
    return configuration;
  }

  /**
   * Without the checksums that Hadoop keeps beside local files. Spark writes and reads a checkpoint without them, and so does {@link #write}:
   * that of a file which was replaced would be its old one's.
   */
  private FileSystem of(Path path) throws IOException {
    FileSystem files = path.getFileSystem(configuration);
    return files instanceof LocalFileSystem local ? local.getRaw() : files;
  }
}
