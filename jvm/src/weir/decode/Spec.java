package weir.decode;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** What a decoder is told ({@code jobs/engine/formats/native.py}): the format's options, and the fields to read, each with name, type and path. */
final class Spec {
  private static final ObjectMapper READER = new ObjectMapper();

  final JsonNode options;
  final StructType fields;
  final List<List<Object>> paths = new ArrayList<>();

  Spec(String text) {
    try {
      options = READER.readTree(text);
    } catch (JsonProcessingException error) {
      throw new IllegalArgumentException("The specification of a decoder is no JSON.", error);
    }
    List<StructField> declared = new ArrayList<>();
    for (JsonNode field : options.get("fields")) {
      declared.add(DataTypes.createStructField(field.get("name").textValue(), DataType.fromDDL(field.get("type").textValue()), true));
      List<Object> path = new ArrayList<>();
      for (JsonNode segment : field.get("path")) {
        path.add(segment.isInt() ? (Object) segment.intValue() : segment.textValue());
      }
      paths.add(path);
    }
    fields = DataTypes.createStructType(declared);
  }

  String text(String option) {
    return options.get(option).textValue();
  }

  boolean is(String option) {
    return options.get(option).booleanValue();
  }
}
