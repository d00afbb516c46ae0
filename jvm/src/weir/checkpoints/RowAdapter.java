package weir.checkpoints;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import scala.jdk.javaapi.CollectionConverters;

/** Lays out one row of an aggregation's state anew ({@link StateAdapter#adapt}). */
final class RowAdapter implements UDF2<byte[], byte[], byte[]> {
  private final String plan;
  private final LatestWindow latest;

  private transient UnsafeProjection layOut;
  private transient UnsafeRow key;
  private transient UnsafeRow before;
  private transient UnsafeRow initial;
  private transient int window;
  private transient boolean isSession;

  RowAdapter(String plan, LatestWindow latest) {
    this.plan = plan;
    this.latest = latest;
  }

  @Override
  public byte[] call(byte[] keyBytes, byte[] value) throws JsonProcessingException {
    if (layOut == null) {
      open();
    }
    before.pointTo(value, value.length);
    if (window >= 0) {
      key.pointTo(keyBytes, keyBytes.length);
      InternalRow bounds = (isSession ? before : key).getStruct(window, 2);
      latest.add(new long[] {bounds.getLong(0), bounds.getLong(1)});
    }
    return layOut.apply(new JoinedRow(before, initial)).getBytes();
  }

  private void open() throws JsonProcessingException {
    JsonNode node = new ObjectMapper().readTree(plan);
    int values = node.get("types").size();
    before = new UnsafeRow(values);
    key = new UnsafeRow(node.get("keys").asInt());
    window = node.get("window").asInt();
    isSession = node.get("fixed").asInt() > 0;
    byte[] empty = Base64.getDecoder().decode(node.get("initial").asText());
    initial = new UnsafeRow(node.get("newTypes").size() - node.get("fixed").asInt());
    initial.pointTo(empty, empty.length);
    List<Expression> laidOut = new ArrayList<>();
    for (int at = 0; at < node.get("newTypes").size(); at++) {
      int source = node.get("sources").get(at).asInt();
      DataType type = DataType.fromJson(node.get("newTypes").get(at).asText());
      laidOut.add(new BoundReference(source >= 0 ? source : values - 1 - source, type, true));
    }
    layOut = UnsafeProjection.create(CollectionConverters.asScala(laidOut).toSeq());
  }
}
