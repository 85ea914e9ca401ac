package io.weir.chaos;

import io.weir.Decision;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import io.weir.redis.RedisStore;
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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A node: the limiter as an application has it, in a process of its own, asked by lines over a Unix
 * socket.
 *
 * <pre>
 *   → 1 open NAME CONSISTENCY ALGORITHM PERMITS MILLISECONDS     ← 1
 *   → 2 check NAME USER COUNT                                    ← 2 yes:STORE:100:105 no:CACHE:106:106
 *   what cannot be done                                          ← 2 ! why
 * </pre>
 */
final class NodeMain {
  private final RedisStore store;
  private final Map<String, RateLimiter> limiters = new ConcurrentHashMap<>();
  private final ExecutorService workers = Executors.newFixedThreadPool(16);

  private NodeMain(RedisStore store) {
    this.store = store;
  }

  /** Takes the place of the socket and the URL of the store. */
  public static void main(String[] arguments) throws IOException {
    Path place = Path.of(arguments[0]);
    RedisStore store = RedisStore.open(arguments[1]);
    Runtime.getRuntime().addShutdownHook(new Thread(store::close));
    NodeMain node = new NodeMain(store);
    Files.deleteIfExists(place);
    try (ServerSocketChannel door = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      door.bind(UnixDomainSocketAddress.of(place));
      while (true) {
        UnixSocket client = new UnixSocket(door.accept());
        new Thread(() -> node.serve(client)).start();
      }
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // it answers by itself
  private void serve(UnixSocket client) {
    OutputStream out = client.output();
    try (client;
        BufferedReader in =
            new BufferedReader(new InputStreamReader(client.input(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String order = line;
        workers.submit(() -> answer(order, out));
      }
    } catch (IOException gone) {
      // Whoever asked has ended.
    }
  }

  private void answer(String order, OutputStream out) {
    int space = order.indexOf(' ');
    String number = order.substring(0, space);
    String answer;
    try {
      answer = answer(order.substring(space + 1));
    } catch (RuntimeException e) {
      answer = " ! " + String.valueOf(e).replace('\n', ' ');
    }
    synchronized (out) {
      try {
        out.write((number + answer + "\n").getBytes(StandardCharsets.UTF_8));
      } catch (IOException gone) {
        // Nobody is there to be told.
      }
    }
  }

  private String answer(String order) {
    String[] words = order.split(" ", -1);
    if (words[0].equals("open")) {
      open(Contract.parse(order.substring("open ".length())));
      return "";
    }
    RateLimiter limiter = limiters.get(words[1]);
    if (limiter == null) {
      throw new IllegalArgumentException("no limiter " + words[1]);
    }
    StringBuilder answers = new StringBuilder();
    for (int i = Integer.parseInt(words[3]); i > 0; i--) {
      long before = System.nanoTime();
      Decision decision = limiter.check(words[2]);
      long after = System.nanoTime();
      Decided decided = new Decided(decision.allowed(), decision.origin(), before, after);
      answers.append(' ').append(decided.toWord());
    }
    return answers.toString();
  }

  private void open(Contract contract) {
    limiters.computeIfAbsent(
        contract.name(),
        name ->
            RateLimiter.builder()
                .store(store)
                .name(name)
                .limit(contract.limit())
                .consistency(contract.consistency())
                .onFailure(OnFailure.DENY)
                .build());
  }
}
