package weir.fs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The local file system without child processes.
 *
 * <p>The stock class forks {@code chmod} for every file and {@code readlink} for every rename, which is most of
 * the time of a small Spark batch. Only for POSIX file systems.
 */
public class NioRawFileSystem extends RawLocalFileSystem {
  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    Set<PosixFilePermission> granted = EnumSet.noneOf(PosixFilePermission.class);
    grant(granted, permission.getUserAction(), PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);
    grant(granted, permission.getGroupAction(), PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_EXECUTE);
    grant(granted, permission.getOtherAction(), PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE, PosixFilePermission.OTHERS_EXECUTE);
    Files.setPosixFilePermissions(Paths.get(pathToFile(path).getPath()), granted);
  }

  @Override
  public FileStatus getFileLinkStatus(Path path) throws IOException {
    return getFileStatus(path);
  }

  @Override
  public boolean supportsSymlinks() {
    return false;
  }

  private static void grant(
      Set<PosixFilePermission> granted,
      FsAction action,
      PosixFilePermission read,
      PosixFilePermission write,
      PosixFilePermission execute) {
    if (action.implies(FsAction.READ)) {
      granted.add(read);
    }
    if (action.implies(FsAction.WRITE)) {
      granted.add(write);
    }
    if (action.implies(FsAction.EXECUTE)) {
      granted.add(execute);
    }
  }
}
