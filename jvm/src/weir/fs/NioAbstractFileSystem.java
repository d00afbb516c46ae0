package weir.fs;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DelegateToFileSystem;

/**
 * {@link NioRawFileSystem} as Spark's checkpoint files use it: what {@code fs.AbstractFileSystem.file.impl} names.
 *
 * <p>There is no checksum layer here: checkpoint format 2 carries its own.
 */
public class NioAbstractFileSystem extends DelegateToFileSystem {
  /** Called by Hadoop through reflection; both arguments are mandatory there. */
  public NioAbstractFileSystem(URI uri, Configuration conf) throws IOException, URISyntaxException {
    super(uri, new NioRawFileSystem(), conf, "file", false);
  }

  @Override
  public int getUriDefaultPort() {
    return -1;
  }
}
