package weir.fs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.mapred.JobConf;

/**
 * Takes out of Hadoop's configuration what Hadoop's own files say of services that no engine has.
 *
 * <p>Spark broadcasts the whole configuration whenever it makes an operator with state, also for each copy of a
 * stream-stream join that the planner makes: 1,100 properties, each compressed apart, 110 KB and some 5 ms a time.
 */
public final class LeanConfiguration {
  /** Of the properties with a default: those without which a file system of this host or of the cluster's could not be opened. */
  private static final List<String> KEPT =
      List.of(
          "fs.AbstractFileSystem.",
          "fs.defaultFS",
          "fs.file.",
          "hadoop.security.",
          "hadoop.tmp.dir",
          "io.");

  private LeanConfiguration() {}

  /**
   * Removes defaults. What anybody set stays: settings of {@code spark.hadoop.}, of Spark itself, of site files.
   *
   * @param configuration of the application; sessions copy it
   */
  public static void trim(Configuration configuration) {
    // Whoever adds a file of defaults makes every configuration read all of them again, so none may be added later.
    new JobConf(configuration);
    HdfsConfiguration.init();
    List<String> dropped = new ArrayList<>();
    for (Map.Entry<String, String> property : configuration) {
      String name = property.getKey();
      if (KEPT.stream().noneMatch(name::startsWith) && isDefault(configuration.getPropertySources(name))) {
        dropped.add(name);
      }
    }
    dropped.forEach(configuration::unset);
  }

  private static boolean isDefault(String[] sources) {
    return sources != null
        && sources.length > 0
        && Arrays.stream(sources).allMatch(source -> source.endsWith("-default.xml"));
  }
}
