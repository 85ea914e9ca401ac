package io.weir.bench.redis.node;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;

/**
 * Lettuce alone, as a reference for what is built on it: the bare script, or a plain GET of a value
 * as long as a bucket.
 */
final class LettuceLibrary implements Library {
  private final RedisClient client;
  private final RedisAsyncCommands<String, String> async;
  private final RedisCommands<String, String> sync;
  private final boolean isScript;

  LettuceLibrary(int port, boolean isScript) {
    this.isScript = isScript;
    client = RedisClient.create(RedisURI.create("127.0.0.1", port));
    var connection = client.connect(StringCodec.ASCII);
    async = connection.async();
    sync = connection.sync();
  }

  @Override
  public RemoteLimiter<?> limiter(String name, Allowance allowance, String[] keys)
      throws Exception {
    String[] names = new String[keys.length];
    for (int i = 0; i < keys.length; i++) {
      names[i] = name + ":" + keys[i];
    }
    return isScript ? script(allowance, names) : get(names);
  }

  private RemoteLimiter<Long> script(Allowance allowance, String[] names) {
    String digest = sync.scriptLoad(new String(BareScript.text(), StandardCharsets.UTF_8));
    String[] args = {"" + allowance.microsPerPermit(), "" + allowance.microsPerBurst()};
    return new RemoteLimiter<>() {
      @Override
      public CompletionStage<Long> check(int i) {
        return async.evalsha(digest, ScriptOutputType.INTEGER, new String[] {names[i]}, args);
      }

      @Override
      public CheckResult result(Long reply) {
        return reply == 1 ? CheckResult.ALLOWED : CheckResult.REFUSED;
      }
    };
  }

  private RemoteLimiter<String> get(String[] names) {
    for (String name : names) {
      sync.set(name, "1234567890123456789012");
    }
    return new RemoteLimiter<>() {
      @Override
      public CompletionStage<String> check(int i) {
        return async.get(names[i]);
      }

      @Override
      public CheckResult result(String reply) {
        return reply == null ? CheckResult.FAILED : CheckResult.ALLOWED;
      }
    };
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
