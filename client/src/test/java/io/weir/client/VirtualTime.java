package io.weir.client;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.client.pace.DelayScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that the test advances, as fast as possible. */
public final class VirtualTime implements DelayScheduler {
  private static final long ORIGIN = 1_700_000_000_300_000_000L;

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
  private final ManualTime time = TimeSource.manual().setNanos(ORIGIN);
  private long order;

  private record Event(long at, long order, Runnable task) {}

  /** For limits that decide in this time. */
  public TimeSource source() {
    return time;
  }

  @Override
  public long nanos() {
    return time.epochNanos();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochSecond(0, time.epochNanos());
  }

  @Override
  public ScheduledTask after(long nanos, Runnable task) {
    Event event = new Event(nanos() + Math.max(0, nanos), order++, task);
    events.add(event);
    return () -> events.remove(event);
  }

  /** Lets so much time pass, with all that happens in it. */
  public void pass(Duration span) {
    long end = nanos() + span.toNanos();
    while (!events.isEmpty() && events.peek().at() <= end) {
      Event event = events.remove();
      time.setNanos(event.at());
      event.task().run();
    }
    time.setNanos(end);
  }
}
