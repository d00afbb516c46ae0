package weir.decode;

import java.math.BigInteger;

/** In which timestamps count that are whole numbers, as change events write them; such dates count days. */
enum TimeUnit {
  MS(1_000),
  US(1),
  NS(0);

  private static final BigInteger THOUSAND = BigInteger.valueOf(1_000);
  private final BigInteger factor;

  TimeUnit(long factor) {
    this.factor = BigInteger.valueOf(factor);
  }

  /** The microseconds that a whole number stands for, or {@link Times#NONE}. */
  long instant(byte[] bytes, int from, int to) {
    BigInteger count = Numbers.whole(bytes, from, to);
    if (count == null) {
      return Times.NONE;
    }
    BigInteger micros = count.multiply(factor);
    if (this == NS) {
      BigInteger[] parts = count.divideAndRemainder(THOUSAND);
      micros = parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0];
    }
    return micros.bitLength() < Long.SIZE ? Times.inYears(micros.longValue()) : Times.NONE;
  }

  /** The microseconds that a count stands for, or {@link Times#NONE}. */
  long instant(long count) {
    if (this == NS) {
      return Times.inYears(Math.floorDiv(count, 1_000L));
    }
    long times = factor.longValue();
    long micros = count * times;
    return count < Times.MIN_INSTANT || count > Times.MAX_INSTANT || micros / times != count ? Times.NONE : Times.inYears(micros);
  }

  /** The day that a count stands for, or {@link Times#NONE}. */
  static long day(long count) {
    return count >= Times.MIN_DAY && count <= Times.MAX_DAY ? count : Times.NONE;
  }

  /** The day that a whole number stands for, or {@link Times#NONE}. */
  static long day(byte[] bytes, int from, int to) {
    BigInteger count = Numbers.whole(bytes, from, to);
    if (count == null || count.bitLength() >= Integer.SIZE) {
      return Times.NONE;
    }
    long day = count.longValue();
    return day >= Times.MIN_DAY && day <= Times.MAX_DAY ? day : Times.NONE;
  }
}
