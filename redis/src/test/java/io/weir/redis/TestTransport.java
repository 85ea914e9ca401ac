package io.weir.redis;

import io.weir.rig.Await;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A link with gates that record, and calls as futures. */
final class TestTransport implements AutoCloseable {
  static final Script COUNT = Script.of("test-count");

  final Map<String, RecordingBreaker> gates = new ConcurrentHashMap<>();
  final List<ServerReport> reports = new CopyOnWriteArrayList<>();
  final RedisTransport redisTransport;

  /** So patient with a busy machine as can be, unless the URL says otherwise. */
  TestTransport(String url) {
    this(
        url.contains("connect_timeout=")
            ? RedisSettings.parse(url)
            : RedisSettings.parse(url).withConnectTimeout(Duration.ofSeconds(20)));
  }

  TestTransport(RedisSettings settings) {
    redisTransport = TransportFactory.open(settings, () -> List.of(COUNT), gates(), reports::add);
  }

  private CircuitBreaker.Factory gates() {
    return new CircuitBreaker.Factory() {
      @Override
      public CircuitBreaker create(String shard, Supplier<byte[]> key) {
        return gates.computeIfAbsent(shard, RecordingBreaker::new);
      }

      @Override
      public void remove(CircuitBreaker circuitBreaker) {
        gates.values().remove(circuitBreaker);
      }
    };
  }

  /** The link once it is connected. */
  static TestTransport connected(String url) {
    TestTransport link = new TestTransport(url);
    link.awaitUp();
    return link;
  }

  /** The link, once it is connected or has failed to. */
  static TestTransport connectedOrNot(String url) {
    TestTransport link = new TestTransport(url);
    Await.holds("connected or not", () -> link.breaker().isUp() || !link.breaker().lost.isEmpty());
    return link;
  }

  void awaitUp() {
    Await.holds("connected", () -> breaker().isUp());
  }

  RecordingBreaker breaker() {
    return (RecordingBreaker) redisTransport.breaker(bytes("k"));
  }

  /** A call whose end is a future. */
  static class Promise extends ScriptCall {
    final CompletableFuture<long[]> end = new CompletableFuture<>();

    Promise(Script script, String key, String... args) {
      super(script, new byte[][] {TestTransport.bytes(key)}, all(args));
    }

    Promise(Script script, List<String> keys, String... args) {
      super(script, all(keys.toArray(String[]::new)), all(args));
    }

    @Override
    void onReply(long[] reply) {
      end.complete(reply);
    }

    @Override
    void onFailure(RedisFailure redisFailure) {
      end.completeExceptionally(new TransportException(redisFailure));
    }

    /** The reply, which must come soon. */
    long[] result() throws Exception {
      return end.get(20, TimeUnit.SECONDS);
    }

    /** The failure, which must come soon. */
    RedisFailure redisFailure() {
      try {
        long[] reply = result();
        throw new AssertionError("got the reply " + java.util.Arrays.toString(reply));
      } catch (java.util.concurrent.ExecutionException e) {
        return ((TransportException) e.getCause()).redisFailure();
      } catch (Exception e) {
        throw new AssertionError("no end", e);
      }
    }
  }

  Promise count(String key, long n) {
    return send(COUNT, key, Long.toString(n));
  }

  Promise send(Script script, String key, String... args) {
    Promise promise = new Promise(script, key, args);
    redisTransport.send(promise);
    return promise;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[][] all(String... texts) {
    byte[][] all = new byte[texts.length][];
    for (int i = 0; i < texts.length; i++) {
      all[i] = TestTransport.bytes(texts[i]);
    }
    return all;
  }

  @Override
  public void close() {
    redisTransport.close();
  }
}
