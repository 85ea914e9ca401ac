package io.weir.bench.gateway;

import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/** Weir's gateway, with or without insight into callers. */
final class InsightGateway {
  private InsightGateway() {}

  /** Its arguments: the rules file, its port, the port of the server behind, and true or false. */
  public static void main(String[] args) throws InterruptedException {
    ServerSettings serverSettings =
        ServerSettings.DEMO.onFreePorts().toBuilder()
            .rules(List.of(Path.of(args[0])))
            .gatewayPort(Integer.parseInt(args[1]))
            .upstream(URI.create("http://127.0.0.1:" + args[2]))
            .build();
    try (Server server =
        Server.builder(serverSettings).watched(Boolean.parseBoolean(args[3])).start()) {
      Thread.currentThread().join();
    }
  }
}
