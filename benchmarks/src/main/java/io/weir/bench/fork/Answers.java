package io.weir.bench.fork;

import com.sun.management.OperatingSystemMXBean;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;

/**
 * What a measuring JVM has to say, line by line. It takes standard output for itself: whatever a
 * library prints there goes to standard error.
 */
public final class Answers implements AutoCloseable {
  static final String MARK = "@\t";
  static final String CPU = "cpu";

  private final PrintStream out;

  /** Call first in {@code main}. */
  @SuppressWarnings("SystemOut")
  public Answers() {
    out = System.out;
    System.setOut(System.err);
  }

  /** One line: {@code words} and what belongs to them. */
  public void say(Object... words) {
    StringBuilder line = new StringBuilder(MARK);
    for (Object word : words) {
      line.append(word).append('\t');
    }
    out.println(line);
    out.flush();
  }

  /** Says last how much processor time this JVM has used. */
  @Override
  public void close() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    say(CPU, system.getProcessCpuTime());
  }
}
