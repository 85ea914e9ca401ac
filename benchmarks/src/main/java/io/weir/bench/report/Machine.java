package io.weir.bench.report;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** The type of this machine, without its host name. */
public final class Machine {
  private Machine() {}

  /** Processor, memory, system and JVM. */
  public static String description() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return String.format(
        "%d × %s, %d GiB, %s, kernel %s; %s %s (%s)",
        system.getAvailableProcessors(),
        field("/proc/cpuinfo", "model name", ":", "processor of unknown kind"),
        Math.round(system.getTotalMemorySize() / (double) (1 << 30)),
        field("/etc/os-release", "PRETTY_NAME", "=", system.getName()),
        number(system.getVersion()),
        System.getProperty("java.vm.name"),
        System.getProperty("java.runtime.version"),
        System.getProperty("java.vendor"));
  }

  /**
   * The version of a kernel, without the suffix of its builders: {@code 6.1.0} of 6.1.0-21-amd64.
   */
  private static String number(String kernel) {
    return kernel.replaceFirst("[^0-9.].*", "");
  }

  private static String field(String file, String name, String separator, String otherwise) {
    try {
      return Files.readString(Path.of(file))
          .lines()
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(separator) + 1).replace("\"", "").strip())
          .findFirst()
          .orElse(otherwise);
    } catch (IOException e) {
      return otherwise;
    }
  }
}
