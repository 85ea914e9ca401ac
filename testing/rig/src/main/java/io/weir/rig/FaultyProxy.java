package io.weir.rig;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A proxy that simulates a bad network in front of a server. Thread-safe.
 *
 * <p>Each direction has its own {@link Fault}, which can be changed while connections are open and
 * applies to later bytes. New connections are accepted, closed or left hanging.
 */
public final class FaultyProxy implements AutoCloseable {
  private final ServerSocket listener;
  private final int target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Set<Socket> orphans = ConcurrentHashMap.newKeySet();
  private final AtomicLong accepted = new AtomicLong();
  private final Direction toServer = new Direction();
  private final Direction toClient = new Direction();
  private volatile AcceptMode acceptMode = AcceptMode.OPEN;

  /** What happens to bytes in one direction. */
  public sealed interface Fault {
    /** They arrive. */
    Fault NONE = new Late(Duration.ZERO);

    /** They are not read, so the sender's buffers fill up. */
    Fault STALL = new Stall();

    /**
     * They are read and discarded: a half-open connection, as after a pulled cable. An affected
     * connection stays so.
     */
    Fault SWALLOW = new Swallow();

    /** They arrive {@code delay} later. */
    static Fault late(Duration delay) {
      return new Late(delay);
    }

    /** After {@code bytes} more bytes the connection is cut, possibly within a message. */
    static Fault cutAfter(long bytes) {
      return new CutAfter(new AtomicLong(bytes));
    }
  }

  private record Late(Duration delay) implements Fault {}

  private record Stall() implements Fault {}

  private record Swallow() implements Fault {}

  private record CutAfter(AtomicLong left) implements Fault {}

  /** What happens to new connections. */
  public enum AcceptMode {
    /** They are connected with the server. */
    OPEN,
    /** They are closed at once. */
    SLAMMED,
    /** They are accepted but not connected. */
    BRICKED_UP
  }

  /** Creates a proxy in front of {@code target}, a port of this machine. */
  public FaultyProxy(int target) {
    this.target = target;
    try {
      listener = listen();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start("proxy", this::accept);
  }

  /** Tries another port if the first was taken in the meantime. */
  private static ServerSocket listen() throws IOException {
    for (int attempt = 0; ; attempt++) {
      ServerSocket socket = new ServerSocket();
      try {
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.free()), 1000);
        return socket;
      } catch (BindException taken) {
        socket.close();
        if (attempt == 3) {
          throw taken;
        }
      }
    }
  }

  /** Its port on 127.0.0.1. */
  public int port() {
    return listener.getLocalPort();
  }

  /** {@code redis://127.0.0.1:port}. */
  public String url() {
    return "redis://127.0.0.1:" + port();
  }

  /** Sets the fault from clients to the server. */
  public FaultyProxy toServer(Fault fault) {
    toServer.set(fault);
    return this;
  }

  /** Sets the fault from the server to clients. */
  public FaultyProxy toClient(Fault fault) {
    toClient.set(fault);
    return this;
  }

  /** Sets the fault in both directions. */
  public FaultyProxy both(Fault fault) {
    return toServer(fault).toClient(fault);
  }

  /** Sets what happens to new connections. */
  public FaultyProxy door(AcceptMode acceptMode) {
    this.acceptMode = acceptMode;
    return this;
  }

  /** Removes all faults; stalled connections go on. */
  public FaultyProxy heal() {
    return both(Fault.NONE).door(AcceptMode.OPEN);
  }

  /** Resets all open connections. */
  public void drop() {
    sockets.forEach(FaultyProxy::reset);
    sockets.removeIf(Socket::isClosed);
  }

  /**
   * Discards all further bytes and closes on the open connections, as after a power loss of the
   * other side. New connections are not affected.
   */
  public void orphan() {
    orphans.addAll(sockets);
  }

  /** The number of open connections. */
  public int connections() {
    return sockets.size() / 2;
  }

  /** The number of connections accepted so far. */
  public long accepted() {
    return accepted.get();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        accepted.incrementAndGet();
        connect(client);
      } catch (IOException closed) {
        // The proxy closed, or the client left before the connection was ready; the loop checks
        // which.
      }
    }
  }

  private void connect(Socket client) {
    switch (acceptMode) {
      case SLAMMED -> reset(client);
      case BRICKED_UP -> sockets.add(client);
      case OPEN -> {
        try {
          client.setTcpNoDelay(true);
          Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
          server.setTcpNoDelay(true);
          sockets.add(client);
          sockets.add(server);
          start("proxy-up", () -> carry(client, server, toServer));
          start("proxy-down", () -> carry(server, client, toClient));
        } catch (IOException serverIsGone) {
          reset(client);
        }
      }
    }
  }

  private void carry(Socket from, Socket to, Direction direction) {
    byte[] bytes = new byte[1 << 16];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      while (true) {
        direction.awaitNoStall();
        int length = in.read(bytes);
        if (length < 0) {
          break;
        }
        Fault fault = orphans.contains(from) ? Fault.SWALLOW : direction.awaitNoStall();
        if (fault instanceof Swallow) {
          // TCP loses nothing in the middle of a stream: what follows must not arrive either.
          orphans.add(from);
          orphans.add(to);
        }
        if (fault instanceof Late late) {
          direction.sleep(late.delay());
          out.write(bytes, 0, length);
        } else if (fault instanceof CutAfter cut) {
          long left = cut.left().getAndAdd(-length);
          out.write(bytes, 0, (int) Math.max(0, Math.min(left, length)));
          if (left <= length) {
            break;
          }
        }
      }
    } catch (IOException | InterruptedException end) {
      // One side of the connection ended.
    }
    // A pulled cable does not deliver a close either.
    if (!direction.swallows() && !orphans.contains(to)) {
      reset(to);
    }
    reset(from);
    sockets.remove(from);
    if (to.isClosed()) {
      sockets.remove(to);
      orphans.removeAll(Set.of(from, to));
    }
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException closedAlready) {
      // Closing was the intention.
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    heal();
    drop();
    orphans.forEach(FaultyProxy::reset);
  }

  /** One direction of a connection. */
  private static final class Direction {
    private Fault fault = Fault.NONE;

    synchronized void set(Fault changed) {
      fault = changed;
      notifyAll();
    }

    synchronized boolean swallows() {
      return fault instanceof Swallow;
    }

    synchronized Fault awaitNoStall() throws InterruptedException {
      while (fault instanceof Stall) {
        wait();
      }
      return fault;
    }

    /** Sleeps for {@code delay}, or until the fault changes. */
    synchronized void sleep(Duration delay) throws InterruptedException {
      Fault before = fault;
      long end = System.nanoTime() + delay.toNanos();
      for (long left = delay.toNanos();
          left > 0 && fault.equals(before);
          left = end - System.nanoTime()) {
        wait(left / 1_000_000, (int) (left % 1_000_000));
      }
    }
  }
}
