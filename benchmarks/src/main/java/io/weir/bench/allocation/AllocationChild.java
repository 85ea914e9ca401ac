package io.weir.bench.allocation;

import com.sun.management.ThreadMXBean;
import io.weir.Decision;
import io.weir.bench.contender.CaseLimit;
import io.weir.bench.contender.Contender;
import io.weir.bench.contender.KeyedLimiter;
import io.weir.bench.contender.WeirLimiter;
import io.weir.bench.fork.ChildOutput;
import java.lang.management.ManagementFactory;

/**
 * A JVM that counts what one contender allocates on the calling thread, with prebuilt keys. Prints
 * a line {@code bytes CASE BYTES} for each case.
 */
final class AllocationChild {
  private static final int KEYS = 100_000;
  private static final int WARMUP = 3_000_000;
  private static final int CHECKS = 1_000_000;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Written but never read, so that the JIT cannot remove the work. */
  @SuppressWarnings("unused")
  private static volatile Object sink;

  private AllocationChild() {}

  public static void main(String[] args) {
    Contender contender = Contender.of(args[0]);
    try (ChildOutput childOutput = new ChildOutput()) {
      String[] one = {"user-4711"};
      String[] many = new String[KEYS];
      for (int i = 0; i < KEYS; i++) {
        many[i] = "user-" + i;
      }
      measure(childOutput, "allow", contender.open(CaseLimit.ALWAYS, 1), one);
      measure(childOutput, "deny", contender.open(CaseLimit.NEVER, 1), one);
      measure(childOutput, "keys", contender.open(CaseLimit.MANY, KEYS), many);
    }
  }

  private static void measure(
      ChildOutput childOutput, String name, KeyedLimiter keyedLimiter, String[] keys) {
    childOutput.say(
        "bytes", "tryAcquire", name, bytes(keys, key -> keyedLimiter.tryAcquire(key) ? 1 : 0));
    if (keyedLimiter instanceof WeirLimiter weir) {
      childOutput.say("bytes", "check", name, bytes(keys, key -> used(weir.check(key))));
      childOutput.say("bytes", "check, kept", name, bytes(keys, key -> kept(weir.check(key))));
    }
  }

  private static double bytes(String[] keys, Check check) {
    run(keys, check, WARMUP);
    long before = THREADS.getCurrentThreadAllocatedBytes();
    run(keys, check, CHECKS);
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    return allocated / (double) CHECKS;
  }

  private static void run(String[] keys, Check check, int times) {
    long sum = 0;
    int next = 0;
    for (int i = 0; i < times; i++) {
      sum += check.run(keys[next]);
      if (++next == keys.length) {
        next = 0;
      }
    }
    sink = sum;
  }

  /** Reads what a response needs and drops the decision. */
  private static long used(Decision decision) {
    return decision.remaining() + (decision.allowed() ? 1 : 0);
  }

  /** Passes the decision on. */
  private static long kept(Decision decision) {
    sink = decision;
    return 1;
  }

  private interface Check {
    long run(String key);
  }
}
