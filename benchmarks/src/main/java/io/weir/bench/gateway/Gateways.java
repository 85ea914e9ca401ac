package io.weir.bench.gateway;

import io.weir.bench.contest.Checkout;
import io.weir.bench.contest.Launcher;
import io.weir.bench.contest.Service;
import io.weir.bench.contest.WeirProgram;
import io.weir.bench.program.Cores;
import io.weir.bench.program.Programs;
import io.weir.bench.program.RedisServer;
import io.weir.bench.program.Running;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Starts gateways, and the server behind all of them. */
final class Gateways implements AutoCloseable {
  private final Checkout checkout;
  private final Launcher launcher;
  private final WeirProgram weir;
  private final String nginx;
  private final Running upstream;
  private final int upstreamPort;

  /** Starts the server behind, on the clients' core. */
  Gateways(Checkout checkout, Launcher launcher, Cores cores) throws IOException {
    this.checkout = checkout;
    this.launcher = launcher;
    this.weir = new WeirProgram(checkout.jar(), launcher);
    this.nginx = Programs.nginx().toString();
    this.upstreamPort = Running.freePort();
    Path directory = Running.newDirectory("upstream");
    this.upstream =
        Running.start(
            "upstream",
            directory,
            Map.of(),
            cores.atClient(command(directory, NginxConfig.upstream(upstreamPort))));
    upstream.awaitPort(upstreamPort);
  }

  /** The server behind. */
  Running upstream() {
    return upstream;
  }

  Service nginx() throws IOException {
    int port = Running.freePort();
    return nginx(port, NginxConfig.proxy(port, upstreamPort));
  }

  Service nginx(Quota quota) throws IOException {
    int port = Running.freePort();
    return nginx(port, NginxConfig.limiting(port, upstreamPort, quota));
  }

  private Service nginx(int port, String config) throws IOException {
    Path directory = Running.newDirectory("nginx");
    List<String> command = command(directory, config);
    return launcher.pinned("nginx", directory, Map.of(), command, port, Optional.empty());
  }

  private List<String> command(Path directory, String config) throws IOException {
    Files.writeString(directory.resolve("nginx.conf"), config);
    return List.of(nginx, "-p", directory.toString(), "-c", "nginx.conf");
  }

  Service weir(Quota quota) throws IOException {
    return weir.gateway(quota.rules(), upstreamPort);
  }

  /**
   * Weir from the classes of this program, because users cannot configure what is compared here.
   */
  Service weir(Quota quota, boolean isWatched) throws IOException {
    Path directory = Running.newDirectory("weir");
    Path rules = Files.writeString(directory.resolve("rules.yaml"), quota.rules());
    int port = Running.freePort();
    List<String> words = new ArrayList<>();
    words.addAll(List.of("-cp", System.getProperty("java.class.path")));
    words.addAll(List.of(WatchedGateway.class.getName(), rules.toString(), "" + port));
    words.addAll(List.of("" + upstreamPort, "" + isWatched));
    return launcher.jvm("weir", directory, words, port, Optional.empty());
  }

  Service weirWithoutRules() throws IOException {
    return weir.gateway("rules: []\n", upstreamPort);
  }

  Service spring(Quota quota) throws IOException {
    RedisServer redis = launcher.redis();
    int port = Running.freePort();
    List<String> words = new ArrayList<>();
    words.addAll(List.of("-cp", checkout.springGateway(), "io.weir.bench.spring.SpringGateway"));
    words.addAll(List.of("" + port, "" + upstreamPort, "" + redis.port()));
    words.addAll(List.of(quota.spring()));
    return launcher.jvm(
        "spring-gateway", Running.newDirectory("spring"), words, port, Optional.of(redis));
  }

  @Override
  public void close() throws IOException {
    upstream.close();
  }
}
