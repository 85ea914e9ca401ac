package io.weir.bench.gateway;

import io.weir.bench.program.Cores;
import io.weir.bench.program.Programs;
import io.weir.bench.program.RedisServer;
import io.weir.bench.program.RunningProgram;
import io.weir.bench.server.Checkout;
import io.weir.bench.server.Launcher;
import io.weir.bench.server.ServerProcess;
import io.weir.bench.server.WeirProgram;
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
  private final RunningProgram upstream;
  private final int upstreamPort;

  /** Starts the server behind, on the clients' core. */
  Gateways(Checkout checkout, Launcher launcher, Cores cores) throws IOException {
    this.checkout = checkout;
    this.launcher = launcher;
    this.weir = new WeirProgram(checkout.jar(), launcher);
    this.nginx = Programs.nginx().toString();
    this.upstreamPort = RunningProgram.freePort();
    Path directory = RunningProgram.newDirectory("upstream");
    this.upstream =
        RunningProgram.start(
            "upstream",
            directory,
            Map.of(),
            cores.atClient(command(directory, NginxConfig.upstream(upstreamPort))));
    upstream.awaitPort(upstreamPort);
  }

  /** The server behind. */
  RunningProgram upstream() {
    return upstream;
  }

  ServerProcess nginx() throws IOException {
    int port = RunningProgram.freePort();
    return nginx(port, NginxConfig.proxy(port, upstreamPort));
  }

  ServerProcess nginx(GatewayLimit gatewayLimit) throws IOException {
    int port = RunningProgram.freePort();
    return nginx(port, NginxConfig.limiting(port, upstreamPort, gatewayLimit));
  }

  private ServerProcess nginx(int port, String config) throws IOException {
    Path directory = RunningProgram.newDirectory("nginx");
    List<String> command = command(directory, config);
    return launcher.pinned("nginx", directory, Map.of(), command, port, Optional.empty());
  }

  private List<String> command(Path directory, String config) throws IOException {
    Files.writeString(directory.resolve("nginx.conf"), config);
    return List.of(nginx, "-p", directory.toString(), "-c", "nginx.conf");
  }

  ServerProcess weir(GatewayLimit gatewayLimit) throws IOException {
    return weir.gateway(gatewayLimit.rules(), upstreamPort);
  }

  /**
   * Weir from the classes of this program, because users cannot configure what is compared here.
   */
  ServerProcess weir(GatewayLimit gatewayLimit, boolean isWatched) throws IOException {
    Path directory = RunningProgram.newDirectory("weir");
    Path rules = Files.writeString(directory.resolve("rules.yaml"), gatewayLimit.rules());
    int port = RunningProgram.freePort();
    List<String> words = new ArrayList<>();
    words.addAll(List.of("-cp", System.getProperty("java.class.path")));
    words.addAll(List.of(InsightGateway.class.getName(), rules.toString(), "" + port));
    words.addAll(List.of("" + upstreamPort, "" + isWatched));
    return launcher.jvm("weir", directory, words, port, Optional.empty());
  }

  ServerProcess weirWithoutRules() throws IOException {
    return weir.gateway("rules: []\n", upstreamPort);
  }

  ServerProcess spring(GatewayLimit gatewayLimit) throws IOException {
    RedisServer redis = launcher.redis();
    int port = RunningProgram.freePort();
    List<String> words = new ArrayList<>();
    words.addAll(List.of("-cp", checkout.springGateway(), "io.weir.bench.spring.SpringGateway"));
    words.addAll(List.of("" + port, "" + upstreamPort, "" + redis.port()));
    words.addAll(List.of(gatewayLimit.spring()));
    return launcher.jvm(
        "spring-gateway", RunningProgram.newDirectory("spring"), words, port, Optional.of(redis));
  }

  @Override
  public void close() throws IOException {
    upstream.close();
  }
}
