package io.weir.chaos;

import io.weir.Decision;
import io.weir.RateLimiter;
import io.weir.TimeSource;
import io.weir.chaos.audit.Contract;
import io.weir.redis.RedisStore;
import io.weir.redis.SkewedStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A node: the limiter as an application embeds it, in its own process, with a line protocol over a
 * Unix socket.
 *
 * <pre>
 *   → 1 open NAME CONSISTENCY POLICY ALGORITHM PERMITS BURST MILLISECONDS ← 1
 *   → 2 check NAME USER COUNT                                    ← 2 yes:STORE:100:105 no:CACHE:106:106
 *   → 3 clock MILLISECONDS ahead of the machine's from now on    ← 3
 *   → 4 rate MILLIONTHS by which the monotonic clock is faster        ← 4
 *   → 5 time NAME                                                ← 5 MILLISECONDS ahead of the machine's
 *   a limiter that is not open                                   ← 2 ?
 *   what cannot be done                                          ← 2 ! why
 * </pre>
 *
 * <p>Each limiter follows the node's wall clock by its own time from when it is opened. Earlier
 * clock steps are forgotten with the limiters that saw them.
 */
final class NodeMain {
  private final NodeClock clock;
  private final RedisStore store;
  private final Map<String, Timed> limiters = new ConcurrentHashMap<>();
  private final ExecutorService workers = Executors.newFixedThreadPool(16);

  /** A limiter, and its time if it uses this node's clock. */
  private record Timed(RateLimiter limiter, TimeSource time) {}

  private NodeMain(NodeClock clock, RedisStore store) {
    this.clock = clock;
    this.store = store;
  }

  /** Arguments: the path of the socket and the URL of the store. */
  public static void main(String[] arguments) throws IOException {
    Path place = Path.of(arguments[0]);
    NodeClock clock = new NodeClock();
    RedisStore store = SkewedStore.open(arguments[1], clock, clock::nanos);
    Runtime.getRuntime().addShutdownHook(new Thread(store::close));
    NodeMain node = new NodeMain(clock, store);
    Files.deleteIfExists(place);
    try (ServerSocketChannel door = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      door.bind(UnixDomainSocketAddress.of(place));
      while (true) {
        UnixSocket client = new UnixSocket(door.accept());
        new Thread(() -> node.serve(client)).start();
      }
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the chain sends its own reply
  private void serve(UnixSocket client) {
    OutputStream out = client.output();
    try (client;
        BufferedReader in =
            new BufferedReader(new InputStreamReader(client.input(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String order = line;
        workers.submit(() -> reply(order, out));
      }
    } catch (IOException gone) {
      // The client has ended.
    }
  }

  private void reply(String order, OutputStream out) {
    int space = order.indexOf(' ');
    String number = order.substring(0, space);
    String reply;
    try {
      reply = reply(order.substring(space + 1));
    } catch (NotOpen notYet) {
      reply = " ?";
    } catch (RuntimeException e) {
      reply = " ! " + String.valueOf(e).replace('\n', ' ');
    }
    synchronized (out) {
      try {
        out.write((number + reply + "\n").getBytes(StandardCharsets.UTF_8));
      } catch (IOException gone) {
        // The client is gone.
      }
    }
  }

  private String reply(String order) {
    String[] words = order.split(" ", -1);
    return switch (words[0]) {
      case "open" -> {
        open(Contract.parse(order.substring("open ".length())));
        yield "";
      }
      case "clock" -> {
        clock.put(Duration.ofMillis(Long.parseLong(words[1])));
        yield "";
      }
      case "rate" -> {
        clock.setRate(Long.parseLong(words[1]));
        yield "";
      }
      case "time" -> " " + NodeClock.ahead(named(words[1]).time()).toMillis();
      case "check" -> check(named(words[1]).limiter(), words[2], Integer.parseInt(words[3]));
      default -> throw new IllegalArgumentException("unknown command " + words[0]);
    };
  }

  private Timed named(String name) {
    Timed timed = limiters.get(name);
    if (timed == null) {
      throw new NotOpen(name);
    }
    return timed;
  }

  /** The limiter is not open yet. */
  private static final class NotOpen extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotOpen(String name) {
      super("no limiter " + name);
    }
  }

  private static String check(RateLimiter limiter, String user, int count) {
    StringBuilder results = new StringBuilder();
    for (int i = count; i > 0; i--) {
      long before = System.nanoTime();
      Decision decision = limiter.check(user);
      long after = System.nanoTime();
      TimedDecision timedDecision =
          new TimedDecision(decision.allowed(), decision.origin(), before, after);
      results.append(' ').append(timedDecision.toWord());
    }
    return results.toString();
  }

  private void open(Contract contract) {
    limiters.computeIfAbsent(contract.name(), name -> timed(contract));
  }

  private Timed timed(Contract contract) {
    TimeSource time = TimeSource.following(clock);
    RateLimiter limiter =
        RateLimiter.builder()
            .store(store)
            .name(contract.name())
            .limit(contract.limit())
            .consistency(contract.consistency())
            .onFailure(contract.policy())
            .time(time)
            .build();
    return new Timed(limiter, time);
  }
}
