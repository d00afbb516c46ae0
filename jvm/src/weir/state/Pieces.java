package weir.state;

import java.nio.ByteBuffer;

/** Bytes inside the bytes of a state, each after its length; null has the length -1. */
final class Pieces {
  private static final int ABSENT = -1;

  private Pieces() {}

  static int size(byte[] piece) {
    return Integer.BYTES + (piece == null ? 0 : piece.length);
  }

  static void put(ByteBuffer into, byte[] piece) {
    into.putInt(piece == null ? ABSENT : piece.length);
    if (piece != null) {
      into.put(piece);
    }
  }

  static byte[] get(ByteBuffer from) {
    int size = from.getInt();
    if (size == ABSENT) {
      return null;
    }
    byte[] piece = new byte[size];
    from.get(piece);
    return piece;
  }
}
