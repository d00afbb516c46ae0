package weir.state;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.BaseOrdering;
import org.apache.spark.sql.catalyst.expressions.RowOrdering;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/** Compares packed structs as Spark compares the structs: field by field, null first. */
final class RowRank implements Serializable {
  private final String schema;
  private transient int fields;
  private transient BaseOrdering ordering;

  /** Of structs with this schema, Spark's JSON. */
  RowRank(String schema) {
    this.schema = schema;
  }

  int compare(byte[] one, byte[] other) {
    if (ordering == null) {
      StructType type = (StructType) DataType.fromJson(schema);
      List<DataType> types = Arrays.stream(type.fields()).map(StructField::dataType).collect(Collectors.toList());
      fields = types.size();
      ordering = RowOrdering.createNaturalAscendingOrdering(CollectionConverters.asScala(types).toSeq());
    }
    return ordering.compare(row(one), row(other));
  }

  private UnsafeRow row(byte[] bytes) {
    UnsafeRow row = new UnsafeRow(fields);
    row.pointTo(bytes, bytes.length);
    return row;
  }
}
