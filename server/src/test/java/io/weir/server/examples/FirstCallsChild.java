package io.weir.server.examples;

import io.weir.decision.RuleSource;
import io.weir.rules.file.RuleFiles;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import io.weir.server.ServerSettingsBuilder;
import java.nio.file.Path;
import java.util.List;

/**
 * A process with a server: the arguments are whether it is warmed up, its service port, its rules,
 * and then, if it speaks TLS, the files of certificate, key and client authority. It prints a line
 * when it is ready.
 */
final class FirstCallsChild {
  private FirstCallsChild() {}

  public static void main(String[] args) throws Exception {
    ServerSettingsBuilder settings =
        ServerSettings.builder().build().onFreePorts().toBuilder()
            .servicePort(Integer.parseInt(args[1]));
    if (args.length > 3) {
      settings.tlsCertificate(Path.of(args[3])).tlsKey(Path.of(args[4]));
      settings.tlsClientCa(Path.of(args[5]));
    }
    try (Server server =
        Server.builder(settings.build())
            .rules(RuleSource.of(RuleFiles.load(List.of(Path.of(args[2])))))
            .warmedUp(Boolean.parseBoolean(args[0]))
            .start()) {
      System.out.println("ready " + server.servicePort());
      while (System.in.read() >= 0) { // until its parent has gone
        continue;
      }
    }
  }
}
