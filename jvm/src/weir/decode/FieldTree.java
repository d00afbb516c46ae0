package weir.decode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.types.StructType;

/**
 * The fields of a record by where they are in it: read in one pass, in whatever order their members come. Of a member that is there twice the last one
 * counts, with all that is in it.
 */
final class FieldTree {
  private static final Node[] NONE = {};

  /** A member, or an element of an array: fields that are its value, and what is read inside it. */
  private static final class Node {
    final List<Integer> slots = new ArrayList<>();
    final Map<String, Node> byName = new LinkedHashMap<>();
    final Map<Integer, Node> byIndex = new LinkedHashMap<>();
    JsonType[] types;
    Names names;
    Node[] members;
    Node[] elements; // by index; null between
    int[] below; // slots of members and elements
    int[] all;
    boolean isLeaf;
    long seen;
  }

  private final Node root = new Node();
  private boolean[] wrong;
  private boolean anyWrong;
  private long records;
  private DecodedRow row;

  /**
   * The tree of some fields.
   *
   * @param fields names and types, in the order of the row.
   * @param paths where each is: names, and indexes of elements.
   */
  FieldTree(StructType fields, List<List<Object>> paths, TimeUnit unit) {
    wrong = new boolean[paths.size()];
    for (int slot = 0; slot < paths.size(); slot++) {
      Node node = root;
      for (Object segment : paths.get(slot)) {
        node =
            segment instanceof Integer index
                ? node.byIndex.computeIfAbsent(index, key -> new Node())
                : node.byName.computeIfAbsent((String) segment, key -> new Node());
      }
      node.slots.add(slot);
    }
    finish(root, fields, unit);
  }

  private static List<Integer> finish(Node node, StructType fields, TimeUnit unit) {
    node.types = node.slots.stream().map(slot -> JsonType.of(fields.apply(slot).dataType(), unit)).toArray(JsonType[]::new);
    node.names = Names.of(List.copyOf(node.byName.keySet()));
    node.members = node.byName.values().toArray(NONE);
    node.elements = new Node[node.byIndex.keySet().stream().mapToInt(index -> index + 1).max().orElse(0)];
    node.byIndex.forEach((index, element) -> node.elements[index] = element);
    List<Integer> below = new ArrayList<>();
    node.byName.values().forEach(member -> below.addAll(finish(member, fields, unit)));
    node.byIndex.values().forEach(element -> below.addAll(finish(element, fields, unit)));
    node.below = below.stream().mapToInt(Integer::intValue).toArray();
    below.addAll(node.slots);
    node.all = below.stream().mapToInt(Integer::intValue).toArray();
    node.isLeaf = node.types.length == 1 && node.below.length == 0;
    return below;
  }

  /** Before the object of another record, or another object of this one: fields of this row are null. */
  void begin(DecodedRow into) {
    row = into;
    if (anyWrong) {
      java.util.Arrays.fill(wrong, false);
      anyWrong = false;
    }
    records++;
  }

  /** Whether all values were of their types. */
  boolean fits() {
    if (anyWrong) {
      for (boolean one : wrong) {
        if (one) {
          return false;
        }
      }
    }
    return true;
  }

  /** Reads the object that begins here. */
  void object(JsonReader in) {
    members(root, in);
  }

  private void members(Node node, JsonReader in) {
    if (!in.open('}')) {
      return;
    }
    int expected = 0;
    do {
      in.name();
      int member = node.names.find(in.text, in.textFrom, in.textTo, expected);
      if (member < 0) {
        in.skip();
      } else {
        value(node.members[member], in);
        expected = member + 1;
      }
    } while (in.more('}'));
  }

  private void elements(Node node, JsonReader in) {
    if (!in.open(']')) {
      return;
    }
    int index = 0;
    do {
      if (index < node.elements.length && node.elements[index] != null) {
        value(node.elements[index], in);
      } else {
        in.skip();
      }
      index++;
    } while (in.more(']'));
  }

  private void value(Node node, JsonReader in) {
    if (node.seen == records) {
      forget(node);
    }
    node.seen = records;
    if (node.isLeaf) {
      int slot = node.all[0];
      if (!node.types[0].read(in, row, slot)) {
        wrong[slot] = anyWrong = true;
      }
      return;
    }
    int from = in.at;
    for (int at = 0; at < node.types.length; at++) {
      in.back(from);
      int slot = node.slots.get(at);
      if (!node.types[at].read(in, row, slot)) {
        wrong[slot] = anyWrong = true;
      }
    }
    if (node.below.length > 0) {
      in.back(from);
      inside(node, in);
    }
  }

  /** Reads what is inside a value, which has to be an object for its members, and an array for its elements. */
  private void inside(Node node, JsonReader in) {
    byte sign = in.bytes[in.at];
    if (sign == '{' && node.members.length > 0) {
      members(node, in);
      fail(node.elements);
    } else if (sign == '[' && node.elements.length > 0) {
      elements(node, in);
      fail(node.members);
    } else if (!in.isNull()) {
      in.skip();
      fail(node.members);
      fail(node.elements);
    }
  }

  private void fail(Node[] nodes) {
    for (Node node : nodes) {
      if (node != null) {
        for (int slot : node.all) {
          wrong[slot] = anyWrong = true;
        }
      }
    }
  }

  private void forget(Node node) {
    for (int slot : node.all) {
      row.setObject(slot, null);
      wrong[slot] = false;
    }
  }
}
