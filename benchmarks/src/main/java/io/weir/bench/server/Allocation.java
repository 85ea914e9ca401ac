package io.weir.bench.server;

import com.sun.management.ThreadMXBean;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * The bytes that the threads of another JVM have allocated, by its own counters. A query costs that
 * JVM some kilobytes, which is negligible beside a hundred thousand requests.
 */
final class Allocation implements AutoCloseable {
  private final JMXConnector connector;
  private final ThreadMXBean threads;

  private Allocation(JMXConnector connector, ThreadMXBean threads) {
    this.connector = connector;
    this.threads = threads;
  }

  /** For the JVM with this process id, which must be a child of this one. */
  @SuppressWarnings("BanJNDI") // Connects to a child process, at the address that it reported.
  static Allocation of(long pid) throws IOException {
    try {
      VirtualMachine machine = VirtualMachine.attach("" + pid);
      String address = machine.startLocalManagementAgent();
      machine.detach();
      JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address));
      return new Allocation(
          connector,
          ManagementFactory.newPlatformMXBeanProxy(
              connector.getMBeanServerConnection(),
              ManagementFactory.THREAD_MXBEAN_NAME,
              ThreadMXBean.class));
    } catch (AttachNotSupportedException e) {
      throw new IOException("cannot attach to JVM " + pid, e);
    }
  }

  /** By all live threads, since they were started. */
  long bytes() {
    return Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
        .filter(bytes -> bytes > 0)
        .sum();
  }

  @Override
  public void close() throws IOException {
    connector.close();
  }
}
