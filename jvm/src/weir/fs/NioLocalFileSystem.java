package weir.fs;

import org.apache.hadoop.fs.LocalFileSystem;

/** {@link NioRawFileSystem} under Hadoop's checksum layer: what {@code fs.file.impl} names. */
public class NioLocalFileSystem extends LocalFileSystem {
  /** Called by Hadoop through reflection. */
  public NioLocalFileSystem() {
    super(new NioRawFileSystem());
  }
}
