package io.weir.chaos;

import io.weir.chaos.audit.Contract;
import io.weir.rig.Program;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Controls a {@link NodeMain} process: starts it, sends requests to it, and disturbs it. */
final class NodeProcess implements AutoCloseable {
  private static final String SOCKET = "node.sock";
  private static final long ANSWER_SECONDS = 20;
  private static final int FORGETFUL = 3; // every third node has no state file

  private final int number;
  private final Peer peer;
  private final Program program;
  private final AtomicInteger lives = new AtomicInteger(1);
  private volatile ControlConnection controlConnection;
  private volatile boolean isAwake = true;
  private volatile Duration clockAhead = Duration.ZERO;
  private volatile long rate;

  private NodeProcess(int number, Peer peer, Program program) throws IOException {
    this.number = number;
    this.peer = peer;
    this.program = program;
    this.controlConnection = new ControlConnection(program.directory());
  }

  static NodeProcess start(int number, Peer peer, String url) {
    Path directory = Program.directory(peer.name());
    List<String> command = new ArrayList<>(peer.entrance());
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            classPath(),
            NodeMain.class.getName(),
            directory.resolve(SOCKET).toString(),
            number % FORGETFUL == 0 ? url : withState(url, directory.resolve("nodes"))));
    Program program = Program.start(directory, command, () -> responds(directory));
    try {
      return new NodeProcess(number, peer, program);
    } catch (IOException e) {
      program.close();
      throw new IllegalStateException(peer + " does not answer:\n" + program.log(), e);
    }
  }

  /** The URL with {@code file} as the file that stores the number of nodes. */
  private static String withState(String url, Path file) {
    return url.replace("#", "&state=" + file + "#");
  }

  /** Absolute, since the process has another working directory. */
  private static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .reduce((one, other) -> one + File.pathSeparator + other)
        .orElseThrow();
  }

  private static boolean responds(Path directory) throws IOException {
    try (UnixSocket socket = UnixSocket.connect(directory.resolve(SOCKET))) {
      return true;
    }
  }

  int number() {
    return number;
  }

  Peer peer() {
    return peer;
  }

  /** Whether the process exists, stopped or not. */
  boolean isThere() {
    return !controlConnection.isCut;
  }

  /** Opens a limiter on the node, and waits until it is open, at most for {@code timeout}. */
  void open(Contract contract, Duration timeout) throws Exception {
    controlConnection
        .send("open " + contract.toLine())
        .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Sends {@code count} checks in a row. */
  CompletableFuture<List<TimedDecision>> check(String limiter, String user, int count) {
    return controlConnection
        .send("check " + limiter + " " + user + " " + count)
        .thenApply(reply -> Stream.of(reply.split(" ", -1)).map(TimedDecision::parse).toList());
  }

  /**
   * Sets its wall clock this far ahead of the machine's, or behind it, wherever it is now. The
   * offset survives a restart of the node, since it belongs to the simulated machine.
   */
  void putClock(Duration ahead) {
    int step = ahead.compareTo(clockAhead);
    clockAhead = ahead;
    if (step != 0 && isRunning()) {
      lives.addAndGet(step > 0 ? 1 : 0);
      sendClock();
    }
  }

  /**
   * Lets its monotonic clock be faster by so many millionths; one that starts again has the rate.
   */
  void setRate(long millionths) {
    boolean isOther = millionths != rate;
    rate = millionths;
    if (isOther && isRunning()) {
      sendRate();
    }
  }

  private void sendRate() {
    controlConnection.send("rate " + rate).orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS).join();
  }

  /** How far its wall clock is ahead of the machine's. */
  Duration clockAhead() {
    return clockAhead;
  }

  private void sendClock() {
    controlConnection
        .send("clock " + clockAhead.toMillis())
        .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
        .join();
  }

  /** How far the time of a limiter is ahead of the machine's wall clock. */
  Duration ahead(Contract contract) {
    return controlConnection
        .send("time " + contract.name())
        .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
        .thenApply(reply -> Duration.ofMillis(Long.parseLong(reply)))
        .join();
  }

  /**
   * How often it may have lost its local counts: with a process that ended, or because its clock
   * was stepped forward.
   */
  int lives() {
    return lives.get();
  }

  void kill() {
    program.kill();
  }

  /** Requests its end, and waits for it. */
  void leave() {
    program.stop();
  }

  void suspend() {
    isAwake = false;
    program.suspend();
  }

  void resume() {
    program.resume();
    isAwake = true;
  }

  /** Whether it is not stopped. */
  boolean isAwake() {
    return isAwake;
  }

  boolean isRunning() {
    return program.isRunning();
  }

  void startAgain() {
    lives.incrementAndGet();
    program.startAgain();
    try {
      controlConnection = new ControlConnection(program.directory());
      sendClock();
      sendRate();
    } catch (IOException e) {
      throw new IllegalStateException(peer + " does not answer:\n" + program.log(), e);
    }
  }

  String log() {
    return program.log();
  }

  @Override
  public void close() {
    program.close();
  }

  @Override
  public String toString() {
    return peer.name();
  }

  /** One connection; replies arrive in any order. */
  private static final class ControlConnection {
    private final UnixSocket socket;
    private final OutputStream out;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<String, CompletableFuture<String>> open = new ConcurrentHashMap<>();
    private volatile boolean isCut;

    ControlConnection(Path directory) throws IOException {
      socket = UnixSocket.connect(directory.resolve(SOCKET));
      out = socket.output();
      Thread reader = new Thread(this::read, "node-answers");
      reader.setDaemon(true);
      reader.start();
    }

    CompletableFuture<String> send(String order) {
      String number = Long.toString(numbers.incrementAndGet());
      CompletableFuture<String> reply = new CompletableFuture<>();
      open.put(number, reply);
      try {
        synchronized (out) {
          out.write((number + " " + order + "\n").getBytes(StandardCharsets.UTF_8));
        }
      } catch (IOException gone) {
        isCut = true;
      }
      if (isCut) {
        end();
      }
      return reply;
    }

    private void read() {
      try (socket;
          BufferedReader in =
              new BufferedReader(new InputStreamReader(socket.input(), StandardCharsets.UTF_8))) {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          int space = line.indexOf(' ');
          String number = space < 0 ? line : line.substring(0, space);
          String rest = space < 0 ? "" : line.substring(space + 1);
          CompletableFuture<String> reply = open.remove(number);
          if (reply != null && rest.startsWith("! ")) {
            reply.completeExceptionally(new NodeError(rest.substring(2)));
          } else if (reply != null && rest.equals("?")) {
            reply.completeExceptionally(new IOException("the node has not opened it yet"));
          } else if (reply != null) {
            reply.complete(rest);
          }
        }
      } catch (IOException gone) {
        // The connection ended.
      }
      isCut = true;
      end();
    }

    private void end() {
      for (String number : List.copyOf(open.keySet())) {
        CompletableFuture<String> reply = open.remove(number);
        if (reply != null) {
          reply.completeExceptionally(new IOException("the node is gone"));
        }
      }
    }
  }
}
