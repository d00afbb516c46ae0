package weir.decode;

/** Instants and dates in texts, as {@code jobs/base/iso_times.py} reads them. */
final class Times {
  static final long NONE = Long.MIN_VALUE;
  static final long MIN_INSTANT = -62_135_596_800_000_000L; // 0001-01-01
  static final long MAX_INSTANT = 253_402_300_800_000_000L; // year 10000, exclusive
  static final int MIN_DAY = -719_162;
  static final int MAX_DAY = 2_932_896;
  private static final long DAY_US = 86_400_000_000L;
  private static final long MINUTE_US = 60_000_000L;

  private Times() {}

  /** The days since 1970 of {@code YYYY-MM-DD}, or {@link #NONE}. */
  static long day(byte[] text, int from, int to) {
    return to - from == 10 ? dayAt(text, from) : NONE;
  }

  private static long dayAt(byte[] text, int from) {
    int century = two(text, from);
    int year = two(text, from + 2);
    int month = two(text, from + 5);
    int day = two(text, from + 8);
    if ((century | year | month | day) < 0 || text[from + 4] != '-' || text[from + 7] != '-') {
      return NONE;
    }
    year += 100 * century;
    if (year == 0 || month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) {
      return NONE;
    }
    return daysSince1970(year, month, day);
  }

  private static int daysOf(int year, int month) {
    if (month == 2) {
      return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
    }
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
  }

  private static long daysSince1970(int year, int month, int day) {
    // Years begin in March here, so that the leap day is their last.
    int shifted = month > 2 ? year : year - 1;
    int century = shifted / 100;
    int days = 365 * shifted + shifted / 4 - century + century / 4;
    return days + (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1 - 719_468L;
  }

  /** The microseconds since 1970 of an ISO text, which may have control characters and blanks around it, or {@link #NONE}. */
  static long instant(byte[] text, int begin, int end) {
    int from = begin;
    int to = end;
    while (from < to && text[from] >= 0 && text[from] <= ' ') {
      from++;
    }
    while (from < to && text[to - 1] >= 0 && text[to - 1] <= ' ') {
      to--;
    }
    if (to - from < 10) {
      return NONE;
    }
    long day = dayAt(text, from);
    if (day == NONE) {
      return NONE;
    }
    if (to - from == 10) {
      return day * DAY_US;
    }
    byte between = text[from + 10];
    if ((between != 'T' && between != ' ') || to - from < 16) {
      return NONE;
    }
    return timed(text, from + 11, to, day * DAY_US);
  }

  private static long timed(byte[] text, int from, int to, long midnight) {
    int hour = two(text, from);
    int minute = two(text, from + 3);
    if (hour < 0 || hour > 23 || text[from + 2] != ':' || minute < 0 || minute > 59) {
      return NONE;
    }
    long micros = midnight + (hour * 60L + minute) * MINUTE_US;
    int at = from + 5;
    if (at < to && text[at] == ':') {
      int second = to - at >= 3 ? two(text, at + 1) : -1;
      if (second < 0 || second > 59) {
        return NONE;
      }
      micros += second * 1_000_000L;
      at += 3;
      if (at < to && text[at] == '.') {
        int begin = ++at;
        long fraction = 0;
        while (at < to && text[at] >= '0' && text[at] <= '9') {
          fraction = at - begin < 6 ? fraction * 10 + (text[at] - '0') : fraction;
          at++;
        }
        if (at == begin || at - begin > 9) {
          return NONE;
        }
        for (int digits = at - begin; digits < 6; digits++) {
          fraction *= 10;
        }
        micros += fraction;
      }
    }
    long offset = offset(text, at, to);
    return offset == NONE ? NONE : inYears(micros - offset);
  }

  /** Microseconds of an offset that goes to the end of the text; 0 for none. */
  private static long offset(byte[] text, int at, int to) {
    if (at == to || (to - at == 1 && text[at] == 'Z')) {
      return 0;
    }
    if (to - at != 6 || (text[at] != '+' && text[at] != '-') || text[at + 3] != ':') {
      return NONE;
    }
    int hours = two(text, at + 1);
    int minutes = two(text, at + 4);
    if (hours < 0 || minutes < 0 || minutes > 59 || hours * 60 + minutes > 18 * 60) {
      return NONE;
    }
    long micros = (hours * 60L + minutes) * MINUTE_US;
    return text[at] == '-' ? -micros : micros;
  }

  /** The instant, or {@link #NONE} where it is outside the years 1 to 9999. */
  static long inYears(long micros) {
    return micros >= MIN_INSTANT && micros < MAX_INSTANT ? micros : NONE;
  }

  private static int two(byte[] text, int at) {
    int tens = text[at] - '0';
    int ones = text[at + 1] - '0';
    return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
  }
}
