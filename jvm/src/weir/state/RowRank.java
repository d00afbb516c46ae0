package weir.state;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.BaseOrdering;
import org.apache.spark.sql.catalyst.expressions.RowOrdering;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;
import weir.rows.RowFormat;

/** Compares packed structs as Spark compares the structs: field by field, null first. */
final class RowRank implements Serializable {
  private final String schema;
  private transient RowFormat format;
  private transient BaseOrdering ordering;

  /** Of structs with this schema, Spark's JSON. */
  RowRank(String schema) {
    this.schema = schema;
  }

  int compare(byte[] one, byte[] other) {
    if (ordering == null) {
      StructType type = (StructType) DataType.fromJson(schema);
      List<DataType> types = Arrays.stream(type.fields()).map(StructField::dataType).collect(Collectors.toList());
      format = new RowFormat(type);
      ordering = RowOrdering.createNaturalAscendingOrdering(CollectionConverters.asScala(types).toSeq());
    }
    return ordering.compare(format.unpack(one), format.unpack(other));
  }
}
