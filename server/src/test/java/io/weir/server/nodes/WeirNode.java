package io.weir.server.nodes;

import io.weir.rig.Ports;
import io.weir.rig.Program;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Weir in a process of its own, on a port that stays the same when it is started again. */
public final class WeirNode implements AutoCloseable {
  private final Program program;
  private final int port;

  private WeirNode(Program program, int port) {
    this.program = program;
    this.port = port;
  }

  /** Starts one with these rules, in YAML. */
  public static WeirNode start(String rules, String store) {
    int port = Ports.free();
    Path directory = Program.directory("weir");
    try {
      Files.writeString(directory.resolve("rules.yaml"), rules);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "rules.yaml",
            store,
            Integer.toString(port));
    return new WeirNode(Program.start(directory, command, () -> answers(port)), port);
  }

  private static boolean answers(int port) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/check")).build();
    return HttpClient.newHttpClient()
            .send(request, HttpResponse.BodyHandlers.discarding())
            .statusCode()
        == 200;
  }

  /** The process. */
  public Program program() {
    return program;
  }

  /** The port of the service. */
  public int port() {
    return port;
  }

  @Override
  public void close() {
    program.close();
  }

  /** What runs in the process. */
  static final class Main {
    private Main() {}

    public static void main(String[] args) {
      Server.start(
          ServerSettings.builder()
              .rules(List.of(Path.of(args[0])))
              .store(args[1])
              .gatewayPort(0)
              .adminPort(0)
              .servicePort(Integer.parseInt(args[2]))
              .build());
    }
  }
}
