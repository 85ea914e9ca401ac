package io.weir.bench.contest;

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
 * How many bytes the threads of another JVM have allocated, by its own counters. Asking costs that
 * JVM some kilobytes itself, which is nothing beside a hundred thousand requests.
 */
final class Allocation implements AutoCloseable {
  private final JMXConnector connector;
  private final ThreadMXBean threads;

  private Allocation(JMXConnector connector, ThreadMXBean threads) {
    this.connector = connector;
    this.threads = threads;
  }

  /** Of the JVM with this number, which must be one that we have started. */
  @SuppressWarnings("BanJNDI") // Connects to our own child, at the address that it told.
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
      throw new IOException("cannot look into JVM " + pid, e);
    }
  }

  /** By all threads that live, since they were started. */
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
