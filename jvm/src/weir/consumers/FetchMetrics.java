package weir.consumers;

import java.lang.management.ManagementFactory;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/** What the Kafka consumers of this JVM say of the partitions that they read, in one answer for Python, which would ask thrice per partition. */
public final class FetchMetrics {
  private static final String LAG = "records-lag";
  private static final String LEAD = "records-lead";
  private static final String[] READ = {LAG, LEAD};

  private FetchMetrics() {}

  /**
   * A line of client id, topic, partition, records-lag and records-lead, between tabs, for each consumer and partition. NaN stands for what
   * a consumer has not measured yet: Kafka has the partition's bean from its assignment, and these attributes from its first records.
   */
  public static String read() throws JMException {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    StringBuilder lines = new StringBuilder();
    for (ObjectName name : beans.queryNames(partitions(), null)) {
      double lag = Double.NaN;
      double lead = Double.NaN;
      try {
        for (Attribute attribute : beans.getAttributes(name, READ).asList()) {
          double value = ((Number) attribute.getValue()).doubleValue();
          if (attribute.getName().equals(LAG)) {
            lag = value;
          } else {
            lead = value;
          }
        }
      } catch (InstanceNotFoundException e) {
        continue; // the consumer was closed meanwhile
      }
      lines.append(name.getKeyProperty("client-id")).append('\t').append(name.getKeyProperty("topic")).append('\t');
      lines.append(name.getKeyProperty("partition")).append('\t').append(lag).append('\t').append(lead).append('\n');
    }
    return lines.toString();
  }

  private static ObjectName partitions() throws MalformedObjectNameException {
    return new ObjectName("kafka.consumer:type=consumer-fetch-manager-metrics,client-id=*,topic=*,partition=*");
  }
}
