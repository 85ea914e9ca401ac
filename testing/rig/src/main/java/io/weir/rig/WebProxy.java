package io.weir.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An HTTP proxy packaged by Debian that a configuration file can connect with Weir. */
public enum WebProxy {
  NGINX("nginx", "nginx.conf") {
    @Override
    List<String> arguments(String file, Path directory) {
      // Workers run as the current user, so that they may use the test directory.
      String global = "daemon off; user " + System.getProperty("user.name") + ";";
      return List.of("-e", "stderr", "-p", directory.toString(), "-c", file, "-g", global);
    }
  },
  HAPROXY("haproxy", "haproxy.cfg") {
    @Override
    List<String> arguments(String file, Path directory) {
      return List.of("-db", "-f", file);
    }
  },
  CADDY("caddy", "Caddyfile") {
    @Override
    List<String> arguments(String file, Path directory) {
      return List.of("run", "--adapter", "caddyfile", "--config", file);
    }
  };

  private final String program;
  private final String file;

  WebProxy(String program, String file) {
    this.program = program;
    this.file = file;
  }

  abstract List<String> arguments(String file, Path directory);

  /** The name of the program and of its Debian package. */
  public String program() {
    return program;
  }

  /** The name of its configuration file. */
  public String file() {
    return file;
  }

  /** Whether it is installed. */
  public boolean isInstalled() {
    return Program.find(program).isPresent();
  }

  /**
   * Starts it.
   *
   * @param files its configuration and included files, by name
   * @param port the port on which it will listen
   */
  public Program start(Map<String, String> files, int port) {
    Path directory = Program.directory(program);
    try {
      for (Map.Entry<String, String> each : files.entrySet()) {
        Files.writeString(directory.resolve(each.getKey()), each.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> command = new ArrayList<>();
    command.add(Program.find(program).orElseThrow().toString());
    command.addAll(arguments(directory.resolve(file).toString(), directory));
    return Program.start(directory, command, () -> listens(port));
  }

  private static boolean listens(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    }
  }
}
