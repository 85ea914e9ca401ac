package io.weir.seeing;

import io.weir.arbiter.RuleTally;
import io.weir.arbiter.Tally;
import io.weir.rules.RuleSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Counts of requests and of each rule's decisions over time.
 *
 * <p>The decision path does no extra work: once a second the exact counters are read, and their
 * increase goes into the current slot of each {@link Range}. So the slots of a range that reaches
 * back to the start add up exactly to the counters.
 *
 * <p>Not thread-safe: belongs to the {@link Watchman}.
 */
public final class History {
  /*
   * Each used rule has a course of its own, of 4 KiB per outcome that ever occurred. There are at
   * most 500 courses: 8 MiB if all rules had all outcomes. Beyond that, the busiest rules have
   * them, by a measure that decays; a rule that became busier may replace one that became quieter.
   * All other rules together are the total minus these courses. So an exchange loses nothing, and
   * nothing counts twice.
   */

  /** The maximum number of rules with a course of their own. */
  public static final int MOST_COURSES = 500;

  private static final int MOST_IN_A_TICK = 50;
  private static final int MOST_EXCHANGES = 20;
  private static final int ELECTION_SECONDS = 60;
  private static final double FADING = 0.99; // per minute: halves in 69
  private static final long LONGEST_DELAY = 10;
  private static final long NEVER = Long.MAX_VALUE / 2;

  private final Tally tally;
  private final Supplier<RuleSet> inForce;
  private final int mostCourses;
  private final long started;
  private final Course all;
  private final Course requests;
  private final Minute minute;
  private final Minute requestMinute;
  private final Speed speed;
  private final long[] totals = new long[Track.COUNTERS];
  // the increase of the track that was read last
  private final long[] more = new long[Track.COUNTERS];
  private final List<Track> leaving = new ArrayList<>();
  private final Map<String, long[]> sinceTick = new HashMap<>();
  private final long[] allSinceTick = new long[Track.COUNTERS];
  private final long[] requestsSinceTick = new long[Requests.MEASURES];

  private Map<String, Track> tracks = new LinkedHashMap<>();
  private List<RuleTally> known = List.of();
  private long[] requestTotals = new long[Requests.MEASURES];
  private long now;
  private long lastElection;
  private int courses;

  /**
   * Starts a history.
   *
   * @param inForce the rules in force now
   * @param second now, since the epoch
   */
  public History(Tally tally, Supplier<RuleSet> inForce, long second) {
    this(tally, inForce, second, MOST_COURSES);
  }

  History(Tally tally, Supplier<RuleSet> inForce, long second, int mostCourses) {
    this.tally = tally;
    this.inForce = inForce;
    this.mostCourses = mostCourses;
    this.now = second;
    this.started = second;
    this.lastElection = second;
    this.all = new Course(Track.OUTCOMES, second);
    this.requests = new Course(Requests.MEASURES, second);
    this.minute = new Minute(Track.MEASURES, second);
    this.requestMinute = new Minute(Requests.MEASURES, second);
    this.speed = new Speed(tally.timings(), second);
    read(second);
  }

  /**
   * Reads the counters. While the clock is behind after a step back, counts go to the last slot.
   * After a delay of a few seconds, counts are spread evenly over the missed seconds. A longer gap
   * is a clock step forward, and all counts go to the present.
   *
   * @param second now, since the epoch
   */
  public void read(long second) {
    long before = now;
    now = Math.max(now, second);
    boolean isLate = now - before > 1 && now - before <= LONGEST_DELAY;
    long first = isLate ? before + 1 : now;
    adopt();
    for (Track track : tracks.values()) {
      if (track.read()) {
        note(track, first);
      } else if (track.minute != null && track.minute.isEmpty(now)) {
        track.minute = null;
      }
    }
    for (Track track : leaving) {
      if (track.read()) {
        noteOfAll(track, first);
      }
    }
    leaving.removeIf(track -> --track.farewells < 0);
    readRequests(first);
    speed.read(now);
    if (now - lastElection >= ELECTION_SECONDS) {
      lastElection = now;
      elect();
    }
  }

  private void readRequests(long first) {
    long[] counts = Requests.read(tally);
    for (int i = 0; i < counts.length; i++) {
      long more = counts[i] - requestTotals[i];
      if (more != 0) {
        requests.add(i, more, first, now);
        requestMinute.add(i, more, now);
        requestsSinceTick[i] += more;
      }
    }
    requestTotals = counts;
  }

  /** {@link #read}; returns the changes since the last tick. */
  public Tick tick(long second) {
    read(second);
    List<Tick.OfRule> busiest =
        sinceTick.entrySet().stream()
            .map(each -> new Tick.OfRule(each.getKey(), each.getValue()))
            .sorted(Comparator.comparingLong(Tick.OfRule::sum).reversed())
            .limit(MOST_IN_A_TICK)
            .toList();
    Counts together =
        new Counts(
            Arrays.copyOf(allSinceTick, Track.OUTCOMES),
            allSinceTick[Track.NEAR],
            Track.fallbacks(allSinceTick));
    Requests asked = Requests.of(requestsSinceTick);
    sinceTick.clear();
    Arrays.fill(allSinceTick, 0);
    Arrays.fill(requestsSinceTick, 0);
    return new Tick(now, asked, together, busiest, speed());
  }

  /** Adds tracks for new rules and retires those of removed rules. */
  // the list stays the same object while the rules do not change
  @SuppressWarnings("ReferenceEquality")
  private void adopt() {
    List<RuleTally> present = tally.rules(inForce);
    if (present == known) {
      return;
    }
    known = present;
    Map<Integer, Track> old = new HashMap<>();
    leaving.forEach(track -> old.put(track.tally.number(), track));
    tracks.values().forEach(track -> old.put(track.tally.number(), track));
    Set<Integer> numbers = present.stream().map(RuleTally::number).collect(Collectors.toSet());
    leaving.removeIf(track -> numbers.contains(track.tally.number()));
    Map<String, Track> next = new LinkedHashMap<>();
    for (RuleTally each : present) {
      Track known = old.remove(each.number());
      Track track = known == null ? new Track(each, now, more) : known;
      track.tally = each; // its label may have changed
      next.put(each.label(), track);
    }
    for (Track gone : tracks.values()) {
      if (old.containsKey(gone.tally.number())) {
        courses -= gone.course == null ? 0 : 1;
        gone.course = null;
        gone.farewells = Track.FAREWELLS;
        leaving.add(gone);
      }
    }
    tracks = next;
  }

  private void note(Track track, long first) {
    noteOfAll(track, first);
    Minute recent = track.minute;
    if (recent == null) {
      recent = new Minute(Track.MEASURES, now);
      track.minute = recent;
    }
    addTo(recent, track.more);
    Course own = track.course;
    if (own == null && courses < mostCourses) {
      own = begin(track, track.hasBeenAsked() ? now : track.since);
    }
    if (own != null) {
      addTo(own, track.more, first);
    }
    long decisions = track.moreDecisions();
    if (decisions > 0) {
      track.asked += decisions;
      track.lastActive = now;
      long[] sum = sinceTick.computeIfAbsent(track.tally.label(), any -> new long[Track.OUTCOMES]);
      for (int i = 0; i < Track.OUTCOMES; i++) {
        sum[i] += track.more[i];
      }
    }
  }

  private Course begin(Track track, long since) {
    courses++;
    Course own = new Course(Track.OUTCOMES, since);
    track.course = own;
    return own;
  }

  private void noteOfAll(Track track, long first) {
    for (int i = 0; i < Track.COUNTERS; i++) {
      totals[i] += track.more[i];
      allSinceTick[i] += track.more[i];
    }
    addTo(minute, track.more);
    addTo(all, track.more, first);
  }

  private void addTo(Minute recent, long[] more) {
    for (int i = 0; i < Track.FALLBACKS; i++) {
      if (more[i] != 0) {
        recent.add(i, more[i], now);
      }
    }
    long fallbacks = Track.fallbacks(more);
    if (fallbacks != 0) {
      recent.add(Track.FALLBACKS, fallbacks, now);
    }
  }

  private void addTo(Course line, long[] more, long first) {
    for (int i = 0; i < Track.OUTCOMES; i++) {
      if (more[i] != 0) {
        line.add(i, more[i], first, now);
      }
    }
  }

  /** Gives courses to the busiest rules and takes them from quieter ones. */
  private void elect() {
    for (Track track : tracks.values()) {
      track.busyness = track.busyness * FADING + track.asked;
      track.asked = 0;
    }
    if (courses < mostCourses) {
      return;
    }
    List<Track> without =
        tracks.values().stream()
            .filter(track -> track.course == null && track.busyness > 0)
            .sorted(Comparator.comparingDouble((Track track) -> track.busyness).reversed())
            .limit(MOST_EXCHANGES)
            .toList();
    List<Track> with =
        tracks.values().stream()
            .filter(track -> track.course != null)
            .sorted(Comparator.comparingDouble(track -> track.busyness))
            .limit(MOST_EXCHANGES)
            .toList();
    for (int i = 0; i < Math.min(with.size(), without.size()); i++) {
      if (without.get(i).busyness > 2 * with.get(i).busyness) {
        with.get(i).course = null;
        courses--;
        begin(without.get(i), now + 1);
      }
    }
  }

  /** When it began, in seconds since the epoch. */
  public long started() {
    return started;
  }

  /** The requests since the start. */
  public Requests requests() {
    return Requests.of(requestTotals);
  }

  /** The requests of the last minute. */
  public Requests requestsOfLastMinute() {
    long[] counts = new long[Requests.MEASURES];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = requestMinute.sum(i, now);
    }
    return Requests.of(counts);
  }

  /** The requests over time. */
  public Chart requests(Range range) {
    long[][] counts = new long[Requests.MEASURES][];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = requests.read(range, i, now);
    }
    return drawn(range, List.of(new Line(null, requests.unknown(range, now), counts)));
  }

  /** The decisions since the start, including those of removed rules. */
  public Counts totals() {
    return new Counts(
        Arrays.copyOf(totals, Track.OUTCOMES), totals[Track.NEAR], Track.fallbacks(totals));
  }

  /**
   * How many decisions each {@link io.weir.OnFailure} made since the start, in the order of the
   * enum.
   */
  public long[] fallbacks() {
    return Arrays.copyOfRange(totals, Track.FALLBACKS, Track.COUNTERS);
  }

  /** The decisions of the last minute. */
  public Counts lastMinute() {
    return Track.counts(minute, now);
  }

  /** How many decisions of each rule were made without the store in the last minute. */
  Map<String, Long> lastMinuteFallbacks() {
    Map<String, Long> byRule = new LinkedHashMap<>();
    if (minute.sum(Track.FALLBACKS, now) > 0) {
      for (Track track : tracks.values()) {
        long count = track.minute == null ? 0 : track.minute.sum(Track.FALLBACKS, now);
        if (count > 0) {
          byRule.put(track.tally.label(), count);
        }
      }
    }
    return byRule;
  }

  /** How many seconds that minute covers so far. */
  public long lastMinuteSeconds() {
    return Math.max(1, Math.min(Minute.seconds(now), now - started + 1));
  }

  /** The decision times of the last minute. */
  public Speed.Quantiles speed() {
    return speed.quantiles(now);
  }

  /** The history of a rule; null if it was not in force a second ago or is not now. */
  public @Nullable RuleHistory rule(String label) {
    Track track = tracks.get(label);
    return track == null ? null : RuleHistory.of(track, now);
  }

  /** Records how many decisions the overflow bucket of a rule has made so far. */
  public void overflowed(String label, long times) {
    Track track = tracks.get(label);
    if (track != null && times != track.overflowed) {
      track.overflowed = times;
      track.lastOverflow = now;
    }
  }

  private Course course(String label) {
    Track track = tracks.get(label);
    if (track == null) {
      return new Course(Track.OUTCOMES, NEVER); // for example, it is off
    }
    Course own = track.course;
    // A rule without a course was either never used, or its decisions were not recorded.
    return own == null
        ? new Course(Track.OUTCOMES, track.hasBeenAsked() ? NEVER : track.since)
        : own;
  }

  /** The decisions of one rule over time. */
  public Chart chart(Range range, String label) {
    return drawn(range, List.of(line(label, course(label), range)));
  }

  /**
   * The busiest rules, the busiest first, then all others combined. They add up to the decisions of
   * all rules. That may exceed the number of requests, because a request counts in each rule that
   * applied.
   */
  public Chart byRule(Range range, int top) {
    List<Line> lines = new ArrayList<>();
    for (Track track : tracks.values()) {
      if (track.course != null) {
        lines.add(line(track.tally.label(), track.course, range));
      }
    }
    lines.sort(Comparator.comparingLong(Line::sum).reversed());
    List<Line> shown = new ArrayList<>(lines.subList(0, Math.min(top, lines.size())));
    shown.removeIf(line -> line.sum() == 0);
    Line others = line(null, all, range);
    for (Line line : shown) {
      others = others.minus(line);
    }
    shown.add(others);
    return drawn(range, shown);
  }

  private Chart drawn(Range range, List<Line> lines) {
    return new Chart(range, (range.slot(now) + 1) * range.step(), lines);
  }

  private Line line(@Nullable String label, Course of, Range range) {
    long[][] counts = new long[Track.OUTCOMES][];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = of.read(range, i, now);
    }
    return new Line(label, of.unknown(range, now), counts);
  }

  /** The approximate memory use, in bytes. */
  public long bytes() {
    long bytes = all.bytes() + requests.bytes();
    for (Track track : tracks.values()) {
      bytes += 400; // the track itself and its table entry
      bytes += track.minute == null ? 0 : 64 + 4L * Minute.SLOTS * Track.MEASURES;
      bytes += track.course == null ? 0 : track.course.bytes();
    }
    return bytes;
  }
}
