package touchline.peer;

import java.util.List;
import touchline.ReportedValue;

/** The nominal length of the halves of a match, minutes. */
record Periods(int half) {
  static final Periods USUAL = new Periods(45);
  private static final int PERIOD_LENGTH = 16;
  private static final int PERIODS = 17;
  private static final int LONGEST = 60;

  /** Reads them from the details of an event; null for none. */
  static Periods of(List<ReportedValue> details) {
    if (details == null) return USUAL;
    Integer length = null;
    Integer periods = null;
    for (ReportedValue one : details) {
      if (one.getId() == PERIOD_LENGTH) length = Values.count(one.getValue());
      if (one.getId() == PERIODS) periods = Values.count(one.getValue());
    }
    boolean twoHalves = periods == null || periods == 2;
    return new Periods(within(twoHalves ? length : null, USUAL.half));
  }

  private static int within(Integer length, int usual) {
    return length == null || length < 1 || length > LONGEST ? usual : length;
  }

  /** Returns a minute as shown, e.g. 45+2: above the end of its period, the end plus the excess. `time`: seconds. */
  String minute(int time, Integer phase) {
    int minute = (int) Math.ceil(time / 60.0);
    int end = phase == null ? 0 : endOf(phase);
    return end > 0 && minute > end ? end + "+" + (minute - end) : Integer.toString(minute);
  }

  /** The last minute of the period of a status; 0 where it has none. A break belongs to the period before it. */
  private int endOf(int status) {
    return switch (status) {
      case 33, 9 -> half;
      case 34, 11 -> 2 * half;
      default -> 0;
    };
  }
}
