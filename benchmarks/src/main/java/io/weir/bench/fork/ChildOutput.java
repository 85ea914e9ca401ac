package io.weir.bench.fork;

import com.sun.management.OperatingSystemMXBean;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;

/**
 * The output of a measuring JVM, line by line. It reserves standard output: what libraries print
 * there goes to standard error.
 */
public final class ChildOutput implements AutoCloseable {
  static final String MARK = "@\t";
  static final String CPU = "cpu";

  private final PrintStream out;

  /** To be called first in {@code main}. */
  @SuppressWarnings("SystemOut")
  public ChildOutput() {
    out = System.out;
    System.setOut(System.err);
  }

  /** Prints one line. */
  public void say(Object... words) {
    StringBuilder line = new StringBuilder(MARK);
    for (Object word : words) {
      line.append(word).append('\t');
    }
    out.println(line);
    out.flush();
  }

  /** Prints the processor time of this JVM as the last line. */
  @Override
  public void close() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    say(CPU, system.getProcessCpuTime());
  }
}
