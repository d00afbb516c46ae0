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
    int[] own; // slots
    boolean isLeaf;
    long seen; // in this record
    boolean isFailed; // there was no object for its members, or no array for its elements
    Node[] read; // those of its members and elements that were there
    int readCount;
  }

  private final Node root = new Node();
  private final boolean[] wrong;
  private int faults; // slots that are wrong, and nodes that failed
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

  private static void finish(Node node, StructType fields, TimeUnit unit) {
    node.types = node.slots.stream().map(slot -> JsonType.of(fields.apply(slot).dataType(), unit)).toArray(JsonType[]::new);
    node.names = Names.of(List.copyOf(node.byName.keySet()));
    node.members = node.byName.values().toArray(NONE);
    node.elements = new Node[node.byIndex.keySet().stream().mapToInt(index -> index + 1).max().orElse(0)];
    node.byIndex.forEach((index, element) -> node.elements[index] = element);
    node.byName.values().forEach(member -> finish(member, fields, unit));
    node.byIndex.values().forEach(element -> finish(element, fields, unit));
    node.own = node.slots.stream().mapToInt(Integer::intValue).toArray();
    node.read = new Node[node.byName.size() + node.byIndex.size()];
    node.isLeaf = node.types.length == 1 && node.read.length == 0;
  }

  /** Before the object of another record, or another object of this one: fields of this row are null. */
  void begin(DecodedRow into) {
    row = into;
    if (faults > 0) {
      java.util.Arrays.fill(wrong, false);
      faults = 0;
    }
    records++;
    root.readCount = 0;
  }

  /** Whether all values were of their types. */
  boolean fits() {
    return faults == 0;
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
        value(node, node.members[member], in);
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
        value(node, node.elements[index], in);
      } else {
        in.skip();
      }
      index++;
    } while (in.more(']'));
  }

  private void value(Node parent, Node node, JsonReader in) {
    if (node.seen == records) {
      forget(node);
    } else {
      node.seen = records;
      node.isFailed = false;
      node.readCount = 0;
      parent.read[parent.readCount++] = node;
    }
    if (node.isLeaf) {
      one(node.types[0], in, node.own[0]);
      return;
    }
    int from = in.at;
    for (int at = 0; at < node.types.length; at++) {
      in.back(from);
      one(node.types[at], in, node.own[at]);
    }
    if (node.read.length > 0) {
      in.back(from);
      inside(node, in);
    }
  }

  private void one(JsonType type, JsonReader in, int slot) {
    if (!type.read(in, row, slot)) {
      wrong[slot] = true;
      faults++;
    }
  }

  /** Reads what is inside a value, which has to be an object for its members, and an array for its elements. */
  private void inside(Node node, JsonReader in) {
    byte sign = in.bytes[in.at];
    boolean isFailed = false;
    if (sign == '{' && node.members.length > 0) {
      members(node, in);
      isFailed = node.elements.length > 0;
    } else if (sign == '[' && node.elements.length > 0) {
      elements(node, in);
      isFailed = node.members.length > 0;
    } else if (!in.isNull()) {
      in.skip();
      isFailed = true;
    }
    if (isFailed) {
      node.isFailed = true;
      faults++;
    }
  }

  /** Takes back what a member read that comes again: no more than was read since it came last, however many fields are inside it. */
  private void forget(Node node) {
    for (int slot : node.own) {
      row.setObject(slot, null);
      faults -= wrong[slot] ? 1 : 0;
      wrong[slot] = false;
    }
    faults -= node.isFailed ? 1 : 0;
    node.isFailed = false;
    while (node.readCount > 0) {
      Node inner = node.read[--node.readCount];
      forget(inner);
      inner.seen = 0;
    }
  }
}
