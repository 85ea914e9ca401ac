package io.weir.bench.server;

import io.weir.bench.program.RedisServer;
import io.weir.bench.program.RunningProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Starts Weir. */
public final class WeirProgram {
  private static final String SERVICE = "--service-port";
  private static final String GATEWAY = "--gateway-port";

  private final Path jar;
  private final Launcher launcher;

  /** From this jar. */
  public WeirProgram(Path jar, Launcher launcher) {
    this.jar = jar;
    this.launcher = launcher;
  }

  /** Its service port, with a memory store. */
  public ServerProcess service(String rules) throws IOException {
    return start(rules, SERVICE, GATEWAY, List.of("--store", "memory"), Optional.empty());
  }

  /** The same with a Redis. */
  public ServerProcess serviceOnRedis(String rules) throws IOException {
    RedisServer redis = launcher.redis();
    List<String> store =
        List.of(
            "--store",
            "redis://127.0.0.1:" + redis.port(),
            "--store-timeout",
            "1s"); // peers wait even longer; a late response would be allowed without a check
    return start(rules, SERVICE, GATEWAY, store, Optional.of(redis));
  }

  /** Its gateway, with a memory store. */
  public ServerProcess gateway(String rules, int upstream) throws IOException {
    List<String> options =
        List.of("--store", "memory", "--upstream", "http://127.0.0.1:" + upstream);
    return start(rules, GATEWAY, SERVICE, options, Optional.empty());
  }

  private ServerProcess start(
      String rules,
      String portOption,
      String otherPortOption,
      List<String> options,
      Optional<RedisServer> redis)
      throws IOException {
    Path directory = RunningProgram.newDirectory("weir");
    Path file = Files.writeString(directory.resolve("rules.yaml"), rules);
    int port = RunningProgram.freePort();
    List<String> words = new ArrayList<>();
    words.addAll(List.of("-jar", jar.toString(), "serve", "--rules", file.toString()));
    words.addAll(List.of(portOption, "" + port));
    words.addAll(List.of(otherPortOption, "" + RunningProgram.freePort()));
    words.addAll(List.of("--admin-port", "" + RunningProgram.freePort()));
    words.addAll(options);
    return launcher.jvm("weir", directory, words, port, redis);
  }
}
