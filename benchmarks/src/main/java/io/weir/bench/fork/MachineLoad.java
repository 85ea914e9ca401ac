package io.weir.bench.fork;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * How much processor time other processes and the hypervisor took during measurements. A run on a
 * busy machine reports that itself.
 */
public final class MachineLoad {
  private static final Path STAT = Path.of("/proc/stat");
  private static final double TICKS_PER_SECOND = 100;
  private static final double QUIET = 0.05;

  private double allSeconds;
  private double foreignSeconds;
  private double stolenSeconds;
  private double worstForeignShare;

  /** Without measurements yet. */
  public MachineLoad() {}

  /** The machine's counters, in seconds, at the start of a measurement. */
  public record Before(double all, double busy, double stolen) {}

  /** To be called before a measurement. */
  public Before before() {
    double[] ticks = ticks();
    double all = 0;
    for (double tick : ticks) {
      all += tick;
    }
    double idle = ticks[3] + ticks[4];
    return new Before(
        all / TICKS_PER_SECOND,
        (all - idle - ticks[7]) / TICKS_PER_SECOND,
        ticks[7] / TICKS_PER_SECOND);
  }

  /** To be called after it, with the processor time of the measurement itself. */
  public void after(Before before, long childCpuNanos) {
    Before now = before();
    double all = now.all - before.all;
    double foreign = Math.max(0, now.busy - before.busy - childCpuNanos / 1e9);
    if (all > 0) {
      allSeconds += all;
      foreignSeconds += foreign;
      stolenSeconds += now.stolen - before.stolen;
      worstForeignShare = Math.max(worstForeignShare, foreign / all);
    }
  }

  /** As a sentence. */
  public String sentence() {
    if (allSeconds == 0) {
      return "Whether the machine was quiet cannot be measured here.";
    }
    double share = foreignSeconds / allSeconds;
    return String.format(
        Locale.ROOT,
        "%s: other processes took %.1f %% of the processors while measuring (%.0f %% during the worst"
            + " measurement), the hypervisor %.1f %%.",
        share <= QUIET ? "The machine was quiet" : "THE MACHINE WAS BUSY, discard these results",
        100 * share,
        100 * worstForeignShare,
        100 * stolenSeconds / allSeconds);
  }

  /** User, nice, system, idle, iowait, irq, softirq, steal. */
  private static double[] ticks() {
    double[] ticks = new double[8];
    try {
      String[] words = Files.readString(STAT).lines().findFirst().orElse("").split(" +");
      for (int i = 0; i < ticks.length && i + 1 < words.length; i++) {
        ticks[i] = Double.parseDouble(words[i + 1]);
      }
    } catch (IOException e) {
      // Not Linux: no data.
    }
    return ticks;
  }
}
